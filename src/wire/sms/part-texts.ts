/**
 * The texts of the parts of a long message as they are kept until all have come: a part may end in half a character, and
 * only the first tells the order of octets. What is missing for that stands in the text, and is taken out of it here.
 */
import { escapedCharacter, type NationalLanguages, noLanguages } from './national-gsm7.ts';

const escapeSign = '\u001b';
/** Where the tables of an escape are not the default ones, a character for private use behind it names them. */
const firstTables = 0xf700;

/** Stands at the end of a part whose last septet is an escape: the character is in the next part. */
export function partedEscape({ locking, single }: NationalLanguages = noLanguages): string {
  if (locking === 0 && single === 0) return escapeSign;
  return escapeSign + String.fromCharCode(firstTables + (locking & 15) * 16 + (single & 15));
}

/** UCS-2 in the other order of octets begins so. */
const swappedMark = '\uFFFE';
const orderMark = '\uFEFF';

const everyPartedEscape = new RegExp(`${escapeSign}([\\uF700-\\uF7FF]?)([^]?)`, 'g');

/** In their order. A lone half of a surrogate pair stays one; `atEnd` is what an escape with nothing behind it becomes. */
export function joinPartTexts(texts: readonly string[], atEnd = ''): string {
  const isSwapped = texts[0]?.startsWith(swappedMark) ?? false;
  const ordered = texts.map((text) => inOrder(text, isSwapped));
  return ordered
    .join('')
    .replace(everyPartedEscape, (_, tables: string, character: string) =>
      character === '' ? atEnd : escapedCharacter(character, languagesOf(tables)),
    );
}

function languagesOf(tables: string): NationalLanguages {
  if (tables === '') return noLanguages;
  const number = tables.charCodeAt(0) - firstTables;
  return { locking: number >> 4, single: number & 15 };
}

/** Most senders write the mark once, before the first part; some before each. */
function inOrder(text: string, isSwapped: boolean): string {
  if (text.startsWith(orderMark)) return text.slice(1);
  if (text.startsWith(swappedMark)) return swapped(text.slice(1));
  return isSwapped ? swapped(text) : text;
}

function swapped(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('utf16le');
}
