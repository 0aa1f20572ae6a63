/** Decodes the words by which fields say what ASCII can't (RFC 2047), as forgivingly as the text of a mail. */
import { decodeText } from './charset.ts';
import { beginsAnew } from './stateful-charset.ts';
import { base64Decoded, quotedPrintableDecoded } from './transfer-encoding.ts';

/** RFC 2047 2 allows 75 characters, and no white space; programs write more, and RFC 2231 5 adds a language. */
const encodedWord = /=\?([\w.:+-]{1,60})(?:\*[\w-]{1,20})?\?([bq])\?([^?]{0,2000})\?=/gi;

interface Word {
  readonly charset: string;
  readonly octets: Uint8Array;
}

export function decodeWords(text: string): string {
  let decoded = '';
  let at = 0;
  /** Those that follow one another in one character set: a character may begin in one and end in the next. */
  let words: Word[] = [];
  const finish = () => {
    decoded += decodeText(Buffer.concat(words.map(({ octets }) => octets)), words[0]?.charset);
    words = [];
  };
  for (const match of text.matchAll(encodedWord)) {
    const [whole, label = '', encoding = '', content = ''] = match;
    const between = text.slice(at, match.index);
    const charset = label.toLowerCase();
    // RFC 2047 6.2: white space between two of them is not shown.
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
