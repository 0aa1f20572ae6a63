/** Determines what kind of sender a text is, and whether networks would accept it (API: /send, `from`). */

import { type Fault, fault, quoted, type Result, success } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import { hasDecimals, withoutSeparators } from './phone-number.ts';

export interface Sender {
  readonly kind: 'alphanumeric' | 'number';
  readonly value: string;
}

const maxCharacters = 11;
const minDigits = 3;
const maxDigits = 15;

/**
 * The letters, digits and everyday signs of the GSM 7-bit default alphabet (3GPP TS 23.038 6.2.1); each takes one
 * septet, and an address field holds 11 of them (3GPP TS 23.040 9.1.2.5). Left out are `@`, which is 0x00 there and
 * would end the zero-terminated `source_addr` (SMPP 3.4, 5.2.8), and characters that networks and handsets tend to
 * change or drop: the Greek capitals, signs of currency, double quotes, brackets of the extension table.
 */
const alphanumeric = /^[A-Za-z0-9ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùü &.,_!?'+/():#*-]+$/;

export function parseSender(text: string): Result<Sender> {
  const trimmed = text.trim();
  if (trimmed === '') return invalid({ sentence: 'is_empty' });
  if (trimmed.length > 4 * maxDigits) return invalid({ sentence: 'sender_long', sender: quoted(trimmed) });
  if (hasDecimals(trimmed)) return invalid({ sentence: 'sender_decimals', sender: quoted(trimmed) });
  // The international prefix 00 is equivalent to the plus sign. No network accepts either in an address.
  const digits = withoutSeparators(trimmed).replace(/^00/, '');
  if (/^[0-9]+$/.test(digits)) return number(trimmed, digits);
  return name(trimmed.normalize('NFC'));
}

function number(written: string, digits: string): Result<Sender> {
  if (digits.length >= minDigits && digits.length <= maxDigits) {
    return success({ kind: 'number', value: digits });
  }
  return invalid({ sentence: 'sender_digits', sender: quoted(written), digits: digits.length });
}

function name(text: string): Result<Sender> {
  const length = Array.from(text).length;
  if (length > maxCharacters) {
    return invalid({ sentence: 'sender_characters', sender: quoted(text), characters: length });
  }
  if (!alphanumeric.test(text)) {
    const foreign = Array.from(text).find((character) => !alphanumeric.test(character)) ?? '';
    return invalid({ sentence: 'sender_character', sender: quoted(text), character: quoted(foreign) });
  }
  if (!/[\p{Letter}0-9]/u.test(text)) {
    return invalid({ sentence: 'sender_signs', sender: quoted(text) });
  }
  return success({ kind: 'alphanumeric', value: text });
}

function invalid(reason: Sentence): Fault {
  return fault('invalid_sender', { sentence: 'sender_wrong', why: storedReason(reason) });
}
