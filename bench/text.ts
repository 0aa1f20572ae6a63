/** Claim: counting and splitting SMS parts is many times faster here than in the two npm packages that do it. */
import { SegmentedMessage } from 'sms-segments-calculator';
import { split } from 'split-sms';
import { normaliseText } from '../src/wire/sms/normalise.ts';
import { replaceCharacters } from '../src/wire/sms/replacement.ts';
import { countParts, segment } from '../src/wire/sms/segments.ts';
import { medianOf, type Report } from './measure.ts';
import type { Options } from './options.ts';
import { figuresOf, type Pass, race } from './race.ts';
import { runWhenMain } from './run.ts';

/** What a pass does with each text. */
type Work = (text: string) => number;

export async function text({ quick, rounds = quick ? 1 : 9 }: Options): Promise<Report> {
  const corpus = mixedTexts();
  for (const message of corpus) insistOnSameCount(message);
  const course = { items: corpus.length, rounds, roundMs: quick ? 50 : 300 };
  const each = (work: Work): Pass => overAll(corpus, work);
  const counting = race(course, {
    ours: each(countParts),
    'split-sms': each((message) => split(message, { summary: true }).parts.length),
    'sms-segments-calculator': each((message) => new SegmentedMessage(message).segmentsCount),
  });
  const cutting = race(course, {
    ours: each((message) => segment(message).parts.length),
    'split-sms': each((message) => split(message).parts.length),
    'sms-segments-calculator': each((message) => new SegmentedMessage(message).segments.length),
  });
  const cleaning = race(course, {
    ours: each((message) => replaceCharacters(normaliseText(message)).length),
  });
  return {
    name: 'text',
    claim:
      'Counting and splitting the parts of an SMS is at least twice as fast as in the two npm packages for it.',
    method: [
      describeCorpus(corpus),
      'All three find the same number of parts for each text, otherwise nothing is measured. They take turns in each round, in one process, after a warm-up round. A ratio is the median of the ratios of the rounds.',
    ],
    figures: [
      ...figuresOf('counting', unit, counting, { atLeast: 2 }),
      ...figuresOf('cutting', unit, cutting, { atLeast: 2 }),
      medianOf(cleaning.get('ours') ?? [], { what: 'normalising and replacing characters: ours', unit }),
    ],
  };
}

const unit = 'messages/s';

function overAll(corpus: readonly string[], work: Work): Pass {
  return () => {
    let sum = 0;
    for (const message of corpus) sum += work(message);
    return sum;
  };
}

/** A pass covers 1,000 texts: mostly short and plain, some long, some with extension characters, some in UCS-2. */
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
  // The detour through a buffer makes the strings flat like those from the network; concatenated strings are not.
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
