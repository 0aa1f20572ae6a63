/** Converts texts to the octets of a short message and back, according to data_coding (SMPP 3.4 5.2.19; 3GPP TS 23.038 4). */

import { decodeGsm7, encodeGsm7 } from '../sms/gsm7.ts';
import { decodeNational, type NationalLanguages } from '../sms/national-gsm7.ts';
import { replaceLoneSurrogates } from '../sms/normalise.ts';
import type { Encoding } from '../sms/segments.ts';
import { asWindows1252 } from '../windows-1252.ts';
import { partedEscape } from './concatenation.ts';

/**
 * How an SMSC interprets octets with data_coding 0, its "default alphabet". GSM-7 has one septet per octet, unless the SMSC
 * wants it packed as phones do. PDU addresses, and texts with other values of data_coding, are never packed.
 */
export const defaultAlphabets = ['gsm7', 'gsm7-packed', 'latin1', 'ascii'] as const;
export type DefaultAlphabet = (typeof defaultAlphabets)[number];

/** The characters of a default alphabet, regardless of how septets are stored in octets. */
export function charactersOf(alphabet: DefaultAlphabet): Exclude<DefaultAlphabet, 'gsm7-packed'> {
  return alphabet === 'gsm7-packed' ? 'gsm7' : alphabet;
}

/** Whether texts with this data_coding are packed septets. */
export function isPacked(coding: number, alphabet: DefaultAlphabet): boolean {
  return coding === dataCoding.smscDefault && alphabet === 'gsm7-packed';
}

/** The data_coding values that we send. */
export const dataCoding = {
  smscDefault: 0x00,
  latin1: 0x03,
  ucs2: 0x08,
  /** Class 0 is shown at once and not stored. SMPP names 0xF0. For UCS-2, only the general group has class 0. */
  flashGsm7: 0xf0,
  flashUcs2: 0x18,
} as const;

export interface EncodedText {
  readonly dataCoding: number;
  readonly octets: Uint8Array;
}

/**
 * The octets that an SMS holds, and those that one of several parts holds beside its header (3GPP TS 23.040
 * 9.2.3.24.1).
 */
const maxSingleOctets = 140;
const maxPartOctets = 134;

/**
 * Encodes the text of a part. A message class requires GSM-7 or UCS-2, whatever the default alphabet is. A GSM-7 text with
 * characters that the default alphabet lacks is sent as Latin-1 or, failing that, as UCS-2 if it fits the part.
 * Characters that still don't fit become question marks, because the message has been split and paid for by septets and
 * cannot grow. Septets are not packed here, because that requires the length of the header.
 */
export function encodeText(
  text: string,
  { encoding, flash, parts }: { encoding: Encoding; flash: boolean; parts: number },
  alphabet: DefaultAlphabet,
): EncodedText {
  if (encoding === 'ucs2')
    return { dataCoding: flash ? dataCoding.flashUcs2 : dataCoding.ucs2, octets: encodeUcs2(text) };
  if (flash) return { dataCoding: dataCoding.flashGsm7, octets: encodeGsm7(text) };
  const characters = charactersOf(alphabet);
  if (characters === 'gsm7') return { dataCoding: dataCoding.smscDefault, octets: encodeGsm7(text) };
  const isDefault = characters === 'latin1' ? !beyondLatin1.test(text) : !beyondAscii.test(text);
  if (isDefault) return { dataCoding: dataCoding.smscDefault, octets: Buffer.from(text, 'latin1') };
  if (!beyondLatin1.test(text)) return { dataCoding: dataCoding.latin1, octets: Buffer.from(text, 'latin1') };
  const maxOctets = parts === 1 ? maxSingleOctets : maxPartOctets;
  if (2 * text.length <= maxOctets) return { dataCoding: dataCoding.ucs2, octets: encodeUcs2(text) };
  const replaced = text.replace(everyBeyondLatin1, '?');
  return {
    dataCoding: characters === 'latin1' ? dataCoding.smscDefault : dataCoding.latin1,
    octets: Buffer.from(replaced, 'latin1'),
  };
}

const beyondLatin1 = /[^\0-\xff]/;
const everyBeyondLatin1 = /[^\0-\xff]/g;
const beyondAscii = /[^\0-\x7f]/;

type Alphabet =
  | ReturnType<typeof charactersOf>
  | 'ucs2'
  | 'binary'
  | 'iso-8859-5'
  | 'iso-8859-8'
  | 'shift_jis'
  | 'iso-2022-jp'
  | 'euc-kr';

/** SMPP's own values, 0x00 to 0x0E (SMPP 3.4 5.2.19), which are not the general group of 3GPP TS 23.038. */
const smppAlphabets: ReadonlyMap<number, Alphabet> = new Map([
  [0x01, 'ascii'],
  [0x02, 'binary'],
  [0x03, 'latin1'],
  [0x04, 'binary'],
  [0x05, 'shift_jis'],
  [0x06, 'iso-8859-5'],
  [0x07, 'iso-8859-8'],
  [0x08, 'ucs2'],
  [0x09, 'binary'],
  [0x0a, 'iso-2022-jp'],
  [0x0d, 'binary'],
  [0x0e, 'euc-kr'],
]);

/**
 * Higher values are the groups of 3GPP TS 23.038 4: the general group and the group of messages to delete (00xx, 01xx),
 * with or without a class, message waiting (1100, 1101, 1110), data coding and class (1111). Reserved values are read
 * as GSM-7.
 */
