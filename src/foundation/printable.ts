/** What others have named or written reaches a terminal as text only: nothing in it moves, colours, hides or reorders. */

/**
 * Controls, with all that begins an escape sequence; what sets the direction of writing, or is not seen; ends of lines
 * and paragraphs; halves of surrogate pairs. Joiners (U+200C, U+200D) belong to scripts and emoji.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu;

/** On one line; what is no text is shown by its number, as in JSON. */
export function printable(text: string): string {
  return text.replace(unprintable, escapeUnits);
}

/** In quotes, where a text may have spaces at its ends, or nothing in it. */
export function quotedPrintable(text: string): string {
  return printable(JSON.stringify(text));
}

/** JSON that says the same. */
export function printableJson(value: unknown, indent?: number): string {
  // Line feeds that are left stand between values.
  return JSON.stringify(value, null, indent).replace(unprintable, (found) =>
    found === '\n' ? found : escapeUnits(found),
  );
}

function escapeUnits(found: string): string {
  const units = Array.from({ length: found.length }, (_, index) => found.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
