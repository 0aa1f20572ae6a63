/** Shortens a text to so many SMS parts, where it is to be cut rather than refused (API: email-to-SMS, `maxSms`). */
import { countParts } from './segments.ts';

/**
 * The longest beginning that fits, without the white space at its cut. A beginning never needs more parts than what it
 * begins, so that halving finds it: what is cut off may even have been all that needed UCS-2.
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
  // Half a surrogate pair is no character.
  return text
    .slice(0, fits)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
}
