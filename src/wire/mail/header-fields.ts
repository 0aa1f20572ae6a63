/**
 * Reads an e-mail's header once for everything that needs it, so that what is verified and what is used can't be
 * different fields.
 */
import {
  maxHeaderFields,
  maxHeaderLines,
  maxHeaderOctets,
  maxPartHeaderFields,
  maxPartHeaderLines,
  maxPartHeaderOctets,
} from './reading-bounds.ts';

export interface HeaderField {
  /** In lower case, without the white space before the colon that was once allowed (RFC 5322 4.5). */
  readonly name: string;
  /** Unfolded, with one character per octet (Latin-1). `decodeText` returns its actual text. */
  readonly value: string;
  /** The field's position in the octets, up to and including its line end. */
  readonly start: number;
  readonly end: number;
}

export interface MailHeader {
  readonly fields: readonly HeaderField[];
  /** The start of the body, after the first empty line. */
  readonly bodyStart: number;
  /** What makes the header improper (RFC 5322 2.2), as the end of a sentence. The surrounding fields are still read. */
  readonly fault: string | undefined;
}

/** Anything beyond these limits is ignored. */
const ofMail = { octets: maxHeaderOctets, fields: maxHeaderFields, lines: maxHeaderLines };
const ofPart = { octets: maxPartHeaderOctets, fields: maxPartHeaderFields, lines: maxPartHeaderLines };

const lf = 0x0a;
const cr = 0x0d;

/** RFC 5322 2.2: printable ASCII except the colon. 4.5: white space before the colon is allowed. */
const fieldLine = /^([!-9;-~]+)[ \t]*:/;

/**
 * Reads the header before the first empty line. A part of an e-mail may have none, and its header ends before a line that
 * begins with two hyphens, which may be a delimiter (`isPart`). In a part, a single line feed also ends a line. In the e-mail's
 * header, it is a fault (RFC 5321 2.3.8), because servers on the way may have split lines only at CR LF, and may thus have read
 * a different From and a different end of the header.
 */
export function readHeader(octets: Uint8Array, options: { isPart?: boolean } = {}): MailHeader {
  const most = options.isPart ? ofPart : ofMail;
  const looked = Math.min(octets.byteLength, most.octets + 1);
  const view = Buffer.from(octets.buffer, octets.byteOffset, looked);
  const fields: { name: string; lines: string[]; start: number; end: number }[] = [];
  const faults = new Set<string>();
  const result = (bodyStart: number): MailHeader => ({
    fields: fields.map(({ name, lines, start, end }) => ({ name, value: unfold(lines), start, end })),
    bodyStart,
    fault: faults.values().next().value,
  });
  let at = 0;
  let lines = 0;
  while (at < view.length) {
    lines += 1;
    const newline = view.indexOf(lf, at);
    const end = newline < 0 ? view.length : newline + 1;
    const isCrLf = newline > at && view[newline - 1] === cr;
    const contentEnd = isCrLf ? newline - 1 : newline < 0 ? end : newline;
    if (newline >= 0 && !isCrLf && !options.isPart) faults.add('has a line that does not end in CR LF');
    if (contentEnd === at) return result(end);
    if (options.isPart && view[at] === 0x2d && view[at + 1] === 0x2d) return result(at);
    if (end > most.octets || fields.length > most.fields || lines > most.lines) {
      faults.add('is longer than an e-mail needs');
      return result(octets.length);
    }
    const line = view.toString('latin1', at, contentEnd);
    if (/[\0\r]/.test(line)) faults.add('contains a NUL, or a carriage return that does not end a line');
    const last = fields.at(-1);
    const name = fieldLine.exec(line)?.[1];
    if (last !== undefined && (line.startsWith(' ') || line.startsWith('\t'))) {
      last.lines.push(line);
      last.end = end;
    } else if (name !== undefined) {
      fields.push({ name: name.toLowerCase(), lines: [line.slice(line.indexOf(':') + 1)], start: at, end });
    } else {
      faults.add('has a line that is not a field');
    }
    at = end;
  }
  return result(view.length);
}

/** RFC 5322 2.2.3: only line ends are removed, and the white space after them stays. */
function unfold(lines: readonly string[]): string {
  return withoutOuterSpace(lines.join('').replace(/[\0\r]/g, ' '));
}

/** `trim` is not used because it treats the octet A0 as a space, and “à” ends with that octet in UTF-8. */
export function withoutOuterSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start += 1;
  while (end > start && isSpace(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

export function fieldValues(header: MailHeader, name: string): string[] {
  return header.fields.filter((field) => field.name === name).map(({ value }) => value);
}

/** If there are several, the first counts, because that is the one mail programs show. */
export function fieldValue(header: MailHeader, name: string): string | undefined {
  return header.fields.find((field) => field.name === name)?.value;
}