function alphabetOf(coding: number, smscDefault: DefaultAlphabet): Alphabet {
  if (coding < 0x10) return smppAlphabets.get(coding) ?? charactersOf(smscDefault);
  if (coding < 0x80) return (coding & 0x20) !== 0 ? 'binary' : generalAlphabets[(coding >> 2) & 3]!;
  if (coding >= 0xf0) return (coding & 0x04) !== 0 ? 'binary' : 'gsm7';
  return coding >= 0xe0 ? 'ucs2' : 'gsm7';
}

/** Indexed by bits 3 and 2. Bit 5 before them marks compressed text, which is treated as binary. */
const generalAlphabets = ['gsm7', 'binary', 'ucs2', 'gsm7'] as const;

/** Class 0 of the general group, or of the group with data coding and class. */
export function isFlashCoding(coding: number): boolean {
  const hasClass = coding >= 0xf0 || (coding >= 0x10 && coding < 0x80 && (coding & 0x10) !== 0);
  return hasClass && (coding & 3) === 0;
}

/** Whether the octets are neither a text nor 8-bit data that is printable ASCII. */
export function isData(octets: Uint8Array, coding: number): boolean {
  return alphabetOf(coding, 'gsm7') === 'binary' && printable(octets) === undefined;
}

/** The minimum number of octets per character. */
export function octetsPerCharacter(coding: number, smscDefault: DefaultAlphabet): 1 | 2 {
  return alphabetOf(coding, smscDefault) === 'ucs2' ? 2 : 1;
}

/**
 * Decodes octets sent by a phone, whatever they are. Binary content is shown as text if it is printable ASCII, since some
 * carriers mark plain text as binary, and otherwise in hexadecimal. NUL is removed, because it shows nothing and databases
 * refuse it. If a text `continues` in other parts, everything that `joinPartTexts` needs is kept: a split escape, half a
 * surrogate pair, a byte order mark. Packed septets have already been unpacked. `languages` are those named in the header of
 * a GSM-7 text.
 */
export function decodeText(
  octets: Uint8Array,
  coding: number,
  smscDefault: DefaultAlphabet,
  continues = false,
  languages?: NationalLanguages,
): string {
  const alphabet = alphabetOf(coding, smscDefault);
  switch (alphabet) {
    case 'gsm7':
      return continues && endsInEscape(octets)
        ? decodeSeptets(octets.subarray(0, -1), languages) + partedEscape(languages)
        : decodeSeptets(octets, languages);
    case 'ucs2':
      return visible(continues ? decodeUtf16(octets) : decodeUcs2(octets));
    case 'ascii':
    case 'latin1':
      // IA5 has 7 bits. A sender that uses the eighth bit means Latin-1, and a sender that says Latin-1 means
      // windows-1252.
      return visible(asWindows1252(Buffer.from(octets).toString('latin1')));
    case 'binary':
      return printable(octets) ?? Buffer.from(octets).toString('hex').toUpperCase();
    default:
      return visible(new TextDecoder(alphabet).decode(octets));
  }
}

function decodeSeptets(septets: Uint8Array, languages: NationalLanguages | undefined): string {
  return languages === undefined ? decodeGsm7(septets) : decodeNational(septets, languages);
}

/** A pair of escapes is a space, so only an odd escape waits for more (3GPP TS 23.038 6.2.1.1). */
function endsInEscape(octets: Uint8Array): boolean {
  let start = octets.length;
  while (start > 0 && octets[start - 1] === 0x1b) start--;
  return (octets.length - start) % 2 === 1;
}

function decodeUtf16(octets: Uint8Array): string {
  const whole = octets.length & ~1;
  const text = Buffer.from(octets.subarray(0, whole)).swap16().toString('utf16le');
  return whole === octets.length ? text : `${text}\uFFFD`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these two are what it takes out.
const hidden = /[\0\x1b]/g;

function visible(text: string): string {
  return text.replace(hidden, '');
}

/** Some peers end the text with a NUL. */
function printable(octets: Uint8Array): string | undefined {
  const text = Buffer.from(octets).toString('latin1').replace(/\0$/, '');
  return /^[\t\n\r -~]*$/.test(text) ? text : undefined;
}

/** Big-endian UTF-16, which is how SMSCs and phones interpret UCS-2 (3GPP TS 23.038 6.2.3). */
export function encodeUcs2(text: string): Uint8Array {
  return Buffer.from(replaceLoneSurrogates(text), 'utf16le').swap16();
}

/**
 * A last octet without its other half becomes U+FFFD, as does a lone surrogate. Join the parts of a long message first,
 * because some senders split surrogate pairs. If there is a byte order mark, it determines the order and is not part of the
 * text (RFC 2781 3.2).
 */
export function decodeUcs2(octets: Uint8Array): string {
  const whole = octets.length & ~1;
  const isSwapped = octets[0] === 0xff && octets[1] === 0xfe;
  const isMarked = isSwapped || (octets[0] === 0xfe && octets[1] === 0xff);
  const units = Buffer.from(octets.subarray(isMarked ? 2 : 0, whole));
  const text = (isSwapped ? units : units.swap16()).toString('utf16le');
  return replaceLoneSurrogates(text) + (whole === octets.length ? '' : '\uFFFD');
}
