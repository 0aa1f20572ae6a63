/** Finds the parts of an e-mail in one pass, without decoding anything that nobody will read (RFC 2046 5.1). */
import { type ContentType, firstToken, parseContentType } from './content-type.ts';
import { fieldValue, type MailHeader, readHeader, withoutOuterSpace } from './header-fields.ts';
import { maxDelimiters, maxDepth, maxParts, maxWordingLength } from './reading-bounds.ts';

export interface Part {
  readonly header: MailHeader;
  readonly contentType: ContentType;
  /** Still transfer-encoded. */
  readonly body: Uint8Array;
  /** Empty unless it is a multipart. */
  readonly children: readonly Part[];
}

/** At most 70 characters are allowed (RFC 2046 5.1.1). */
const maxBoundaryLength = 200;

interface OpenPart {
  header: MailHeader;
  contentType: ContentType;
  bodyStart: number;
  bodyEnd: number;
  children: OpenPart[];
  /**
   * The delimiter, including its two hyphens. Undefined for a part that is not a multipart, or is nested too deep to be
   * read as one.
   */
  delimiter: Buffer | undefined;
}

const lf = 0x0a;
const cr = 0x0d;
const hyphen = 0x2d;

/** Yields a step for each part and for each range of octets. `header` is that of the e-mail. */
export function* readParts(octets: Uint8Array, header: MailHeader): Generator<void, Part> {
  const view = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  const root = open(view, 0, header, 0);
  /** The multiparts around the current position, outermost first. */
  const around: OpenPart[] = root.delimiter === undefined ? [] : [root];
  /** The part that the current octets belong to. Undefined before and after parts. */
  let current: OpenPart | undefined = root;
  let at = root.bodyStart;
  let parts = 1;
  let delimiters = 0;
  while (around.length > 0 && parts < maxParts && delimiters < maxDelimiters) {
    const line = yield* nextCandidate(view, at);
    if (line < 0) break;
    delimiters += 1;
    const newline = view.indexOf(lf, line);
    const lineEnd = newline < 0 ? view.length : newline;
    const found = delimiterAt(view, line, lineEnd, around);
    at = lineEnd;
    if (found === undefined) continue;
    close(current, view, line);
    // Multiparts nested deeper end with this delimiter, closed or not.
    for (const deeper of around.splice(found.level + 1)) close(deeper, view, line);
    if (found.isLast) {
      close(around.pop(), view, line);
      current = undefined;
      continue;
    }
    yield;
    const start = Math.min(lineEnd + 1, view.length);
    current = open(view, start, readHeader(view.subarray(start), { isPart: true }), around.length);
    around.at(-1)?.children.push(current);
    parts += 1;
    if (current.delimiter !== undefined) around.push(current);
    // The line end before the body may also be the one before a delimiter.
    at = current.bodyStart - 1;
  }
  return finished(root, view);
}

function open(view: Buffer, start: number, header: MailHeader, depth: number): OpenPart {
  const contentType = parseContentType(fieldValue(header, 'content-type'));
  // RFC 2046 5.1.1: a boundary does not end in a space.
  const boundary = withoutOuterSpace(contentType.parameter('boundary') ?? '');
  const isMultipart =
    contentType.type.startsWith('multipart/') &&
    boundary !== '' &&
    boundary.length <= maxBoundaryLength &&
    depth < maxDepth;
  return {
    header,
    contentType,
    bodyStart: start + header.bodyStart,
    bodyEnd: view.length,
    children: [],
    delimiter: isMultipart ? Buffer.from(`--${boundary}`, 'latin1') : undefined,
  };
}

/** The amount searched per step. */
const range = 256 * 1024;

/** Finds the next line that begins with two hyphens. `from` is the end of a line or the beginning of a body. */
function* nextCandidate(view: Buffer, from: number): Generator<void, number> {
  const isLine = (at: number) => view[at] === hyphen && view[at + 1] === hyphen;
  if (isLine(from) && (from === 0 || view[from - 1] === lf)) return from;
  for (let at = Math.max(from, 0); at < view.length; ) {
    const end = Math.min(at + range, view.length);
    for (; at < end; at += 1) if (view[at] === lf && isLine(at + 1)) return at + 1;
    if (at < view.length) yield;
  }
  return -1;
}

/** RFC 2046 5.1.1: white space may follow a delimiter. If several delimiters match, the innermost counts. */
function delimiterAt(
  view: Buffer,
  line: number,
  lineEnd: number,
  around: readonly OpenPart[],
): { level: number; isLast: boolean } | undefined {
  for (let level = around.length - 1; level >= 0; level -= 1) {
    const delimiter = around[level]?.delimiter;
    if (delimiter === undefined) continue;
    const end = endOfDelimiter(view, line, lineEnd, delimiter);
    if (end === undefined) continue;
    let behind = end;
    const isLast = view[behind] === hyphen && view[behind + 1] === hyphen;
    if (isLast) behind += 2;
    if (lineEnd - behind > maxTrailingBlanks) continue;
    while (behind < lineEnd && isBlank(view[behind])) behind += 1;
    if (behind >= lineEnd) return { level, isLast };
  }
  return undefined;
}

/**
 * Returns the position after the delimiter at the start of the line. Any white space in the delimiter matches any
 * other, or none: if the parameter was folded (RFC 5322 2.2.3), the field has a tab instead of the boundary's space, as
 * Notes writes it (`=_alternative 0031AB42C1258A11_=`), or an extra space.
 */
function endOfDelimiter(view: Buffer, line: number, lineEnd: number, delimiter: Buffer): number | undefined {
  let at = line;
  let index = 0;
  while (index < delimiter.length) {
    if (isBlank(delimiter[index])) {
      while (index < delimiter.length && isBlank(delimiter[index])) index += 1;
      while (at < lineEnd && isBlank(view[at])) at += 1;
    } else if (at < lineEnd && view[at] === delimiter[index]) {
      at += 1;
      index += 1;
    } else {
      return undefined;
    }
  }
  return at;
}

const maxTrailingBlanks = 100;

function isBlank(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x09 || octet === cr;
}

/** The line end before a delimiter belongs to the delimiter. */
function close(part: OpenPart | undefined, view: Buffer, line: number): void {
  if (part === undefined || part.bodyEnd !== view.length) return;
  let end = line;
  if (view[end - 1] === lf) end -= view[end - 2] === cr ? 2 : 1;
  part.bodyEnd = Math.max(part.bodyStart, end);
}

function finished(part: OpenPart, view: Buffer): Part {
  return {
    header: part.header,
    contentType: part.contentType,
    body: view.subarray(part.bodyStart, part.bodyEnd),
    children: part.children.map((child) => finished(child, view)),
  };
}

/**
 * Whether the part is an attachment rather than text to read: it has a file name or declares itself an attachment (RFC
 * 2183).
 */
export function isAttachment(part: Part): boolean {
  const disposition = fieldValue(part.header, 'content-disposition');
  const named =
    ['name', 'name*', 'name*0', 'name*0*'].some((name) => part.contentType.parameter(name) !== undefined) ||
    /\bfilename\b/i.test((disposition ?? '').slice(0, maxWordingLength));
  return firstToken(disposition) === 'attachment' || named;
}
