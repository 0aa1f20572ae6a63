/** A dry run of a batch: its faults, its cost, and what would reduce the cost. */
import type { FieldError } from '../../foundation/errors.ts';
import { Faults, maxListedErrors } from '../../http/parameters/faults.ts';
import { isGsm7, septetCount } from '../../wire/sms/gsm7.ts';
import { replaceCharacters } from '../../wire/sms/replacement.ts';
import { countParts, firstUnitsOf } from '../../wire/sms/segments.ts';
import { maxFaultyPlaces } from './faulty.ts';
import { type BatchText, SeenTexts, stepsToPause, Texts } from './finish.ts';
import { type BatchRequest, judgeBatch, recipientJudge } from './judge.ts';
import type { RecipientList } from './recipient.ts';

export interface BatchPreview {
  readonly recipients: number;
  /** The valid messages without duplicates. */
  readonly messages: number;
  readonly parts: number;
  readonly duplicates: number;
  /** The number of messages by part count, starting with the fewest parts. */
  readonly histogram: readonly { readonly parts: number; readonly messages: number }[];
  /** Messages in UCS-2, in which an SMS part holds less than half as many characters as in GSM-7. */
  readonly unicode: number;
  /** The first faults. */
  readonly faults: readonly FieldError[];
  readonly faultCount: number;
  /** Recipients with faults. */
  readonly faulty: number;
  /** The first places of these. */
  readonly faultyPlaces: readonly number[];
  readonly savings: Savings;
  /** The numbers that the messages would go to, if the request asks for them. */
  readonly numbers?: Float64Array;
  /** The first messages as they would be sent. */
  readonly samples: readonly { readonly to: string; readonly text: string; readonly parts: number }[];
}

interface Savings {
  /**
   * Characters that are the only reason for a message to be in UCS-2, with more parts than without them; greatest saving
   * first.
   */
  readonly characters: readonly CharacterSaving[];
  /** The saving if all characters with a similar counterpart were replaced. */
  readonly replacing: Saving;
  /** The saving if each message that extends a few characters into its last part were shortened by them. */
  readonly shortening: Saving;
}

interface Saving {
  readonly messages: number;
  readonly parts: number;
}

interface CharacterSaving extends Saving {
  readonly character: string;
  /** A similar character that would replace it; empty when there is none, so the character would have to be removed. */
  readonly similar: string;
}

const shownSamples = 5;
const shownCharacters = 20;
/** A batch in which each text has its own emoji need not report all of them. */
const countedCharacters = 1_000;
export const fewCharacters = 10;

/** Pauses at each `yield`. Throws a ServiceError if the list cannot be read at all. */
export function* previewBatch(list: RecipientList, request: BatchRequest): Generator<void, BatchPreview> {
  const { recipients, repeated, fault, faults: found, faulty } = yield* judgeBatch(list, request);
  const judge = recipientJudge(list, request);
  const judged = new Faults(request.refusesUnknown);
  const texts = new Texts(request);
  const seen = new SeenTexts(repeated ?? new Set());
  const faults = new Faults();
  const sum = new PreviewSum();
  const numbers: number[] = [];
  for (const some of list.read(judged)) {
    for (const recipient of some) {
      const number = judge(recipient, judged);
      if (recipient.m === undefined && request.message === undefined) continue;
      const text = texts.of(recipient);
      if (!text.ok) {
        faults.addFault(list.nameOf(recipient.place, 'm'), text);
        if (number !== undefined) faulty.add(recipient.place);
      } else if (number === undefined) continue;
      else if (seen.isFirst(number, text.value.text)) {
        sum.add(number, text.value);
        if (request.listsNumbers === true) numbers.push(Number(number));
      } else sum.duplicates += 1;
      if (texts.steps > stepsToPause) {
        texts.steps = 0;
        yield;
      }
    }
    yield;
  }
  const listed = [...(fault?.errors ?? []), ...(faults.asError()?.errors ?? [])];
  return {
    recipients,
    ...sum.result(),
    faults: listed.slice(0, maxListedErrors),
    faultCount: found + faults.count,
    faulty: faulty.count,
    ...(request.listsNumbers === true && { numbers: new Float64Array(numbers) }),
    faultyPlaces: faulty.places.sort((one, other) => one - other).slice(0, maxFaultyPlaces),
  };
}

