/** Extracts the text that the sender of an e-mail wrote, from whatever parts it has (RFC 2046 5.1). */

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
  /** Empty if there is nothing to send. */
  readonly text: string;
  readonly cut: readonly CutKind[];
  /** Why the text is empty, as the end of a sentence that begins with “It”. Undefined if there is text. */
  readonly whyEmpty: string | undefined;
  /**
   * Set if neither the subject nor any text beside the encrypted part may be sent instead of it. The text is then
   * empty.
   */
  readonly isEncrypted?: true;
}

/** Collected while walking through the parts. */
interface Findings {
  /** The e-mail itself is its text, even if it has a file name. */
  readonly root: Part;
  /** How many more octets of parts may be read. */
  octetsLeft: number;
  readonly cut: Set<CutKind>;
  hasEncrypted: boolean;
}

/** Yields a step for each part, and more for slow work. */
export function* mailText(root: Part, context: MailContext): Generator<void, MailText> {
  const findings: Findings = { root, octetsLeft: maxTextOctets, cut: new Set(), hasEncrypted: false };
  const all = withoutSignedArmor(yield* linesOf(root, findings));
  const own = yield* ownLines(all, context);
  yield;
  const isEncrypted = findings.hasEncrypted || holdsEncrypted(own.lines);
  const written = isEncrypted ? '' : own.lines.join('\n');
  if (written.length > maxCharacters) findings.cut.add('overlong');
  // A cut between the halves of a surrogate pair would leave invalid Unicode.
  const text = cleanText(written.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, ''));
  const cut = [...new Set([...own.cut, ...findings.cut])];
  const whyEmpty = text === '' ? reasonFor(cut, isEncrypted) : undefined;
  return { text, cut, whyEmpty, ...(isEncrypted && { isEncrypted }) };
}

function reasonFor(cut: readonly CutKind[], isEncrypted: boolean): string {
  if (isEncrypted) return 'is encrypted';
  if (cut.includes('forward')) return 'contains only a forwarded e-mail';
  if (cut.includes('history') || cut.includes('quotation')) return 'contains only quoted text';
  if (cut.includes('signature') || cut.includes('mobile signature')) return 'contains only a signature';
  if (cut.includes('gateway')) return 'contains only lines added by mail gateways (mailCut)';
  return cut.includes('overlong')
    ? 'is so long that only part of it was read, and that part has no text'
    : 'contains no text';
}

type LineSteps = Generator<void, readonly Line[]>;

function* linesOf(part: Part, findings: Findings): LineSteps {
  yield;
  const { type } = part.contentType;
  if (isEncrypted(part)) {
    findings.hasEncrypted = true;
    return [];
  }
  // A multipart whose parts were not found has no text either, because the text between parts is meant for programs.
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
 * RFC 3156 4, and the `multipart/mixed` of the same parts that Exchange makes of it. RFC 8551 3.2.2: enveloped-data and
 * authEnveloped-data, which programs mean even if they don't name a type. RFC 8551 3.9: recognised by its file name.
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
    // The first part is followed by a signature (RFC 1847 2.1), images (RFC 2387), or a report for machines (RFC 6522).
    case 'multipart/signed':
    case 'multipart/related':
    case 'multipart/report':
      return yield* linesOf(firstOf(part), findings);
    default: {
      const lines: Line[] = [];
      for (const child of part.children) {
        const more = yield* linesOf(child, findings);
        if (lines.length > 0 && more.length > 0) lines.push({ text: '', kind: 'own' });
        // The lines are not passed as arguments, because a call can have only a limited number of them.
        for (const line of more) lines.push(line);
        if (lines.length > maxLines) return lines;
      }
      return lines;
    }
  }
}

/** RFC 2387 3.2: the part that `start` names, otherwise the first. */
function firstOf(part: Part): Part {
  const start =
    part.contentType.type === 'multipart/related' ? part.contentType.parameter('start') : undefined;
  const named = part.children.find(({ header }) =>
    header.fields.some(({ name, value }) => name === 'content-id' && start !== undefined && value === start),
  );
  return named ?? (part.children[0] as Part);
}

/** Plain text is preferred, and the next part is used if it is empty. */
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
  // As many lines as can matter, plus one to show that there are more.
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

/** Decodes transfer encoding, character set and soft line breaks, for at most this many octets of the body. */
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

/** HTML may declare its character set itself, near the beginning (HTML 4.2.5.4). */
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
 * Joins lines that `format=flowed` breaks softly (RFC 3676 4). With `deleteSpace` (DelSp=yes), the space that marks a soft
 * break is not part of the text (RFC 3676 4.1).
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
    // RFC 3676 4.4: a leading space protects a line that a mail server might take for something else.
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    // RFC 3676 4.3: a signature delimiter ends in a space but is still a separate line.
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

/* The lines that OpenPGP puts around inline text in an e-mail (RFC 4880). */

const signedBegin = '-----BEGIN PGP SIGNED MESSAGE-----';
const signatureBegin = '-----BEGIN PGP SIGNATURE-----';
const signatureEnd = '-----END PGP SIGNATURE-----';

/** RFC 4880 6.2: a long message may come in parts. */
const encryptedBegin = /^-----BEGIN PGP MESSAGE(, PART \d{1,4}(\/\d{1,4})?)?-----$/;

/**
 * RFC 4880 7: of a signed text, keeps what its sender signed, without armor headers, signature and dash-escapes. Surrounding
 * text stays, because it may be part of the reply.
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
      // The empty line after the headers is not part of the text.
      if (line.text.trim() === '') place = 'text';
    } else {
      if (place === 'armor headers') place = 'text';
      kept.push(place === 'text' ? unescaped(line) : line);
    }
  }
  return kept;
}

/** Checks only the lines that remain, so an encrypted text in an answered e-mail does not count. */
function holdsEncrypted(texts: readonly string[]): boolean {
  return texts.some((text) => text.startsWith('-') && encryptedBegin.test(text.trimEnd()));
}

/** RFC 4880 6.2: trailing white space is harmless. Quoted markers belong to another e-mail. */
function isLine({ text, kind }: Line, mark: string): boolean {
  return kind === 'own' && text.startsWith(mark) && text.trimEnd() === mark;
}

/** RFC 4880 6.2, such as `Hash: SHA256`. Programs omit the empty line, or the name of headers that they don't know. */
function isArmorHeader({ text }: Line): boolean {
  return text.trim() === '' || /^(Hash|Version|Comment|MessageID|Charset|NotDashEscaped):/i.test(text);
}

/** RFC 4880 7.1: any line may be escaped. */
function unescaped(line: Line): Line {
  return line.text.startsWith('- ') ? { ...line, text: line.text.slice(2) } : line;
}
