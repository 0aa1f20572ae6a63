/** The text that the sender of a mail wrote, out of whatever parts it has (RFC 2046 5.1). */

import { decodeText } from './charset.ts';
import { cleanText } from './clean-text.ts';
import { firstToken } from './content-type.ts';
import { fieldValue } from './header-fields.ts';
import { htmlLines } from './html-lines.ts';
import type { Line } from './line-marks.ts';
import { type CutKind, type MailContext, ownLines } from './own-lines.ts';
import { isAttachment, type Part } from './parts.ts';
import { maxCharacters, maxLines, maxTextOctets } from './reading-bounds.ts';
import { base64Decoded, quotedPrintableDecoded } from './transfer-encoding.ts';

export interface MailText {
  /** Empty when there is nothing to send. */
  readonly text: string;
  readonly cut: readonly CutKind[];
  /** Why the text is empty, as the end of a sentence that begins with “It”; undefined when it is not. */
  readonly whyEmpty: string | undefined;
  /** So that neither its subject nor what stands beside is to be sent for it: the text is empty then. */
  readonly isEncrypted?: true;
}

/** What was come across on the way through the parts. */
interface Findings {
  /** The mail itself is its text, file name or not. */
  readonly root: Part;
  /** How many octets of parts may still be looked at. */
  octetsLeft: number;
  readonly cut: Set<CutKind>;
  hasEncrypted: boolean;
}

/** A step for each part, and more for what takes long. */
export function* mailText(root: Part, context: MailContext): Generator<void, MailText> {
  const findings: Findings = { root, octetsLeft: maxTextOctets, cut: new Set(), hasEncrypted: false };
  const all = withoutSignedArmor(yield* linesOf(root, findings));
  const own = yield* ownLines(all, context);
  yield;
  const isEncrypted = findings.hasEncrypted || holdsEncrypted(own.lines);
  const written = isEncrypted ? '' : own.lines.join('\n');
  if (written.length > maxCharacters) findings.cut.add('overlong');
  // A cut between the halves of a surrogate pair would leave text that is not Unicode.
  const text = cleanText(written.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, ''));
  const cut = [...new Set([...own.cut, ...findings.cut])];
  const whyEmpty = text === '' ? reasonFor(cut, isEncrypted) : undefined;
  return { text, cut, whyEmpty, ...(isEncrypted && { isEncrypted }) };
}

function reasonFor(cut: readonly CutKind[], isEncrypted: boolean): string {
  if (isEncrypted) return 'is encrypted';
  if (cut.includes('forward')) return 'holds nothing but a mail that is passed on';
  if (cut.includes('history') || cut.includes('quotation')) return 'holds nothing but what it quotes';
  if (cut.includes('signature') || cut.includes('mobile signature')) return 'holds nothing but a signature';
  if (cut.includes('gateway')) return 'holds nothing but lines that mail gateways add (mailCut)';
  return cut.includes('overlong') ? 'holds no text in what is looked at of so long a mail' : 'holds no text';
}

type LineSteps = Generator<void, readonly Line[]>;

function* linesOf(part: Part, findings: Findings): LineSteps {
  yield;
  const { type } = part.contentType;
  if (isEncrypted(part)) {
    findings.hasEncrypted = true;
    return [];
  }
  // One whose parts were not found has no text either: what is between them is for programs.
  if (part.children.length > 0) return yield* linesOfMultipart(part, findings);
  if (type === 'message/rfc822' || type === 'message/global') {
    findings.cut.add('forward');
    return [];
  }
  if (part !== findings.root && isAttachment(part)) return [];
  if (type === 'text/html') return yield* linesOfPage(part, findings);
  return type === 'text/plain' ? linesOfPlainText(part, findings) : [];
}

/**
 * RFC 3156 4, and what Exchange makes of it, a `multipart/mixed` of the same parts; RFC 8551 3.2.2: enveloped-data and
 * authEnveloped-data, which are what programs mean that don't say it; 3.9: by its name.
 */
