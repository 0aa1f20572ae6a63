/** Claim: counting and cutting SMS parts is many times faster here than in the two packages that npm has for it. */
import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { normaliseText } from '../src/wire/sms/normalise.ts';
import { replaceCharacters } from '../src/wire/sms/replacement.ts';
import { countParts, segment } from '../src/wire/sms/segments.ts';
import { type Bound, type Figure, medianOf, type Report } from './measure.ts';
import type { Options } from './options.ts';
import { runWhenMain } from './run.ts';

/** What a round does with each text; the number keeps the work from being optimised away. */
type Work = (text: string) => number;

export async function text({ quick, rounds = quick ? 1 : 9 }: Options): Promise<Report> {
  const corpus = mixedTexts();
  for (const message of corpus) insistOnSameCount(message);
  const roundMs = quick ? 50 : 300;
  const counting = race(corpus, rounds, roundMs, {
    ours: countParts,
    'split-sms': (message) => split(message, { summary: true }).parts.length,
    'sms-segments-calculator': (message) => new SegmentedMessage(message).segmentsCount,
  });
  const cutting = race(corpus, rounds, roundMs, {
    ours: (message) => segment(message).parts.length,
    'split-sms': (message) => split(message).parts.length,
    'sms-segments-calculator': (message) => new SegmentedMessage(message).segments.length,
  });
  const cleaning = race(corpus, rounds, roundMs, {
    ours: (message) => replaceCharacters(normaliseText(message)).length,
  });
  return {
    name: 'text',
    claim:
      'To count and to cut the parts of an SMS is at least twice as fast as in the two packages of npm for it.',
    method: [
      describeCorpus(corpus),
      'All three find the same number of parts for each text, or nothing is measured. They take turns in each round, in one process, after a round that warms them up. A ratio is the median of the ratios of the rounds.',
    ],
    figures: [
      ...figuresOf('counting', counting),
      ...figuresOf('cutting', cutting),
      medianOf(cleaning.get('ours') ?? [], { what: 'normalising and replacing characters: ours', unit }),
    ],
  };
}

const unit = 'messages/s';

function figuresOf(what: string, rates: ReadonlyMap<string, readonly number[]>): readonly Figure[] {
  const ours = rates.get('ours') ?? [];
  const peers = [...rates.keys()].filter((name) => name !== 'ours');
  const bound: Bound = { atLeast: 2 };
  return [
    ...[...rates].map(([name, measured]) => medianOf(measured, { what: `${what}: ${name}`, unit })),
    ...peers.map((peer) => {
      const theirs = rates.get(peer) ?? [];
      const ratios = ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN));
      return medianOf(ratios, { what: `${what}: ours to ${peer}`, unit: '' }, bound);
    }),
  ];
}

/** In turn within each round, so that a disturbance of the machine meets all alike; the rates of the rounds. */
function race(
  corpus: readonly string[],
  rounds: number,
  roundMs: number,
  works: Readonly<Record<string, Work>>,
): ReadonlyMap<string, readonly number[]> {
  const rates = new Map(Object.keys(works).map((name) => [name, [] as number[]]));
  for (const work of Object.values(works)) messagesPerSecond(corpus, roundMs, work);
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works))
      rates.get(name)?.push(messagesPerSecond(corpus, roundMs, work));
  }
  return rates;
}

function messagesPerSecond(corpus: readonly string[], roundMs: number, work: Work): number {
  const started = performance.now();
  let elapsedMs = 0;
  let passes = 0;
  let sum = 0;
  do {
    for (const message of corpus) sum += work(message);
    passes++;
    elapsedMs = performance.now() - started;
  } while (elapsedMs < roundMs);
  if (sum === 0) throw new Error('No work was done.');
  return (passes * corpus.length * 1000) / elapsedMs;
}

/** One pass over 1,000 texts: mostly short and plain, some long, some with extension characters, some in UCS-2. */
function mixedTexts(): string[] {
  const patterns: readonly ((n: number) => string)[] = [
    (n) => `Your code is ${100_000 + n}. It is valid for 10 minutes.`,
    (n) => `Hi! Delivery ${n} arrives today between 10 and 12 at dock ${n % 9}. Reply YES to confirm.`,
    (n) => `Ledig vakt på Ås lørdag kl 07:00, ærlig talt: ${n} søker. Svar JA innen kl 18.`,
    (n) => `Order ${n}: [2 pcs] at 15 €, see https://example.org/~shop/${n}`,
    (n) => `Reminder ${n}. ${'Please bring your papers and be there ten minutes early. '.repeat(4)}`,
    (n) => `Rapport ${n}: ${'Møtet er flyttet til torsdag, se vedlagt plan. '.repeat(8)}`,
    (n) => `Price list ${n}: ${'{apples|pears} 3 €; '.repeat(14)}`,
    (n) => `Напоминание ${n}: завтра в 9:30`,
    (n) => `Gratulerer med dagen 🎉🎂 hilsen oss alle på avdeling ${n}`,
    (n) => `“Łódź” – ${n}… ${'zażółć gęślą jaźń, '.repeat(9)}`,
  ];
  // Through a buffer: texts from the network are flat, those just joined are not.
  return Array.from({ length: 1000 }, (_, n) =>
    Buffer.from(patterns[n % patterns.length]!(n), 'utf8').toString('utf8'),
  );
}

function insistOnSameCount(message: string): void {
  const counts = [
    countParts(message),
    segment(message).parts.length,
    split(message).parts.length,
    new SegmentedMessage(message).segmentsCount,
  ];
  if (new Set(counts).size > 1) throw new Error(`Counts differ (${counts.join(', ')}): ${message}`);
}

function describeCorpus(corpus: readonly string[]): string {
  const characters = corpus.reduce((sum, message) => sum + message.length, 0);
  const parts = corpus.reduce((sum, message) => sum + countParts(message), 0);
  const ucs2 = corpus.filter((message) => segment(message).encoding === 'ucs2').length;
  const average = `${(characters / corpus.length).toFixed(0)} characters, ${(parts / corpus.length).toFixed(2)} parts on average`;
  return `${corpus.length} texts, ${average}, ${((100 * ucs2) / corpus.length).toFixed(0)} % in UCS-2.`;
}

await runWhenMain(import.meta, text);
