/** Converts any string into a text that an SMS, a phone and the store can hold. Ordinary texts are left unchanged. */

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these are about.

/**
 * Characters that must be removed or replaced, and surrogates, which need a closer look. An ordinary text has none and needs
 * no further work.
 */
const suspect = /[\0-\x09\x0B\r\x0E-\x1F\x7F-\x9F\u2028\u2029\uFEFF\uD800-\uDFFF]/;

/**
 * The line ends of Unicode (section 5.8), except the form feed, which is a GSM-7 character and so may be intended by the
 * sender.
 */
const lineEnds = /\r\n?|[\x0B\x85\u2028\u2029]/g;

/**
 * Neither GSM-7 nor any phone supports these characters. PostgreSQL refuses NUL, and an ESC would start an escape
 * sequence.
 */
const controls = /[\0-\x08\x0E-\x1F\x7F-\x9F\uFEFF]/g;

// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

/**
 * - Lone surrogates become U+FFFD before anything else happens, so that no removal turns two halves into a pair.
 * - CR LF, CR, and the rarer line ends (VT, NEL, U+2028, U+2029) become LF.
 * - A tab becomes a space.
 * - Other control characters (C0 except LF and FF, DEL, C1) and the byte order mark U+FEFF are removed. Normalising the
 *   text again changes nothing.
 */
export function normaliseText(text: string): string {
  if (!suspect.test(text)) return text;
  return replaceLoneSurrogates(text).replace(lineEnds, '\n').replaceAll('\t', ' ').replace(controls, '');
}

const loneSurrogates = /\p{Surrogate}/gu;

/** With the `u` flag, a pair is one code point, so the class matches only unpaired halves. */
export function replaceLoneSurrogates(text: string): string {
  return text.replace(loneSurrogates, '\uFFFD');
}
