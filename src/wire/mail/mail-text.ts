/** The text that the sender of a mail wrote, out of whatever parts it has (RFC 2046 5.1). */
import { cleanText } from './clean-text.ts';
import { decodePart } from './decode-part.ts';
import { htmlLines } from './html-lines.ts';
import type { Line } from './line-marks.ts';
import { type CutKind, type MailContext, ownLines } from './own-lines.ts';
import { isAttachment, type Part } from './parts.ts';
import { holdsEncrypted, withoutSignedArmor } from './pgp-text.ts';
import { maxCharacters, maxLines, maxTextOctets } from './reading-bounds.ts';

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
  /** Of those that may still be looked at. */
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
