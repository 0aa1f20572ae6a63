/**
 * GSM-7 as it goes over the air: eight septets in seven octets, the first in the lowest bits (3GPP TS 23.038 6.1.2.1).
 * Behind a user data header the septets begin at a multiple of seven bits, header included (3GPP TS 23.040 9.2.3.24).
 */

const carriageReturn = 0x0d;
const commercialAt = 0x00;

/** What an SMS holds, header included. */
const maxOctets = 140;

/**
 * A PDU counts octets, so that seven spare bits look like another septet, an `@`. They hold a carriage return instead,
 * as USSD has it (3GPP TS 23.038 6.1.2.3.1): nobody sees one at the end of a text.
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
 * Where the last septet may be seven spare bits, a carriage return is taken for such, and so is an `@`, for senders that
 * leave the bits empty; but not in an SMS that is full, or longer than one:
 * ours hold a carriage return there.
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
