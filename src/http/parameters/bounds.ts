/** Length limits for the texts of a request and size limits for its lists, checked before anything else about them. */
import type { ErrorCode } from '../../foundation/errors.ts';
import { type Fault, fault } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Faults } from './faults.ts';

/** In characters, for texts that need no more. */
export const standardMaxLength = 1_000;

/** In characters: one outside the Basic Multilingual Plane counts once. */
export interface LengthBounds {
  readonly min?: number;
  readonly max: number;
  /** The code for a text outside these bounds; `invalid_value` by default. */
  readonly code?: ErrorCode;
}

/**
 * For a text that is too long or too short or holds something that cannot be stored; the sentence continues after its name.
 */
export function faultOfText(text: string, { min = 0, max, code }: LengthBounds): Fault | undefined {
  if (text.length > max || text.length < 2 * min) {
    // Characters of a far too long text are not counted.
    const length = text.length > 2 * max ? text.length : countCharacters(text);
    if (length < min || length > max) return fault(code ?? 'invalid_value', lengthSentence(min, max, length));
  }
  // PostgreSQL cannot store this character.
  return text.includes('\0') ? fault('invalid_value', { sentence: 'null_character' }) : undefined;
}

/** Whether the text is within the bounds; adds a fault if not. */
export function isTextAllowed(text: string, bounds: LengthBounds, field: string, faults: Faults): boolean {
  const found = faultOfText(text, bounds);
  if (found !== undefined) faults.add(field, found.code, found.error, found.values);
  return found === undefined;
}

/** Whether a list may be read at all; adds a fault if not. */
export function isCountAllowed(count: number, maxItems: number, field: string, faults: Faults): boolean {
  if (count <= maxItems) return true;
  faults.add(field, 'invalid_value', { sentence: 'items_at_most', most: maxItems, items: count });
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
