/** Makes of any string a text that an SMS, a phone and the store can hold, and leaves every ordinary text as it is. */

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these are about.

/** What cannot stay, and surrogates, for which a closer look is needed. An ordinary text has none and is done. */
const suspect = /[\0-\x09\x0B\r\x0E-\x1F\x7F-\x9F\u2028\u2029\uFEFF\uD800-\uDFFF]/;

/** The line ends of Unicode 5.8, save the form feed: that one is a character of GSM-7, and so the sender's own. */
const lineEnds = /\r\n?|[\x0B\x85\u2028\u2029]/g;

/** Neither GSM-7 nor any phone knows them; PostgreSQL refuses NUL, and an ESC would start an escape sequence. */
const controls = /[\0-\x08\x0E-\x1F\x7F-\x9F\uFEFF]/g;

// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

/**
 * - Lone surrogates become U+FFFD, before all else, so that no removal makes a pair of two halves.
 * - CR LF, CR, and the rarer line ends (VT, NEL, U+2028, U+2029) become LF.
 * - A tab becomes a space.
 * - Other control characters (C0 save LF and FF, DEL, C1) and the byte order mark U+FEFF are removed.
 *
 * Applying it again changes nothing.
 */
export function normaliseText(text: string): string {
  if (!suspect.test(text)) return text;
  return replaceLoneSurrogates(text).replace(lineEnds, '\n').replaceAll('\t', ' ').replace(controls, '');
}

const loneSurrogates = /\p{Surrogate}/gu;

/** With the `u` flag a pair is one code point, so that the class holds only halves without their other half. */
export function replaceLoneSurrogates(text: string): string {
  return text.replace(loneSurrogates, '\uFFFD');
}
