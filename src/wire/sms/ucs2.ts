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
 * first: some senders split surrogate pairs.
 */
export function decodeUcs2(octets: Uint8Array): string {
  const whole = octets.length & ~1;
  const text = Buffer.from(octets.subarray(0, whole)).swap16().toString('utf16le');
  return replaceLoneSurrogates(text) + (whole === octets.length ? '' : '\uFFFD');
}
