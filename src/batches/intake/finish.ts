/** The second pass over a valid batch: creates its messages as they will be sent, in chunks to be stored. */
import { createHash } from 'node:crypto';
import { type Result, success, why } from '../../foundation/result.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { Faults } from '../../http/parameters/faults.ts';
import { type FinishedText, finisher } from '../../messages/sending/wording.ts';
import { RoutingTable } from '../../routing/routing-table.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { replaceLoneSurrogates } from '../../wire/sms/normalise.ts';
import { compileSubstitution, type Fill, maxTextLength } from '../../wire/sms/substitution.ts';
import { batchCode, chunkSize } from '../batch.ts';
import { maxSkippedFaults, type Skipped } from './faulty.ts';
import { type BatchRequest, recipientJudge } from './judge.ts';
import type { GivenRecipient, RecipientList } from './recipient.ts';

export interface FinishedChunk {
  readonly messages: number;
  /** JSON: a list of `ChunkRow`. */
  readonly finished: string;
}

interface BatchFailure {
  readonly code: typeof batchCode.tooManyRecipients | typeof batchCode.validationError;
  readonly reason: string;
}

export interface FinishedBatch {
  readonly messages: number;
  /** SMS parts of all messages. */
  readonly parts: number;
  readonly duplicates: number;
  /** A fault that only /batchinfo reports; the chunks are then worthless. */
  readonly failure: BatchFailure | null;
  /** Recipients left out because their text can't be sent; see `BatchRequest.skipsFaulty`. */
  readonly skipped?: Skipped;
}

/** A chunk of long texts has fewer messages, so that no row and no message between threads gets too large. */
export const maxChunkCharacters = 131_072;
/** The maximum total length of all texts of a batch, which are stored twice: in chunks and in messages. */
const maxBatchCharacters = 250_000_000;

/** Steps of filling and checking texts between two pauses; takes a few milliseconds. */
export const stepsToPause = 200_000;

/** Pauses at each `yield` without a chunk. */
export function* finishBatch(
  list: RecipientList,
  request: BatchRequest,
  repeated: ReadonlySet<number>,
): Generator<FinishedChunk | undefined, FinishedBatch> {
  const routes = RoutingTable.of(request.routes);
  const texts = new Texts(request);
  const seen = new SeenTexts(repeated);
  const sum = { messages: 0, parts: 0, duplicates: 0, characters: 0 };
  let rows: string[] = [];
  let characters = 0;
  const judge = request.skipsFaulty ? recipientJudge(list, request) : undefined;
  const judged = new Faults(request.refusesUnknown);
  const ofTexts = new Faults();
  for (const some of list.read(judged)) {
    for (const recipient of some) {
      if (judge !== undefined && judge(recipient, judged) === undefined) continue;
      const text = texts.of(recipient);
      if (!text.ok && request.skipsFaulty) {
        ofTexts.addFault(list.nameOf(recipient.place, 'm'), text);
        continue;
      }
      if (!text.ok) {
        const field = list.nameOf(recipient.place);
        const reason = storedReason({ sentence: 'batch_text', field, wrong: why(text) });
        return { ...sum, failure: { code: batchCode.validationError, reason } };
      }
      const number = numberOf(recipient, request);
      if (texts.steps > stepsToPause) {
        texts.steps = 0;
        yield undefined;
      }
      if (!seen.isFirst(number, text.value.text)) {
        sum.duplicates += 1;
        continue;
      }
      sum.messages += 1;
      sum.parts += text.value.parts;
      const carrierId = routes.carrierFor(number, request.origin) as number;
      const row = chunkRow({
        recipient: number,
        text: text.value.json,
        parts: text.value.parts,
        carrierId,
        conversation: conversationOf(recipient, request),
      });
      rows.push(row);
      characters += row.length;
      sum.characters += text.value.text.length;
      if (sum.characters > maxBatchCharacters) {
        const reason = storedReason({ sentence: 'batch_characters', most: maxBatchCharacters });
        return { ...sum, failure: { code: batchCode.validationError, reason } };
      }
      if (rows.length < chunkSize && characters < maxChunkCharacters) continue;
      yield chunkOf(rows);
      rows = [];
      characters = 0;
    }
    yield undefined;
  }
  if (rows.length > 0) yield chunkOf(rows);
  const faults = ofTexts.asError()?.errors ?? [];
  return {
    ...sum,
    failure: null,
    ...(request.skipsFaulty && {
      skipped: { count: ofTexts.count, faults: faults.slice(0, maxSkippedFaults) },
    }),
  };
}

/** A `ChunkRow` with texts that are already JSON. */
export function chunkRow(row: {
  readonly recipient: string;
  readonly text: string;
  readonly parts: number;
  readonly conversation: string;
  readonly carrierId: number;
}): string {
  return `["${row.recipient}",${row.text},${row.parts},${row.conversation},${row.carrierId}]`;
}

export function chunkOf(rows: readonly string[]): FinishedChunk {
  return { messages: rows.length, finished: `[${rows.join(',')}]` };
}

export function numberOf({ t }: GivenRecipient, { defaultCountryCode }: BatchRequest): string {
  const number = cleanNumber(t, defaultCountryCode);
  if (!number.ok) throw new Error('a number that was found valid is not');
  return number.value;
}

function conversationOf({ i }: GivenRecipient, { conversation }: BatchRequest): string {
  // The store accepts no lone surrogates.
  return JSON.stringify(replaceLoneSurrogates(i ?? conversation));
}

export interface BatchText extends FinishedText {
  readonly json: string;
}

/**
 * The text of each recipient. Substitutions apply only to the common message (API: /batchsend/list, rule 5): a text written
 * for one recipient stays unchanged even if it contains a label.
 */
export class Texts {
  readonly #finish: (given: string) => Result<FinishedText>;
  readonly #fill: Fill;
  readonly #fillSteps: number;
  /** Consecutive recipients usually have the same text. */
  #last: { readonly finished: FinishedText; readonly text: Result<BatchText> } | undefined;
  /** Steps taken since the last check. */
  steps = 0;

  constructor({ message = '', holders, replacing }: BatchRequest) {
    // Nothing else waits for these texts, so there is no limit on the steps.
    this.#finish = finisher({ flash: false, replacing }, { stepsLeft: Number.POSITIVE_INFINITY });
    const isFilled = holders.length > 0 && message.length <= maxTextLength;
    const compiled = isFilled ? compileSubstitution(message, holders) : undefined;
    this.#fill = compiled?.fill ?? (() => message);
    this.#fillSteps = compiled?.fillSteps ?? 0;
  }

  of({ m, s }: GivenRecipient): Result<BatchText> {
    const given = m ?? this.#fill(s ?? []);
    this.steps += given.length + (m === undefined ? this.#fillSteps : 0);
    const text = this.#finish(given);
    if (!text.ok) return text;
    const finished = text.value;
    if (this.#last?.finished !== finished) {
      this.#last = { finished, text: success({ ...finished, json: JSON.stringify(finished.text) }) };
    }
    return this.#last.text;
  }
}

/** Remembers only the texts of numbers that occur more than once in a batch. */
export class SeenTexts {
  readonly #repeated: ReadonlySet<number>;
  readonly #seen = new Set<string>();

  constructor(repeated: ReadonlySet<number>) {
    this.#repeated = repeated;
  }

  isFirst(number: string, text: string): boolean {
    if (this.#repeated.size === 0 || !this.#repeated.has(Number(number))) return true;
    // A number has only digits and a digest has a fixed length, so no two pairs share a key.
    const key = `${number}:${text.length <= 40 ? text : createHash('sha256').update(text).digest('base64')}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
