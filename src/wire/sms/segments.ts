/** Splits a text into SMS parts, and counts them without splitting. The count determines what a message costs. */
import { septetCount, septetsOf } from './gsm7.ts';

export type Encoding = 'gsm7' | 'ucs2';

export interface Segments {
  /** A single character outside GSM-7 puts the whole message, in all of its parts, into UCS-2 (API: Limits). */
  readonly encoding: Encoding;
  /** At least one part. Joined, the parts are the text. */
  readonly parts: readonly string[];
}

/**
 * A part holds 140 octets, which are 160 septets or 70 UTF-16 code units. In a message of several parts, each begins with a
 * concatenation header of 6 octets, the one with an 8-bit reference (3GPP TS 23.040 9.2.3.24.1).
 */
const singleSeptets = 160;
const multipartSeptets = 153;
const singleUnits = 70;
const multipartUnits = 67;

/** The header counts the parts in one octet. */
export const maxParts = 255;

/** The capacity of the longest SMS, in septets. */
export const longestText = maxParts * multipartSeptets;

export function segment(text: string): Segments {
  const septets = septetCount(text);
  const encoding = septets === -1 ? 'ucs2' : 'gsm7';
  if (fitsOnePart(text, septets)) return { encoding, parts: [text] };
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPart(text, start, septets);
    parts.push(text.slice(start, end));
    start = end;
  }
  return { encoding, parts };
}

/** Returns `segment(text).parts.length` without allocating anything. */
export function countParts(text: string): number {
  const septets = septetCount(text);
  if (fitsOnePart(text, septets)) return 1;
  if (septets === text.length) return Math.ceil(septets / multipartSeptets);
  let count = 0;
  for (let start = 0; start < text.length; count++) start = endOfPart(text, start, septets);
  return count;
}

/** Returns the capacity of this many parts, in septets or UTF-16 code units, if no character crosses a part boundary. */
export function firstUnitsOf(parts: number, encoding: Encoding): number {
  if (encoding === 'gsm7') return parts === 1 ? singleSeptets : parts * multipartSeptets;
  return parts === 1 ? singleUnits : parts * multipartUnits;
}

/** Whether the text and a concatenation header fit one SMS. A header with a reference of 16 bits takes an octet more. */
export function fitsWithHeader(text: string, isLong: boolean): boolean {
  const septets = septetCount(text);
  const taken = isLong ? 1 : 0;
  return septets === -1 ? text.length <= multipartUnits - taken : septets <= multipartSeptets - taken;
}

function fitsOnePart(text: string, septets: number): boolean {
  return septets === -1 ? text.length <= singleUnits : septets <= singleSeptets;
}

/** Returns the end of the part that begins at `start`. `septets` is the count of the whole text. */
function endOfPart(text: string, start: number, septets: number): number {
  if (septets === -1) return endOfUcs2Part(text, start);
  if (septets === text.length) return Math.min(start + multipartSeptets, text.length);
  return endOfExtendedPart(text, start);
}

/** An extension character that would cross the boundary moves to the next part whole, with its escape. */
function endOfExtendedPart(text: string, start: number): number {
  let septets = 0;
  let end = start;
  while (end < text.length) {
    septets += septetsOf[text.charCodeAt(end)]!;
    if (septets > multipartSeptets) break;
    end++;
  }
  return end;
}

/** A surrogate pair that would cross the boundary moves to the next part whole. */
function endOfUcs2Part(text: string, start: number): number {
  const end = start + multipartUnits;
  if (end >= text.length) return text.length;
  const splitsPair = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
  return splitsPair ? end - 1 : end;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/**
 * For a text that should be cut rather than refused: returns the longest beginning that fits in this many parts,
 * without white space at the cut. A beginning never needs more parts than the whole text, so binary search finds it.
 * Only the text that is cut off may have required UCS-2.
 */
export function fitParts(text: string, parts: number): string {
  if (countParts(text) <= parts) return text;
  let fits = 0;
  let tooLong = text.length;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (countParts(text.slice(0, middle)) <= parts) fits = middle;
    else tooLong = middle;
  }
  // Half a surrogate pair is not a character.
  return text
    .slice(0, fits)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}
