/** The GSM 7 bit default alphabet: which texts it can carry, how long they are, and their septets. */

const escapeCode = 0x1b;

/** The default alphabet in code order, sixteen characters a row (3GPP TS 23.038 6.2.1). 0x1B is the escape. */
export const defaultAlphabet =
  '@£$¥èéùìòÇ\nØø\rÅå' +
  'Δ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ' +
  ' !"#¤%&\'()*+,-./' +
  '0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNO' +
  'PQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmno' +
  'pqrstuvwxyzäöñüà';

/** The basic extension table (3GPP TS 23.038 6.2.1.1), from the code after the escape to its character. */
export const extensionTable: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
]);

/**
 * The septets that each UTF-16 code unit takes: 1, 2 with the escape, or 0 if the alphabet lacks it. The table covers all
 * code units, so the loop over a text needs no bounds check.
 */
export const septetsOf = new Uint8Array(0x1_0000);
const codeOf = new Uint8Array(0x1_0000);

for (let code = 0; code < defaultAlphabet.length; code++) {
  if (code === escapeCode) continue;
  septetsOf[defaultAlphabet.charCodeAt(code)] = 1;
  codeOf[defaultAlphabet.charCodeAt(code)] = code;
}
for (const [code, character] of extensionTable) {
  septetsOf[character.charCodeAt(0)] = 2;
  codeOf[character.charCodeAt(0)] = code;
}

/**
 * Any character except the one-septet characters of ASCII, of which nearly all texts consist. The regular expression
 * engine scans 117 of them in 107 ns, a loop over the table in 155 ns.
 */
const beyondPlainAscii = /[^\n\r -Z_a-z]/;

/** Returns the length of the text in septets, where extension characters count two, or -1 if the alphabet cannot carry it. */
export function septetCount(text: string): number {
  const first = text.search(beyondPlainAscii);
  if (first === -1) return text.length;
  let septets = first;
  for (let i = first; i < text.length; i++) {
    const more = septetsOf[text.charCodeAt(i)]!;
    if (more === 0) return -1;
    septets += more;
  }
  return septets;
}

/** All characters of the alphabet are in the BMP, so the `length` of such a text is its number of characters. */
export function isGsm7(text: string): boolean {
  return septetCount(text) !== -1;
}

/** One septet per octet, as SMPP carries them. The caller has checked `isGsm7`. */
export function encodeGsm7(text: string): Uint8Array {
  const count = septetCount(text);
  if (count === -1) throw new RangeError('The text has characters outside GSM-7; encode it as UCS-2.');
  const septets = new Uint8Array(count);
  let end = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (septetsOf[unit] === 2) septets[end++] = escapeCode;
    septets[end++] = codeOf[unit]!;
  }
  return septets;
}

/**
 * An escape with a code that the extension table lacks shows the default alphabet's character for the code. A second escape,
 * or one with nothing after it, shows a space (3GPP TS 23.038 6.2.1 note 1, 6.2.1.1). An octet above 0x7F is not a septet and
 * becomes U+FFFD. Join the parts of a long message first, because some senders separate an escape from its code.
 */
export function decodeGsm7(septets: Uint8Array): string {
  return decodeLatin1(septets) ?? decodeAny(septets);
}

/**
 * Latin-1 octets by GSM-7 code, in the default alphabet and after an escape. 0 means that Latin-1 lacks the character.
 */
const latin1Of = new Uint8Array(256);
const escapedLatin1Of = new Uint8Array(256);

for (let unit = 1; unit <= 0xff; unit++) {
  if (septetsOf[unit] === 1) latin1Of[codeOf[unit]!] = unit;
  if (septetsOf[unit] === 2) escapedLatin1Of[codeOf[unit]!] = unit;
}

/** Nearly all texts are within Latin-1, and building a text from octets takes half the time of joining characters. */
function decodeLatin1(septets: Uint8Array): string | undefined {
  const octets = Buffer.allocUnsafe(septets.length);
  let end = 0;
  for (let i = 0; i < septets.length; i++) {
    const code = septets[i]!;
    const octet = code === escapeCode ? escapedLatin1Of[septets[++i] ?? escapeCode]! : latin1Of[code]!;
    if (octet === 0) return undefined;
    octets[end++] = octet;
  }
  return octets.toString('latin1', 0, end);
}

function decodeAny(septets: Uint8Array): string {
  let text = '';
  for (let i = 0; i < septets.length; i++) {
    const code = septets[i]!;
    text += code === escapeCode ? escaped(septets[++i]) : (defaultAlphabet[code] ?? '\uFFFD');
  }
  return text;
}

function escaped(code: number | undefined): string {
  if (code === undefined || code === escapeCode) return ' ';
  return extensionTable.get(code) ?? defaultAlphabet[code] ?? '\uFFFD';
}

/*
 * GSM-7 as sent over the air: eight septets in seven octets, the first in the lowest bits (3GPP TS 23.038 6.1.2.1). After a
 * user data header, the septets start at a multiple of seven bits, counted from the start of the header (3GPP TS 23.040
 * 9.2.3.24).
 */

const carriageReturn = 0x0d;
const commercialAt = 0x00;

/** The octets in an SMS, including the header. */
const maxOctets = 140;

/**
 * A PDU counts octets, so seven spare bits would look like another septet, an `@`. They hold a carriage return instead,
 * as in USSD (3GPP TS 23.038 6.1.2.3.1), which nobody sees at the end of a text.
 */
export function packSeptets(septets: Uint8Array, headerOctets: number): Uint8Array {
  const fillBits = fillBitsAfter(headerOctets);
  const bits = fillBits + 7 * septets.length;
  const octets = new Uint8Array(Math.ceil(bits / 8));
  septets.forEach((septet, index) => {
    place(octets, fillBits + 7 * index, septet);
  });
  if (bits % 8 === 1) place(octets, bits, carriageReturn);
  return octets;
}

function place(octets: Uint8Array, bit: number, septet: number): void {
  const [octet, shift] = [bit >> 3, bit & 7];
  octets[octet] = (octets[octet] ?? 0) | ((septet << shift) & 0xff);
  if (shift > 1) octets[octet + 1] = septet >> (8 - shift);
}

/**
 * If the last septet may be seven spare bits, a carriage return there is taken for them, and so is an `@`, since some
 * senders leave the bits empty; but an `@` is kept in a full SMS or one of several parts, since ours hold a carriage
 * return there.
 */
export function unpackSeptets(octets: Uint8Array, headerOctets: number): Uint8Array {
  const fillBits = fillBitsAfter(headerOctets);
  const bits = Math.max(0, 8 * octets.length - fillBits);
  const septets = Uint8Array.from({ length: Math.floor(bits / 7) }, (_, index) => {
    const bit = fillBits + 7 * index;
    const [octet, shift] = [bit >> 3, bit & 7];
    return (((octets[octet] ?? 0) | ((octets[octet + 1] ?? 0) << 8)) >> shift) & 0x7f;
  });
  const last = septets.at(-1);
  const isFull = headerOctets + octets.length >= maxOctets;
  const isSpare = last === carriageReturn || (last === commercialAt && !isFull);
  return bits % 7 === 0 && isSpare ? septets.subarray(0, -1) : septets;
}

function fillBitsAfter(headerOctets: number): number {
  return (7 - ((8 * headerOctets) % 7)) % 7;
}
