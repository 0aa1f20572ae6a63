/** Expected failures as values: what a rule returns if its input may be wrong through no fault of the program. */

import { type ErrorCode, type ErrorContent, ServiceError } from './errors.ts';
import { inEnglish, type Sentence, storedReason } from './sentences.ts';

export type Result<Value> = Success<Value> | Fault;

export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** The fault's sentence must be one that the caller of the service can act on. */
export interface Fault extends ErrorContent {
  readonly ok: false;
}

export function success<Value>(value: Value): Success<Value> {
  return { ok: true, value };
}

/** `values` belong to the sentence contained in a text. */
export function fault(code: ErrorCode, said: string | Sentence, values?: Sentence): Fault {
  return typeof said === 'string'
    ? { ok: false, code, error: said, values }
    : { ok: false, code, error: inEnglish(said), values: said };
}

/** Judges each of several texts, and drops duplicates. */
export function eachOf<Item>(
  items: readonly string[],
  rule: (item: string) => Result<Item>,
): Result<readonly Item[]> {
  const kept = new Set<Item>();
  for (const item of items) {
    const result = rule(item);
    if (!result.ok) return result;
    kept.add(result.value);
  }
  return success([...kept]);
}

/** What is wrong, as a value of another sentence. */
export function why({ error, values }: ErrorContent): string {
  return values === undefined ? error : storedReason(values);
}

/** For callers to which a fault means that the whole call fails. */
export function orThrow<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new ServiceError(result.code, result.error, { values: result.values });
}

const quotedLength = 40;

/** The caller's own text, quoted for a sentence and truncated, so that a response never grows with its input. */
export function quoted(text: string): string {
  if (text.length <= quotedLength) return `“${text}”`;
  // Cutting a surrogate pair in half would leave invalid Unicode.
  return `“${text.slice(0, quotedLength).replace(/[\uD800-\uDBFF]$/, '')}…”`;
}
