/** Reads character sets in which octets change what those behind them mean, as programs write them. */

/** Undefined when it is none of these. */
export function statefulDecoder(charset: string): ((octets: Uint8Array) => string) | undefined {
  return decoders.find(({ names }) => names.test(charset))?.decode;
}

/**
 * Each encoded word of them begins anew (RFC 2047 5, RFC 1468), while a character of others may begin in one word and end
 * in the next. Not ISO-2022-JP, which `settled` reads joined as well.
 */
export function beginsAnew(charset: string): boolean {
  return /^(iso-2022-kr|csiso2022kr|hz(-gb-2312)?|(unicode-1-1-)?utf-?7)$/.test(charset);
}

const decoders: readonly { names: RegExp; decode: (octets: Uint8Array) => string }[] = [
  {
    // With what programs call it that add the characters of NEC and IBM, which the Encoding Standard has as well.
    names: /^((cs)?iso-?2022-?jp(-[123]|-ms|-ext|-2004)?|cp5022[0-2]|windows-5022[0-2]|jis|csiso2022jp2)$/,
    decode: (octets) => new TextDecoder('iso-2022-jp').decode(settled(octets)),
  },
  { names: /^(cs)?iso-?2022-?kr$/, decode: (octets) => new TextDecoder('euc-kr').decode(koreanOf(octets)) },
  { names: /^hz(-gb-2312)?$/, decode: (octets) => new TextDecoder('gbk').decode(chineseOf(octets)) },
];

const esc = 0x1b;
const lf = 0x0a;
const cr = 0x0d;
const toAscii: readonly number[] = [esc, 0x28, 0x42];

/**
 * ISO-2022-JP with one escape where several follow one another, of which the Encoding Standard makes a character that cannot
 * be shown (12.2.1, “output flag”), and in ASCII at the end of each line (RFC 1468), as programs may forget.
 */
function settled(octets: Uint8Array): Uint8Array {
  const written: number[] = [];
  let waiting: readonly number[] = [];
  let isAscii = true;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const length = octet === esc ? escapeLength(octets, at) : 0;
    if (length > 0) {
      waiting = [...octets.subarray(at, at + length)];
      isAscii = waiting[1] === 0x28 && waiting[2] === 0x42;
      at += length - 1;
      continue;
    }
    if ((octet === cr || octet === lf) && !isAscii) {
      waiting = toAscii;
      isAscii = true;
    }
    // One that was never changed needs no way back.
    written.push(...waiting, octet);
    waiting = [];
  }
  return Uint8Array.from(written);
}

/** ECMA-35 14: `ESC ( F`, `ESC $ F` and `ESC $ ( F`. */
function escapeLength(octets: Uint8Array, at: number): number {
  if (octets[at + 1] === 0x28) return octets[at + 2] === undefined ? 0 : 3;
  if (octets[at + 1] !== 0x24) return 0;
  if (octets[at + 2] === 0x28) return octets[at + 3] === undefined ? 0 : 4;
  return octets[at + 2] === undefined ? 0 : 3;
}

/** RFC 1557: between SO and SI are characters of KS C 5601, which EUC-KR writes with the high bit; both return at a line end. */
function koreanOf(octets: Uint8Array): Uint8Array {
  const written: number[] = [];
  let isShifted = false;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    // The designator says nothing that the name of the set does not.
    if (octet === esc && octets[at + 1] === 0x24 && octets[at + 2] === 0x29) at += 3;
    else if (octet === 0x0e || octet === 0x0f) isShifted = octet === 0x0e;
    else {
      if (octet === lf) isShifted = false;
      written.push(isShifted && octet > 0x20 ? octet | 0x80 : octet);
    }
  }
  return Uint8Array.from(written);
}

/** RFC 1843: between `~{` and `~}` are characters of GB 2312; `~~` is a tilde, and one at the end of a line joins it. */
function chineseOf(octets: Uint8Array): Uint8Array {
  const written: number[] = [];
  const tilde = 0x7e;
  let isShifted = false;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const next = octets[at + 1];
    const isEscape = octet === tilde && next !== undefined && [0x7b, 0x7d, tilde, lf].includes(next);
    if (octet === lf) isShifted = false;
    if (!isEscape) {
      written.push(isShifted && octet > 0x20 ? octet | 0x80 : octet);
      // The second octet of a character may look like a tilde.
      if (isShifted && octet > 0x20 && next !== undefined && next > 0x20) {
        written.push(next | 0x80);
        at += 1;
      }
      continue;
    }
    at += 1;
    if (next === tilde) written.push(tilde);
    else if (next !== lf) isShifted = next === 0x7b;
  }
  return Uint8Array.from(written);
}
