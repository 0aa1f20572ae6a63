/** Turns octets of a mail into text, whatever their character set is said to be, or is without anybody saying so. */
import iconv from 'iconv-lite';
import { maxRareOctets } from './reading-bounds.ts';
import { statefulDecoder } from './stateful-charset.ts';

/**
 * A label is believed unless the octets contradict it: UTF-8 that is none was written by a program of one octet a
 * character, which is windows-1252 nearly always; and what is said to be Latin-1 or ASCII but is UTF-8 with characters of
 * several octets is UTF-8, since no text of Latin-1 looks like that by chance. An octet that was lost on the way, or cut
 * off at the end, changes nothing in that.
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

/** What programs say that do not know better. */
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

/** Undefined when it is not UTF-8. */
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
 * The superset of Latin-1 and ASCII that the Encoding Standard reads both as. Not by the platform's decoder: that of
 * Node 20 reads what it calls windows-1252 as Latin-1, and so loses the euro and all dashes and curved quotation marks.
 */
function westernText(octets: Uint8Array): string {
  return iconv.decode(bufferOf(octets), 'windows-1252');
}

function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}

/** The platform's decoders follow the Encoding Standard; iconv-lite knows more names, UTF-7 and the DOS code pages. */
function decoderFor(charset: string): ((octets: Uint8Array) => string) | undefined {
  const stateful = statefulDecoder(charset);
  if (stateful !== undefined) return stateful;
  try {
    const decoder = new TextDecoder(charset);
    // An octet too many, such as a line end that was added on the way, is none of its characters.
    const isOdd = (octets: Uint8Array) => decoder.encoding.startsWith('utf-16') && octets.length % 2 === 1;
    return (octets) => decoder.decode(isOdd(octets) ? octets.subarray(0, -1) : octets);
  } catch {
    if (!iconv.encodingExists(charset) || binary.has(charset.replace(/[^a-z0-9]/g, ''))) return undefined;
    return (octets) => iconv.decode(bufferOf(octets.subarray(0, maxRareOctets)), charset);
  }
}

/** Names that iconv-lite takes for ways to write octets as text. */
const binary: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'buffer', 'internal']);
