/** Removes from a text the characters that nobody sees in an e-mail but that would cost money in an SMS. */

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these are about.

/** The line ends of Unicode (section 5.8), including the form feed, which in mail means a new line between pages. */
const lineEnds = /\r\n?|[\x0B\f\x85\u2028\u2029]/g;
const controls = /[\0-\x08\x0E-\x1F\x7F-\x84\x86-\x9F]/g;

// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

/** These look like a space, and a single one of them limits every SMS of the text to 70 characters. */
const spaces = /[\t\u00A0\u1680\u2000-\u200A\u202F\u205F]/g;

/** Never shown in any text: soft hyphen, grapheme joiner, zero width space, word joiner and the like, BOM. */
const invisible = /[\u00AD\u180E\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB]|\u034F/g;

/**
 * Not shown in scripts with separate letters written left to right. Elsewhere, they are parts of emoji and of other
 * scripts.
 */
const joinersAndMarks =
  /[\u061C\u200C-\u200F\u202A-\u202E\u2066-\u2069]|[\uFE00-\uFE0F]|[\u{E0020}-\u{E007F}]/gu;
const needsJoinersAndMarks =
  /\p{Extended_Pictographic}|[\u20E3\u0590-\u08FF\u0900-\u0DFF\u0F00-\u109F\u1780-\u18AF\uFB1D-\uFDFF\uFE70-\uFEFC\u3400-\u9FFF]/u;

/**
 * - Trailing white space is removed at the ends of lines and of the text, and a single blank line remains of several in a
 *   row.
 */
export function cleanText(text: string): string {
  return visible(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, index, lines) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .trim();
}

/** Returns a single line, for a subject. */
export function cleanLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

function visible(text: string): string {
  const plain = text
    .replace(lineEnds, '\n')
    .replace(spaces, ' ')
    .replace(controls, '')
    .replace(invisible, '');
  return needsJoinersAndMarks.test(plain) ? plain : plain.replace(joinersAndMarks, '');
}
