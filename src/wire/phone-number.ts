/** Converts a phone number as people write it into the digits that the service stores (API: /send, `to`). */

import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';

// ITU-T E.164 allows 15 digits. Below 7 there are only short codes, which can't be recipients.
const minDigits = 7;
const maxDigits = 15;
/** Enough for fifteen digits with separators around each; limits the work per number. */
const maxWrittenLength = 100;

/** `defaultCountryCode` replaces a single leading zero. It has already passed `isCountryCode`. */
export function cleanNumber(raw: string, defaultCountryCode?: string): Result<string> {
  if (isInternationalNumber(raw)) return success(raw);
  if (raw.length > maxWrittenLength)
    return invalid({ sentence: 'number_long', number: quoted(raw), most: maxWrittenLength });
  const decimals = raw.includes('.') ? decimalsOf(raw) : undefined;
  if (decimals !== undefined) return invalid(decimalsSentence(raw, decimals));
  const written = raw.includes('(') ? withoutTrunkZero(raw) : raw;
  const digits = withoutSeparators(written);
  let number = digits;
  if (digits.startsWith('00')) {
    number = digits.slice(2);
  } else if (digits.startsWith('0')) {
    if (defaultCountryCode === undefined) {
      return invalid({ sentence: 'number_national', number: quoted(raw) });
    }
    number = defaultCountryCode + digits.slice(1);
  }
  return isInternationalNumber(number) ? success(number) : invalid(faultOf(raw, number));
}

const trunkZero = /\(\s*0\s*\)/u;
/**
 * Calling codes of countries where a 0 is dialled before a national number and no number begins with a 0, except some service
 * numbers that begin with several zeros. These are the codes that libphonenumber-js knows.
 */
const trunkCodes =
  /^(?:2[07]|3[123]|4[013469]|5[134578]|6[0-4]|66|8[1246]|9[0-58]|21[1238]|23[1-4]|24[39]|25[012456]|26[0-5]|291|35[3589]|37[0347]|38[01235679]|389|42[13]|508|59[013-68]|686|85[056]|88[06]|96[1-467]|97[01267]|99[456])$/;

/**
 * `+46 (0)70` shows how the number is dialled both within the country and from abroad. The 0 is dialled only within the
 * country.
 */
function withoutTrunkZero(raw: string): string {
  const found = trunkZero.exec(raw);
  if (found === null) return raw;
  const code = withoutSeparators(raw.slice(0, found.index)).replace(/^00/, '');
  const rest = withoutSeparators(raw.slice(found.index + found[0].length));
  // In Rwanda, satellite numbers have eight digits that begin with 06.
  const hasZero = rest.startsWith('0') || (code === '250' && /^6[0-9]{6}$/.test(rest));
  return trunkCodes.test(code) && !hasZero ? code + rest : raw;
}

/**
 * The country code that replaces a single leading zero: that of the call, if it gives one, otherwise that of the caller's
 * company.
 */
export function countryCodeOf(
  { countryCode }: { readonly countryCode?: string | undefined },
  given?: string,
): string | undefined {
  return given || countryCode;
}

export function isCountryCode(text: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(text);
}