function isEncrypted({ contentType }: Part): boolean {
  if (contentType.type === 'multipart/encrypted' || contentType.type === 'application/pgp-encrypted')
    return true;
  const isMangled =
    contentType.type === 'application/octet-stream' &&
    contentType.parameter('name')?.toLowerCase() === 'smime.p7m';
  if (!isMangled && !/^application\/(x-)?pkcs7-mime$/.test(contentType.type)) return false;
  const kind = contentType.parameter('smime-type')?.toLowerCase() ?? 'enveloped-data';
  return !['signed-data', 'certs-only', 'compressed-data', 'signed-receipt'].includes(kind);
}

function* linesOfMultipart(part: Part, findings: Findings): LineSteps {
  switch (part.contentType.type) {
    case 'multipart/alternative':
      return yield* linesOfAlternative(part.children, findings);
    // Behind the first part stand a signature (RFC 1847 2.1), pictures (RFC 2387), a report for machines (RFC 6522).
    case 'multipart/signed':
    case 'multipart/related':
    case 'multipart/report':
      return yield* linesOf(firstOf(part), findings);
    default: {
      const lines: Line[] = [];
      for (const child of part.children) {
        const more = yield* linesOf(child, findings);
        if (lines.length > 0 && more.length > 0) lines.push({ text: '', kind: 'own' });
        // Not by arguments, of which a call can have only so many.
        for (const line of more) lines.push(line);
        if (lines.length > maxLines) return lines;
      }
      return lines;
    }
  }
}

/** RFC 2387 3.2: the part that `start` names, else the first. */
function firstOf(part: Part): Part {
  const start =
    part.contentType.type === 'multipart/related' ? part.contentType.parameter('start') : undefined;
  const named = part.children.find(({ header }) =>
    header.fields.some(({ name, value }) => name === 'content-id' && start !== undefined && value === start),
  );
  return named ?? (part.children[0] as Part);
}

/** Plain text before anything else; the next one where it says nothing. */
function* linesOfAlternative(children: readonly Part[], findings: Findings): LineSteps {
  const isPlain = (child: Part) => child.contentType.type === 'text/plain';
  for (const child of [...children.filter(isPlain), ...children.filter((one) => !isPlain(one))]) {
    const lines = yield* linesOf(child, findings);
    if (cleanText(lines.map(({ text }) => text).join('\n')) !== '') return lines;
  }
  return [];
}

function linesOfPlainText(part: Part, findings: Findings): readonly Line[] {
  const text = decoded(part, findings);
  if (text.length > maxCharacters) findings.cut.add('overlong');
  // As many as can matter, and one that tells that there are more.
  return text
    .slice(0, maxCharacters)
    .split(/\r\n|\r|\n/, maxLines + 1)
    .map((line) => ({ text: line, kind: 'own' }));
}

function* linesOfPage(part: Part, findings: Findings): LineSteps {
  const { lines, isCut } = yield* htmlLines(decoded(part, findings));
  if (isCut) findings.cut.add('overlong');
  return lines;
}

function decoded(part: Part, findings: Findings): string {
  const octets = Math.min(part.body.length, findings.octetsLeft);
  if (octets < part.body.length) findings.cut.add('overlong');
  findings.octetsLeft -= octets;
  return decodePart(part, octets);
}

/** Undoes transfer encoding, character set and soft line breaks, of so many octets of the body. */
export function decodePart(part: Part, maxOctets: number): string {
  const octets = transferDecoded(part, part.body.subarray(0, maxOctets));
  const text = decodeText(octets, part.contentType.parameter('charset') ?? labelInPage(part, octets));
  const isFlowed =
    part.contentType.type === 'text/plain' &&
    part.contentType.parameter('format')?.trim().toLowerCase() === 'flowed';
  if (!isFlowed) return text;
  return unflow(
    text.slice(0, maxCharacters + 1),
    part.contentType.parameter('delsp')?.trim().toLowerCase() === 'yes',
  );
}

/** HTML may say it itself, near its beginning (HTML 4.2.5.4). */
function labelInPage(part: Part, octets: Uint8Array): string | undefined {
  if (part.contentType.type !== 'text/html') return undefined;
  const beginning = Buffer.from(octets.subarray(0, 1_024)).toString('latin1');
  for (const behind of beginning.split(/<meta/i).slice(1)) {
    const [tag = ''] = behind.split('>', 1);
    const label = /\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(tag)?.[1];
    if (label !== undefined) return label;
  }
  return undefined;
}

