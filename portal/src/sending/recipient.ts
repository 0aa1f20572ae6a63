/** The recipients of a message, as typed, pasted or chosen. Pure. */
import { cleanNumber } from '../../../src/wire/phone-number.ts';
import { formatTagFilter, parseTagFilter } from '../../../src/wire/tag-filter.ts';

export interface Recipient {
  /** `filter` is a tag filter as it is written; `saved` is a filter saved under a name. */
  readonly kind: 'number' | 'filter' | 'saved' | 'group';
  /** The value as entered. */
  readonly value: string;
  /** The name of the person chosen by this value. */
  readonly name?: string;
}

/** Maximum number per call; more recipients belong in a batch. */
export const maxRecipients = 10_000;

/** What may separate two numbers: the cells and lines of a spreadsheet, or the commas and semicolons of a list. */
const separators = /[\t\r\n;,|]/;
/** A phone number as people write it. */
const likeNumber = /^[+(]{0,2}[0-9][0-9 .()/-]{4,60}$/;

/** Returns the pieces of a text that are not empty, whether they are numbers or not. */
export function piecesIn(text: string): readonly string[] {
  const pieces = text.split(separators).map((piece) => piece.replace(/[\u00A0\u2007\u202F]/g, ' ').trim());
  return pieces.filter((piece) => piece !== '');
}

/** Returns the numbers in a text, whatever surrounds them, and how many of its pieces are not numbers. */
export function numbersIn(text: string): { readonly numbers: readonly string[]; readonly others: number } {
  const pieces = piecesIn(text);
  const numbers = pieces.filter((piece) => likeNumber.test(piece));
  return { numbers, others: pieces.length - numbers.length };
}

function keyOf({ kind, value }: Recipient, countryCode: string | undefined): string {
  const number = kind === 'number' ? cleanNumber(value, countryCode) : undefined;
  return `${kind} ${number?.ok ? number.value : value}`;
}

/** Returns each recipient once, however it was written. */
export function joined(
  before: readonly Recipient[],
  more: readonly Recipient[],
  countryCode: string | undefined,
): readonly Recipient[] {
  const all = new Map(before.map((one) => [keyOf(one, countryCode), one]));
  for (const one of more) {
    const other = one.kind === 'filter' ? [...all].find(([, { kind }]) => kind === 'filter') : undefined;
    if (other !== undefined) {
      all.delete(other[0]);
      const both = { ...one, value: joinedFilters(other[1].value, one.value) };
      all.set(keyOf(both, countryCode), both);
      continue;
    }
    const key = keyOf(one, countryCode);
    if (!all.has(key)) all.set(key, one);
  }
  return [...all.values()];
}

/**
 * A call takes one filter (API: /send, rule 4). Another value of the same tag adds the people who have it; another tag keeps
 * only those who have both.
 */
function joinedFilters(before: string, more: string): string {
  const [one, other] = [parseTagFilter(before), parseTagFilter(more)];
  if (!one.ok || !other.ok) return more;
  const parts = new Map(one.value.map(({ tagType, tagValues }) => [tagType, tagValues]));
  for (const { tagType, tagValues } of other.value)
    parts.set(tagType, [...new Set([...(parts.get(tagType) ?? []), ...tagValues])]);
  return formatTagFilter([...parts].map(([tagType, tagValues]) => ({ tagType, tagValues })));
}

/** Such a number can only be interpreted with its country. */
export function isNational({ kind, value }: Recipient): boolean {
  return kind === 'number' && /^[^0-9+]{0,9}0[^0]/.test(value);
}
