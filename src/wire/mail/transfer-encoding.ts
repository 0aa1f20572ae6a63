/**
 * Decodes base64 and quoted-printable (RFC 2045 6.7, 6.8) in one pass over the octets, tolerating the errors of programs,
 * including in the encoded words for non-ASCII text in fields (RFC 2047). A library would work by lines and units, of which an
 * e-mail may have one per octet.
 */
import { beginsAnew, decodeText } from './charset.ts';

/**
 * Characters that are not digits are skipped. Padding ends a unit, and another may follow, because some programs pad each
 * line.
 */
export function base64Decoded(octets: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(Math.ceil((octets.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (const octet of octets) {
    const digit = base64Digits[octet] as number;
    if (digit !== noDigit) {
      held = ((held << 6) | digit) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      decoded[length] = held >> bits;
      length += 1;
    } else if (octet === equals) {
      bits = 0;
    }
  }
  return decoded.subarray(0, length);
}

const equals = 0x3d;
const cr = 0x0d;
const lf = 0x0a;

const noDigit = 0xff;

/** The value of each digit, by octet. */
function digitsOf(signs: string): Uint8Array {
  const digits = new Uint8Array(256).fill(noDigit);
  for (const [digit, sign] of [...signs].entries()) digits[sign.charCodeAt(0)] = digit;
  return digits;
}

const base64Digits = digitsOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

/** An equals sign that does not begin an escape is kept as a character. */
export function quotedPrintableDecoded(octets: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(octets.length);
  let length = 0;
  for (let at = 0; at < octets.length; at += 1) {
    let octet = octets[at] as number;
    if (octet === equals) {
      const lineEnd = softLineEnd(octets, at + 1);
      if (lineEnd !== undefined) {
        at = lineEnd;
        continue;
      }
      const high = hexDigits[octets[at + 1] ?? 0] as number;
      const low = hexDigits[octets[at + 2] ?? 0] as number;
      if (high !== noDigit && low !== noDigit) {
        octet = 16 * high + low;
        at += 2;
      }
    }
    decoded[length] = octet;
    length += 1;
  }
  return decoded.subarray(0, length);
}

/** Returns the last octet of the line end that follows, optionally after white space (RFC 2045 6.7, rule 3). */
function softLineEnd(octets: Uint8Array, from: number): number | undefined {
  let at = from;
  while (at < from + maxTrailingSpaces && (octets[at] === 0x20 || octets[at] === 0x09)) at += 1;
  if (octets[at] === cr && octets[at + 1] === lf) return at + 1;
  return at >= octets.length || octets[at] === lf ? at : undefined;
}

/** No line of quoted-printable is longer. */
const maxTrailingSpaces = 76;

const hexDigits = digitsOf('0123456789ABCDEF');
for (let digit = 10; digit < 16; digit += 1) hexDigits['a'.charCodeAt(0) + digit - 10] = digit;

/**
 * At most 75 characters and no white space are allowed (RFC 2047 2). Programs write more, and a language may be added
 * (RFC 2231 5).
 */
const encodedWord = /=\?([\w.:+-]{1,60})(?:\*[\w-]{1,20})?\?([bq])\?([^?]{0,2000})\?=/gi;

interface Word {
  readonly charset: string;
  readonly octets: Uint8Array;
}

export function decodeWords(text: string): string {
  let decoded = '';
  let at = 0;
  /** Consecutive words in the same character set, because a character may begin in one and end in the next. */
  let words: Word[] = [];
  const finish = () => {
    decoded += decodeText(Buffer.concat(words.map(({ octets }) => octets)), words[0]?.charset);
    words = [];
  };
  for (const match of text.matchAll(encodedWord)) {
    const [whole, label = '', encoding = '', content = ''] = match;
    const between = text.slice(at, match.index);
    const charset = label.toLowerCase();
    // RFC 2047 6.2: white space between two encoded words is not shown.
    const follows = words.length > 0 && between.trim() === '';
    if (words.length > 0 && !(follows && words[0]?.charset === charset && !beginsAnew(charset))) finish();
    if (!follows) decoded += between;
    words.push({ charset, octets: octetsOf(encoding, content) });
    at = match.index + whole.length;
  }
  if (words.length > 0) finish();
  return decoded + text.slice(at);
}

function octetsOf(encoding: string, content: string): Uint8Array {
  if (/b/i.test(encoding)) return base64Decoded(Buffer.from(content, 'latin1'));
  return quotedPrintableDecoded(Buffer.from(content.replaceAll('_', ' '), 'latin1'));
}
