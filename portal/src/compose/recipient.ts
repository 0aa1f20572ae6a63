/** Whom a message goes to, as somebody typed, pasted or chose it. Pure. */
import { cleanNumber } from '../../../src/wire/phone-number.ts';
import { formatTagFilter, parseTagFilter } from '../../../src/wire/tag-filter.ts';

export interface Recipient {
  /** `filter`: a tag filter as it is written; `saved`: one that is saved under a name. */
  readonly kind: 'number' | 'filter' | 'saved' | 'group';
  /** As it was given. */
  readonly value: string;
  /** Of whoever was chosen by it. */
  readonly name?: string;
}

/** Of one call; more belong into a batch. */
export const maxRecipients = 10_000;

/** What may stand between two numbers: the cells and lines of a spreadsheet, commas and semicolons of a list. */
const separators = /[\t\r\n;,|]/;
/** What people write in a number. */
const likeNumber = /^[+(]{0,2}[0-9][0-9 .()/-]{4,60}$/;

/** The numbers in a text, whatever stands around them, and how many pieces of it are none. */
export function numbersIn(text: string): { readonly numbers: readonly string[]; readonly others: number } {
  const pieces = text.split(separators).map((piece) => piece.replace(/[\u00A0\u2007\u202F]/g, ' ').trim());
  const filled = pieces.filter((piece) => piece !== '');
  const numbers = filled.filter((piece) => likeNumber.test(piece));
  return { numbers, others: filled.length - numbers.length };
}

function keyOf({ kind, value }: Recipient, countryCode: string): string {
  const number = kind === 'number' ? cleanNumber(value, countryCode || undefined) : undefined;
  return `${kind} ${number?.ok ? number.value : value}`;
}

/** Each once, however it was written. */
export function joined(
  before: readonly Recipient[],
  more: readonly Recipient[],
  countryCode: string,
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
 * A call takes one filter (API: /send, rule 4). Another value of the same tag adds those who have it; another tag leaves
 * those who have both.
 */
function joinedFilters(before: string, more: string): string {
  const [one, other] = [parseTagFilter(before), parseTagFilter(more)];
  if (!one.ok || !other.ok) return more;
  const parts = new Map(one.value.map(({ tagType, tagValues }) => [tagType, tagValues]));
  for (const { tagType, tagValues } of other.value)
    parts.set(tagType, [...new Set([...(parts.get(tagType) ?? []), ...tagValues])]);
  return formatTagFilter([...parts].map(([tagType, tagValues]) => ({ tagType, tagValues })));
}

/** Only the country that it is of could tell where it leads. */
export function isNational({ kind, value }: Recipient): boolean {
  return kind === 'number' && /^[^0-9+]{0,9}0[^0]/.test(value);
}
