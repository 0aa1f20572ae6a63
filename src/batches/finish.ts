/** The second reading of a batch that was found right: its messages as they will be sent, in chunks to be stored. */
import { createHash } from 'node:crypto';
import { fault, type Result } from '../foundation/result.ts';
import { Faults } from '../http/faults.ts';
import { type FinishedText, finisher } from '../messages/finish-text.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import { cleanNumber } from '../wire/phone-number.ts';
import { replaceLoneSurrogates } from '../wire/sms/ucs2.ts';
import { compileSubstitution } from '../wire/substitution.ts';
import { batchCode, chunkSize } from './batch.ts';
import type { BatchRequest } from './judge.ts';
import type { GivenRecipient, RecipientList } from './recipient.ts';

export interface FinishedChunk {
  readonly messages: number;
  /** JSON: a list of `ChunkRow`. */
  readonly finished: string;
}

export interface BatchFailure {
  readonly code: typeof batchCode.tooManyRecipients | typeof batchCode.validationError;
  readonly reason: string;
}

export interface FinishedBatch {
  readonly messages: number;
  /** SMS parts of all messages. */
  readonly parts: number;
  readonly duplicates: number;
  /** Told by /batchinfo only; then the chunks are worth nothing. */
  readonly failure: BatchFailure | null;
}

/** A chunk of long texts has fewer messages, so that no message between threads and no row is too large. */
const maxChunkCharacters = 1_048_576;

/** Twice what the longest SMS holds, in UTF-16 code units, since some characters go away on the way to a phone. */
const maxWrittenLength = 2 * 255 * 153;

/** Pauses at each `yield` that has no chunk. */
export function* finishBatch(
  list: RecipientList,
  request: BatchRequest,
  repeated: ReadonlySet<number>,
): Generator<FinishedChunk | undefined, FinishedBatch> {
  const routes = RoutingTable.of(request.routes);
  const textOf = texts(request);
  const seen = new SeenTexts(repeated);
  const sum = { messages: 0, parts: 0, duplicates: 0 };
  let rows: string[] = [];
  let characters = 0;
  for (const some of list.read(new Faults())) {
    for (const recipient of some) {
      const text = textOf(recipient);
      if (!text.ok) {
        const reason = `${list.nameOf(recipient.place)}: ${text.error}`;
        return { ...sum, failure: { code: batchCode.validationError, reason } };
      }
      const number = numberOf(recipient, request);
      if (!seen.isFirst(number, text.value.text)) {
        sum.duplicates += 1;
        continue;
      }
      sum.messages += 1;
      sum.parts += text.value.parts;
      const carrierId = routes.carrierFor(number, request.origin) as number;
      const row = `["${number}",${text.value.json},${text.value.parts},${conversationOf(recipient, request)},${carrierId}]`;
      rows.push(row);
      characters += row.length;
      if (rows.length < chunkSize && characters < maxChunkCharacters) continue;
      yield chunkOf(rows);
      rows = [];
      characters = 0;
    }
    yield undefined;
  }
  if (rows.length > 0) yield chunkOf(rows);
  return { ...sum, failure: null };
}

function chunkOf(rows: readonly string[]): FinishedChunk {
  return { messages: rows.length, finished: `[${rows.join(',')}]` };
}

function numberOf({ t }: GivenRecipient, { defaultCountryCode }: BatchRequest): string {
  const number = cleanNumber(t, defaultCountryCode);
  if (!number.ok) throw new Error('a number that was found right is not');
  return number.value;
}

function conversationOf({ i }: GivenRecipient, { conversation }: BatchRequest): string {
  // The store keeps no halves of surrogate pairs.
  return JSON.stringify(replaceLoneSurrogates(i ?? conversation));
}

interface BatchText extends FinishedText {
  readonly json: string;
}

/**
 * The text of each recipient. Substitutions are for the common message (API: /batchsend/list, rule 5): a text that was
 * written for one person alone stays as it is, although a label may happen to occur in it.
 */
function texts({ message = '', holders, replacing }: BatchRequest) {
  const finishText = finisher({ flash: false, replacing });
  const finish = (given: string): Result<BatchText> => {
    // Before all that looks at each of its characters.
    if (given.length > maxWrittenLength) return tooLong;
    const text = finishText(given);
    return text.ok ? { ok: true, value: { ...text.value, json: JSON.stringify(text.value.text) } } : text;
  };
  const isTooLong = message.length > maxWrittenLength;
  const fill = isTooLong ? () => message : compileSubstitution(message, holders);
  // Recipients with the same text mostly follow one another.
  let last: { readonly given: string; readonly text: Result<BatchText> } | undefined;
  return ({ m, s }: GivenRecipient): Result<BatchText> => {
    const given = m ?? fill(s ?? []);
    if (last?.given !== given) last = { given, text: finish(given) };
    return last.text;
  };
}

const tooLong = fault(
  'text_too_long',
  `The text has more than ${maxWrittenLength} characters, more than any SMS holds.`,
);

/** Of numbers that stand in a batch once, nothing is remembered. */
class SeenTexts {
  readonly #repeated: ReadonlySet<number>;
  readonly #seen = new Set<string>();

  constructor(repeated: ReadonlySet<number>) {
    this.#repeated = repeated;
  }

  isFirst(number: string, text: string): boolean {
    if (this.#repeated.size === 0 || !this.#repeated.has(Number(number))) return true;
    // A number has only digits and a digest one length, so that no two pairs have one key.
    const key = `${number}:${text.length <= 40 ? text : createHash('sha256').update(text).digest('base64')}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