function transferDecoded({ header }: Part, body: Uint8Array): Uint8Array {
  switch (firstToken(fieldValue(header, 'content-transfer-encoding'))) {
    case 'base64':
      return base64Decoded(body);
    case 'quoted-printable':
      return quotedPrintableDecoded(body);
    default:
      return body;
  }
}

/**
 * Puts together the lines that `format=flowed` breaks softly (RFC 3676 4). With `deleteSpace` (DelSp=yes), the space that marks a soft break is no part of the text
 * (RFC 3676 4.1).
 */
function unflow(text: string, deleteSpace: boolean): string {
  const flowed: string[] = [];
  let paragraph: { depth: number; pieces: string[] } | undefined;
  const finish = () => {
    if (paragraph === undefined) return;
    const { depth, pieces } = paragraph;
    flowed.push(`${depth === 0 ? '' : `${'>'.repeat(depth)} `}${pieces.join('')}`);
    paragraph = undefined;
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const depth = quoteDepth(line);
    const stuffed = line.slice(depth);
    // RFC 3676 4.4: a space in front protects what a mail server might take for something else.
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    // RFC 3676 4.3: the delimiter of a signature ends in a space and is a line of its own nevertheless.
    const isDelimiter = content === '-- ';
    const isSoft = content.endsWith(' ') && !isDelimiter;
    if (paragraph !== undefined && (paragraph.depth !== depth || isDelimiter)) finish();
    paragraph ??= { depth, pieces: [] };
    paragraph.pieces.push(isSoft && deleteSpace ? content.slice(0, -1) : content);
    if (!isSoft) finish();
  }
  finish();
  return flowed.join('\n');
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line.charCodeAt(depth) === 0x3e) depth += 1;
  return depth;
}

/* What OpenPGP puts around a text that stands in a mail as it is (RFC 4880). */

const signedBegin = '-----BEGIN PGP SIGNED MESSAGE-----';
const signatureBegin = '-----BEGIN PGP SIGNATURE-----';
const signatureEnd = '-----END PGP SIGNATURE-----';

/** RFC 4880 6.2: a long one may come in parts. */
const encryptedBegin = /^-----BEGIN PGP MESSAGE(, PART \d{1,4}(\/\d{1,4})?)?-----$/;

/**
 * RFC 4880 7: of a signed text what its sender signed, without armor headers, signature and dash-escapes. What stands around
 * it stays, since it may be an answer too.
 */
function withoutSignedArmor(lines: readonly Line[]): readonly Line[] {
  if (!lines.some((line) => isLine(line, signedBegin))) return lines;
  const kept: Line[] = [];
  let place: 'outside' | 'armor headers' | 'text' | 'signature' = 'outside';
  for (const line of lines) {
    if (place === 'signature') {
      if (isLine(line, signatureEnd)) place = 'outside';
    } else if (place === 'text' && isLine(line, signatureBegin)) {
      place = 'signature';
    } else if (isLine(line, signedBegin)) {
      place = 'armor headers';
    } else if (place === 'armor headers' && isArmorHeader(line)) {
      // The empty line behind the headers is none of the text.
      if (line.text.trim() === '') place = 'text';
    } else {
      if (place === 'armor headers') place = 'text';
      kept.push(place === 'text' ? unescaped(line) : line);
    }
  }
  return kept;
}

/** In what is left of a mail, so that one in a mail that was answered does not count. */
function holdsEncrypted(texts: readonly string[]): boolean {
  return texts.some((text) => text.startsWith('-') && encryptedBegin.test(text.trimEnd()));
}

/** RFC 4880 6.2: white space behind it does no harm. Quoted ones are another's. */
function isLine({ text, kind }: Line, mark: string): boolean {
  return kind === 'own' && text.startsWith(mark) && text.trimEnd() === mark;
}

/** RFC 4880 6.2, such as `Hash: SHA256`; programs leave out the empty line, or the name of what they don't know. */
function isArmorHeader({ text }: Line): boolean {
  return text.trim() === '' || /^(Hash|Version|Comment|MessageID|Charset|NotDashEscaped):/i.test(text);
}

/** RFC 4880 7.1: any line may be escaped. */
function unescaped(line: Line): Line {
  return line.text.startsWith('- ') ? { ...line, text: line.text.slice(2) } : line;
}