/** Digits only, with the country code first. Uses a loop, because it checks nearly every number of a large batch. */
export function isInternationalNumber(text: string): boolean {
  const length = text.length;
  if (length < minDigits || length > maxDigits || text.charCodeAt(0) === 0x30) return false;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/**
 * Returns the number as dialled within most countries: `0701740620` for `46701740620`. Calling codes are those of ITU-T
 * E.164.
 */
export function nationalForm(number: string): string {
  return `0${number.slice(callingCodeOf(number).length)}`;
}

export function callingCodeOf(number: string): string {
  const short = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/.exec(number)?.[0];
  return short ?? number.slice(0, 3);
}

/** Returns the digits of a number from a network, which may have the prefix for international calls (ITU-T E.123). */
export function withoutPrefix(digits: string): string {
  const number = digits.startsWith('00') ? digits.slice(2) : '';
  return isInternationalNumber(number) ? number : digits;
}

/**
 * Returns the forms of one number that networks rewrite into each other, the given one first. Until 2019, Mexico had a 1
 * after its country code for calls to mobile phones, and Argentina still has a 9 there. The digit is dialled from abroad but
 * is not part of the number, and numbers of both countries are written with it or without it.
 */
export function formsOf(number: string): readonly string[] {
  const found = /^(52)(1?)([2-9][0-9]{9})$/.exec(number) ?? /^(54)(9?)([1-8][0-9]{9})$/.exec(number);
  if (found === null) return [number];
  const [, country, digit, national] = found;
  if (digit !== '') return [number, `${country}${national}`];
  return [number, `${country}${country === '52' ? '1' : '9'}${national}`];
}

/**
 * Removes what people put between digits: plus signs, white space (including no-break kinds), full stops, parentheses,
 * hyphens and the dashes that word processors make of them, and the invisible characters that are copied along with a number
 * from an address book.
 */
export function withoutSeparators(text: string): string {
  return text.replace(/[+\s.()\p{Dash_Punctuation}\u2212\p{Format}]/gu, '');
}

function faultOf(raw: string, digits: string): Sentence {
  const number = quoted(raw);
  if (shortened.test(raw.trim())) return { sentence: 'number_shortened', number };
  const decimals = decimalsOf(raw);
  if (decimals !== undefined) return decimalsSentence(raw, decimals);
  const foreign = /[^0-9]/u.exec(digits);
  if (foreign !== null) return { sentence: 'number_character', number, character: quoted(foreign[0]) };
  if (digits === '') return { sentence: 'number_empty', number };
  if (digits.startsWith('0')) return { sentence: 'number_zero', number };
  return { sentence: 'number_digits', number, digits: digits.length };
}

const digitsWithPoint = /^\+?([0-9]{3,15})[.,]([0-9]+)$/;
const onlyZerosBehindPoint = /^[^.,]*[.,]\s*0+$/;

interface Decimals {
  readonly number: string;
  readonly digits: string;
}

/**
 * Recognises a number that a program took for an amount: `4790601007.0`. People who write full stops between digits don't put
 * one after seven or more digits, before the last one or two. The program may have grouped the digits with white space.
 * Because people do that too, a grouped number has decimals only if they are all zeros.
 */
function decimalsOf(written: string): Decimals | undefined {
  const visible = written.replace(/\p{Format}/gu, '').trim();
  const amount = onlyZerosBehindPoint.test(visible) ? visible.replace(/\s/g, '') : visible;
  const [, number, digits] = digitsWithPoint.exec(amount) ?? [];
  if (number === undefined || digits === undefined) return undefined;
  const isFew = digits.length <= 2;
  const isZero = /^0+$/.test(digits);
  return (number.length < minDigits ? isFew && isZero : isFew || isZero) ? { number, digits } : undefined;
}

/** The form in which spreadsheets show numbers wider than their column, and programs write supposed floats: `4.67E+10`. */
const shortened = /^[+-]?[0-9]+(?:[.,][0-9]*)?[eE][+-]?[0-9]{1,3}$/;

/** Whether a text is a number with decimals. Without its full stop, it would be another number. */
export function hasDecimals(written: string): boolean {
  return written.includes('.') && decimalsOf(written) !== undefined;
}

function decimalsSentence(written: string, { digits }: Decimals): Sentence {
  const sign = written.includes('.') ? '.' : ',';
  const ending = `“${sign}${digits.slice(0, 10)}”`;
  return { sentence: 'number_decimals', number: quoted(written), ending };
}

/** Whether a text would be a number if its country were known: with any code of two digits, it is one. */
export function lacksCountryCode(written: string): boolean {
  return cleanNumber(written, '46').ok;
}

/**
 * For cells of a file: returns the number without the `.0` that a program has appended, if the `.0` can't be anything
 * else.
 */
export function withoutDecimals(cell: string): string {
  const decimals = decimalsOf(cell);
  if (decimals === undefined || /[^0]/.test(decimals.digits)) return cell;
  const { number, digits } = decimals;
  // Three or more zeros may be digits of the number, if the number is still possible with them.
  return digits.length <= 2 || number.length + digits.length > maxDigits ? number : cell;
}

function invalid(said: Sentence): Fault {
  return fault('invalid_number', said);
}
