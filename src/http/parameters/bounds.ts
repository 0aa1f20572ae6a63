/** How long the texts of a request may be and how much its lists may hold; looked at before anything else about them. */
import type { ErrorCode } from '../../foundation/errors.ts';
import { type Fault, fault } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Faults } from './faults.ts';

/** Of a text that needs no more, in characters. */
export const standardMaxLength = 1_000;

/** In characters: one outside the Basic Multilingual Plane counts once. */
export interface LengthBounds {
  readonly min?: number;
  readonly max: number;
  /** Of the fault of a text without such a length; `invalid_value` unless told. */
  readonly code?: ErrorCode;
}

/** Of a text that is too long or too short, or holds what no store keeps; the sentence goes on after its name. */
export function faultOfText(text: string, { min = 0, max, code }: LengthBounds): Fault | undefined {
  if (text.length > max || text.length < 2 * min) {
    // What is far too long is not gone through to be counted.
    const length = text.length > 2 * max ? text.length : countCharacters(text);
    if (length < min || length > max) return fault(code ?? 'invalid_value', lengthSentence(min, max, length));
  }
  // PostgreSQL has no such character.
  return text.includes('\0') ? fault('invalid_value', 'must not hold the character U+0000.') : undefined;
}

/** With a fault added when not. */
export function isTextAllowed(text: string, bounds: LengthBounds, field: string, faults: Faults): boolean {
  const found = faultOfText(text, bounds);
  if (found !== undefined) faults.add(field, found.code, found.error, found.values);
  return found === undefined;
}

/** Whether a list is to be read at all; with a fault added when not. */
export function isCountAllowed(count: number, maxItems: number, field: string, faults: Faults): boolean {
  if (count <= maxItems) return true;
  faults.add(field, 'invalid_value', `must have at most ${maxItems} items, but has ${count}.`);
  return false;
}

function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (isPair) pairs += 1;
  }
  return text.length - pairs;
}

function lengthSentence(fewest: number, most: number, length: number): Sentence {
  if (fewest === 0) return { sentence: 'length_at_most', most, length };
  if (fewest === most) return { sentence: 'length_exactly', exactly: most, length };
  return { sentence: 'length_between', fewest, most, length };
}
