/** Converts senders and recipients to SMPP address fields: type of number, numbering plan and text (SMPP 3.4 5.2.5 ff.). */
import { decodeGsm7, encodeGsm7, isGsm7 } from '../sms/gsm7.ts';
import { charactersOf, type DefaultAlphabet } from './alphabet.ts';

/** addr_ton and addr_npi (SMPP 3.4 5.2.5, 5.2.6). */
export interface TonNpi {
  readonly ton: number;
  readonly npi: number;
}

export interface Address extends TonNpi {
  readonly address: string;
}

/** The form that a carrier wants for each kind of address. */
export interface AddressForms {
  readonly alphanumeric: TonNpi;
  readonly international: TonNpi;
  readonly short: TonNpi;
  /** Senders with at most this many digits are short codes. */
  readonly shortCodeDigits: number;
  readonly recipient: TonNpi;
  /** The alphabet used for names. */
  readonly alphabet: DefaultAlphabet;
}

/** The forms that most carriers accept. Some want 0/1 or 0/0 for short codes. */
export const defaultAddressForms: AddressForms = {
  alphanumeric: { ton: 5, npi: 0 },
  international: { ton: 1, npi: 1 },
  short: { ton: 3, npi: 0 },
  shortCodeDigits: 6,
  recipient: { ton: 1, npi: 1 },
  alphabet: 'gsm7',
};

const alphanumericTon = 5;
const allDigits = /^[0-9]+$/;

/** Numbers consist of digits only, even international ones, because the type of number replaces the plus sign. */
export function senderAddress(sender: string, forms: AddressForms): Address {
  if (!allDigits.test(sender)) return { ...forms.alphanumeric, address: encodeName(sender, forms.alphabet) };
  const form = sender.length <= forms.shortCodeDigits ? forms.short : forms.international;
  return { ...form, address: sender };
}

export function recipientAddress(recipient: string, forms: AddressForms): Address {
  return { ...forms.recipient, address: recipient };
}

/**
 * An address that came in a PDU: the name in its alphabet, a number as it was written. A name cannot hold an `@`, which
 * is 0x00 in GSM-7 and ends the field.
 */
export function readAddress(ton: number, address: string, alphabet: DefaultAlphabet): string {
  if (ton !== alphanumericTon || charactersOf(alphabet) !== 'gsm7') return address;
  return decodeGsm7(Buffer.from(address, 'latin1'));
}

/** Each character of the result is one octet of the field. Characters that the alphabet lacks become question marks. */
function encodeName(name: string, alphabet: DefaultAlphabet): string {
  if (charactersOf(alphabet) === 'gsm7') {
    const known = isGsm7(name) ? name : Array.from(name, (one) => (isGsm7(one) ? one : '?')).join('');
    return Buffer.from(encodeGsm7(known.replaceAll('@', '?'))).toString('latin1');
  }
  return Array.from(name, (one) => inAlphabet(one, alphabet)).join('');
}

function inAlphabet(character: string, alphabet: DefaultAlphabet): string {
  const max = alphabet === 'latin1' ? 0xff : 0x7f;
  if (character.length === 1 && character.charCodeAt(0) <= max) return character;
  const plain = character.normalize('NFD').charAt(0);
  return plain.charCodeAt(0) <= max ? plain : '?';
}