class PreviewSum {
  duplicates = 0;
  #messages = 0;
  #parts = 0;
  #unicode = 0;
  readonly #histogram = new Map<number, number>();
  readonly #samples: BatchPreview['samples'][number][] = [];
  readonly #characters = new Map<string, { similar: string; messages: number; parts: number }>();
  readonly #replacing = { messages: 0, parts: 0 };
  readonly #shortening = { messages: 0, parts: 0 };
  /** Consecutive recipients usually have the same text. */
  #last: { readonly text: string; readonly facts: TextFacts } | undefined;

  add(to: string, { text, parts }: BatchText): void {
    this.#messages += 1;
    this.#parts += parts;
    this.#histogram.set(parts, (this.#histogram.get(parts) ?? 0) + 1);
    if (this.#samples.length < shownSamples) this.#samples.push({ to, text, parts });
    if (this.#last?.text !== text) this.#last = { text, facts: factsOf(text, parts) };
    const { isUnicode, replacing, shortening, only } = this.#last.facts;
    if (isUnicode) this.#unicode += 1;
    count(this.#replacing, replacing);
    count(this.#shortening, shortening);
    if (only === undefined || only.saved === 0) return;
    const known = this.#characters.get(only.character);
    const kept = known ?? { similar: only.similar, messages: 0, parts: 0 };
    count(kept, only.saved);
    if (known === undefined && this.#characters.size < countedCharacters)
      this.#characters.set(only.character, kept);
  }

  result(): Omit<
    BatchPreview,
    'recipients' | 'faults' | 'faultCount' | 'faulty' | 'faultyPlaces' | 'numbers'
  > {
    const histogram = [...this.#histogram].map(([parts, messages]) => ({ parts, messages }));
    const characters = [...this.#characters].map(([character, saving]) => ({ character, ...saving }));
    return {
      messages: this.#messages,
      parts: this.#parts,
      duplicates: this.duplicates,
      histogram: histogram.sort((a, b) => a.parts - b.parts),
      unicode: this.#unicode,
      samples: this.#samples,
      savings: {
        characters: characters.sort((a, b) => b.parts - a.parts).slice(0, shownCharacters),
        replacing: this.#replacing,
        shortening: this.#shortening,
      },
    };
  }
}

function count(saving: { messages: number; parts: number }, parts: number): void {
  if (parts === 0) return;
  saving.messages += 1;
  saving.parts += parts;
}

interface TextFacts {
  readonly isUnicode: boolean;
  /** Parts saved by each measure. */
  readonly replacing: number;
  readonly shortening: number;
  readonly only: { readonly character: string; readonly similar: string; readonly saved: number } | undefined;
}

function factsOf(text: string, parts: number): TextFacts {
  const shortening = parts > 1 && overhang(text, parts) <= fewCharacters ? 1 : 0;
  if (isGsm7(text)) return { isUnicode: false, replacing: 0, shortening, only: undefined };
  const replaced = replaceCharacters(text);
  const foreign = new Set<string>();
  for (const character of text) if (!isGsm7(character)) foreign.add(character);
  const [character] = foreign;
  return {
    isUnicode: true,
    replacing: parts - countParts(replaced),
    shortening,
    only: foreign.size === 1 && character !== undefined ? withoutIt(text, parts, character) : undefined,
  };
}

function withoutIt(text: string, parts: number, character: string): TextFacts['only'] {
  const likeness = replaceCharacters(character);
  const similar = isGsm7(likeness) ? likeness : '';
  return { character, similar, saved: parts - countParts(text.replaceAll(character, similar)) };
}

/** How many characters reach into the last part. */
function overhang(text: string, parts: number): number {
  const septets = septetCount(text);
  const isUnicode = septets === -1;
  return (isUnicode ? text.length : septets) - firstUnitsOf(parts - 1, isUnicode ? 'ucs2' : 'gsm7');
}
