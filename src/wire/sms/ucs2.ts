/** UCS-2 text as octets: UTF-16 in big-endian order, which is what SMSCs and phones make of it (3GPP TS 23.038 6.2.3). */

const loneSurrogates = /\p{Surrogate}/gu;

/** With the `u` flag a pair is one code point, so that the class holds only halves without their other half. */
export function replaceLoneSurrogates(text: string): string {
  return text.replace(loneSurrogates, '\uFFFD');
}

export function encodeUcs2(text: string): Uint8Array {
  return Buffer.from(replaceLoneSurrogates(text), 'utf16le').swap16();
}

/**
 * A last octet without its other half becomes U+FFFD, as a lone surrogate does. Join the parts of a long message
 * first: some senders split surrogate pairs. A byte order mark tells the order where a sender writes one, and is no text
 * (RFC 2781 3.2).
 */
export function decodeUcs2(octets: Uint8Array): string {
  const whole = octets.length & ~1;
  const isSwapped = octets[0] === 0xff && octets[1] === 0xfe;
  const isMarked = isSwapped || (octets[0] === 0xfe && octets[1] === 0xff);
  const units = Buffer.from(octets.subarray(isMarked ? 2 : 0, whole));
  const text = (isSwapped ? units : units.swap16()).toString('utf16le');
  return replaceLoneSurrogates(text) + (whole === octets.length ? '' : '\uFFFD');
}
