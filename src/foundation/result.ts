/** An expected end is a value: what a rule gives back when its input may be wrong through no fault of the program. */

import { type ErrorCode, ServiceError, type Told } from './errors.ts';
import { inEnglish, type Sentence } from './sentences.ts';

export type Result<Value> = Success<Value> | Fault;

export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** Its sentence is one that the caller of the service can act on. */
export interface Fault extends Told {
  readonly ok: false;
}

export function success<Value>(value: Value): Success<Value> {
  return { ok: true, value };
}

/** `values` are those of the sentence that a text holds. */
export function fault(code: ErrorCode, said: string | Sentence, values?: Sentence): Fault {
  return typeof said === 'string'
    ? { ok: false, code, error: said, values }
    : { ok: false, code, error: inEnglish(said), values: said };
}

/** For a fault of the call as a whole. */
export function orThrow<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new ServiceError(result.code, result.error, { values: result.values });
}

const quotedLength = 40;

/** The caller's own text, quoted for a sentence and cut, so that an answer never grows with its input. */
export function quoted(text: string): string {
  if (text.length <= quotedLength) return `“${text}”`;
  // A cut between the halves of a surrogate pair would leave text that is not Unicode.
  return `“${text.slice(0, quotedLength).replace(/[\uD800-\uDBFF]$/, '')}…”`;
}
