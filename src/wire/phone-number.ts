/** Turns a phone number as people write it into the digits that the service stores (API: /send, `to`). */

import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';

// ITU-T E.164 allows 15 digits; below 7 there are only short codes, which are no recipients.
const minDigits = 7;
const maxDigits = 15;
/** Fifteen digits with separators around each, and no more: the work on one number stays small. */
const maxWrittenLength = 100;

/** A `defaultCountryCode` takes the place of a single leading zero; it has passed `isCountryCode`. */
export function cleanNumber(raw: string, defaultCountryCode?: string): Result<string> {
  if (isInternationalNumber(raw)) return success(raw);
  if (raw.length > maxWrittenLength) return invalid(raw, `is longer than ${maxWrittenLength} characters`);
  const digits = withoutSeparators(raw);
  let number = digits;
  if (digits.startsWith('00')) {
    number = digits.slice(2);
  } else if (digits.startsWith('0')) {
    if (defaultCountryCode === undefined) {
      return invalid(raw, 'begins with 0 and no default country code was given');
    }
    number = defaultCountryCode + digits.slice(1);
  }
  return isInternationalNumber(number) ? success(number) : invalid(raw, reasonAgainst(number));
}

export function isCountryCode(text: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(text);
}

/** Digits only, the country code first. A loop, since nearly every number of a big batch ends here. */
export function isInternationalNumber(text: string): boolean {
  const length = text.length;
  if (length < minDigits || length > maxDigits || text.charCodeAt(0) === 0x30) return false;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** As it is dialled within most countries: `0701740620` of `46701740620`. Calling codes are those of ITU-T E.164. */
export function nationalForm(number: string): string {
  const code = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/.exec(number)?.[0];
  return `0${number.slice(code?.length ?? 3)}`;
}

/** Digits that a network gave us, with the prefix of international calls before them (ITU-T E.123) or without. */
export function withoutPrefix(digits: string): string {
  const number = digits.startsWith('00') ? digits.slice(2) : '';
  return isInternationalNumber(number) ? number : digits;
}

/**
 * The forms of one number that networks rewrite into each other, the given one first. Mexico had a 1 behind its country
 * code for calls to mobile phones until 2019, and Argentina still has a 9 there: it is part of what is dialled from abroad,
 * not of the number, and either is written with it or without.
 */
export function formsOf(number: string): readonly string[] {
  const found = /^(52)(1?)([2-9][0-9]{9})$/.exec(number) ?? /^(54)(9?)([1-8][0-9]{9})$/.exec(number);
  if (found === null) return [number];
  const [, country, digit, national] = found;
  if (digit !== '') return [number, `${country}${national}`];
  return [number, `${country}${country === '52' ? '1' : '9'}${national}`];
}

/**
 * Drops what people put between digits: plus signs, white space (the no-break kinds too), full stops, parentheses,
 * hyphens and the dashes that word processors make of them, and the invisible marks that come along when a number
 * is copied from an address book.
 */
export function withoutSeparators(text: string): string {
  return text.replace(/[+\s.()\p{Dash_Punctuation}\u2212\p{Format}]/gu, '');
}

function reasonAgainst(number: string): string {
  const foreign = /[^0-9]/u.exec(number);
  if (foreign !== null) return `holds ${quoted(foreign[0])}, which no phone number has`;
  if (number === '') return 'has no digits';
  if (number.startsWith('0')) return 'still begins with 0 after the prefix was dropped';
  return `has ${number.length} ${number.length === 1 ? 'digit' : 'digits'}`;
}

function invalid(raw: string, reason: string): Fault {
  return fault(
    'invalid_number',
    `${quoted(raw)} ${reason}. A phone number is ${minDigits} to ${maxDigits} digits that begin with its country code.`,
  );
}
