/** Decodes the octets of an e-mail into text, with or without a correctly declared character set. */
import iconv from 'iconv-lite';
import { maxRareOctets } from './reading-bounds.ts';

/**
 * A label is believed unless the octets contradict it. Invalid UTF-8 was written by a program that uses one octet per
 * character, which is almost always windows-1252. Text labelled Latin-1 or ASCII that is valid UTF-8 with multi-octet
 * characters is UTF-8, because no Latin-1 text looks like that by chance. An octet lost on the way or cut off at the end does
 * not change this.
 */
export function decodeText(octets: Uint8Array, label = ''): string {
  const charset = label
    .slice(0, maxLabelLength)
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase();
  if (charset === '' || mayBeUtf8.has(charset)) return utf8Of(octets) ?? westernText(octets);
  const decode = decoderFor(charset);
  return decode === undefined ? (utf8Of(octets) ?? westernText(octets)) : decode(octets);
}

const maxLabelLength = 100;

/** Labels that programs use without knowing the actual character set. */
const mayBeUtf8: ReadonlySet<string> = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'ansi_x3.4-1968',
  'iso-8859-1',
  'iso8859-1',
  'latin1',
  'windows-1252',
  'cp1252',
  'unknown-8bit',
  'default',
  'default_charset',
]);

/** Undefined if the octets are not UTF-8. */
function utf8Of(octets: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8').decode(octets);
  let broken = 0;
  let beyondAscii = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) beyondAscii += 1;
  }
  return broken === 0 || beyondAscii >= 2 * broken ? text : undefined;
}

/**
 * Decodes windows-1252, the superset of Latin-1 and ASCII that the Encoding Standard uses for both. It does not use the
 * platform's decoder: Node 20 decodes windows-1252 as Latin-1, and so loses the euro and all dashes and curved quotation
 * marks.
 */
function westernText(octets: Uint8Array): string {
  return iconv.decode(bufferOf(octets), 'windows-1252');
}

function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}

/** The platform's decoders follow the Encoding Standard. iconv-lite knows more names, UTF-7 and the DOS code pages. */
function decoderFor(charset: string): ((octets: Uint8Array) => string) | undefined {
  const stateful = statefulDecoder(charset);
  if (stateful !== undefined) return stateful;
  try {
    const decoder = new TextDecoder(charset);
    // An extra octet, such as a line end added on the way, is not a character of the set.
    const isOdd = (octets: Uint8Array) => decoder.encoding.startsWith('utf-16') && octets.length % 2 === 1;
    return (octets) => decoder.decode(isOdd(octets) ? octets.subarray(0, -1) : octets);
  } catch {
    if (!iconv.encodingExists(charset) || binary.has(charset.replace(/[^a-z0-9]/g, ''))) return undefined;
    return (octets) => iconv.decode(bufferOf(octets.subarray(0, maxRareOctets)), charset);
  }
}

/** Names that iconv-lite takes for ways of writing octets as text. */
const binary: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'buffer', 'internal']);

/**
 * Returns a decoder for a character set in which octets change the meaning of later ones, in the forms that programs
 * write. Undefined for all others.
 */
function statefulDecoder(charset: string): ((octets: Uint8Array) => string) | undefined {
  return decoders.find(({ names }) => names.test(charset))?.decode;
}

/**
 * In these sets, each encoded word begins from the start state (RFC 2047 5, RFC 1468), whereas in others a character may
 * begin in one word and end in the next. ISO-2022-JP is excluded because `settled` can also read its words joined.
 */
export function beginsAnew(charset: string): boolean {
  return /^(iso-2022-kr|csiso2022kr|hz(-gb-2312)?|(unicode-1-1-)?utf-?7)$/.test(charset);
}

const decoders: readonly { names: RegExp; decode: (octets: Uint8Array) => string }[] = [
  {
    // Includes the names that programs use for the sets with NEC and IBM characters, which the Encoding Standard also has.
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
 * Rewrites ISO-2022-JP so that consecutive escapes become one, because the Encoding Standard turns them into a character that
 * cannot be shown (12.2.1, “output flag”). It also returns to ASCII at the end of each line (RFC 1468), which programs may
 * forget.
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
    // If the set was never changed, no return to ASCII is needed.
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

/**
 * RFC 1557: characters between SO and SI are KS C 5601, which EUC-KR writes with the high bit set. Both end at a line end.
 */
function koreanOf(octets: Uint8Array): Uint8Array {
  const written: number[] = [];
  let isShifted = false;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    // The designator adds nothing to the name of the set.
    if (octet === esc && octets[at + 1] === 0x24 && octets[at + 2] === 0x29) at += 3;
    else if (octet === 0x0e || octet === 0x0f) isShifted = octet === 0x0e;
    else {
      if (octet === lf) isShifted = false;
      written.push(isShifted && octet > 0x20 ? octet | 0x80 : octet);
    }
  }
  return Uint8Array.from(written);
}

/**
 * RFC 1843: characters between `~{` and `~}` are GB 2312. `~~` is a tilde, and a tilde at the end of a line joins it to the
 * next.
 */
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
