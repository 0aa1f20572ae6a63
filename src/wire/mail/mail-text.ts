/** The text that the sender of a mail wrote, out of whatever parts it has (RFC 2046 5.1). */
import { cleanText } from './clean-text.ts';
import { decodePart, maxEncodedOctets } from './decode-part.ts';
import { htmlLines } from './html-lines.ts';
import type { Line } from './line-marks.ts';
import { type CutKind, ownLines } from './own-lines.ts';
import { isAttachment, type Part } from './parts.ts';

export interface MailText {
  /** Empty when there is nothing to send. */
  readonly text: string;
  readonly cut: readonly CutKind[];
  /** Why the text is empty, as the end of a sentence that begins with “It”; undefined when it is not. */
  readonly whyEmpty: string | undefined;
}

/** An SMS of 255 parts has 39,015 characters at most. */
const maxCharacters = 100_000;
/** In all parts together, as they are encoded. */
const maxOctets = 2 * maxEncodedOctets;

/** What was come across on the way through the parts. */
interface Findings {
  /** The mail itself is its text, file name or not. */
  readonly root: Part;
  octetsLeft: number;
  readonly cut: Set<CutKind>;
  hasEncrypted: boolean;
}

export async function mailText(root: Part): Promise<MailText> {
  const findings: Findings = { root, octetsLeft: maxOctets, cut: new Set(), hasEncrypted: false };
  const all = await linesOf(root, findings);
  const own = ownLines(all);
  const written = own.lines.join('\n');
  if (written.length > maxCharacters) findings.cut.add('overlong');
  // A cut between the halves of a surrogate pair would leave text that is not Unicode.
  const text = cleanText(written.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, ''));
  const cut = [...new Set([...own.cut, ...findings.cut])];
  return { text, cut, whyEmpty: text === '' ? reasonFor(cut, findings.hasEncrypted) : undefined };
}

function reasonFor(cut: readonly CutKind[], isEncrypted: boolean): string {
  if (isEncrypted) return 'is encrypted';
  if (cut.includes('forward')) return 'holds nothing but a mail that is passed on';
  if (cut.includes('history') || cut.includes('quotation')) return 'holds nothing but what it quotes';
  if (cut.includes('signature') || cut.includes('mobile signature')) return 'holds nothing but a signature';
  return cut.includes('overlong') ? 'holds no text in what is looked at of so long a mail' : 'holds no text';
}

async function linesOf(part: Part, findings: Findings): Promise<readonly Line[]> {
  const { type } = part.contentType;
  if (type === 'multipart/encrypted' || /^application\/(x-)?pkcs7-mime$/.test(type)) {
    findings.hasEncrypted ||= part.contentType.parameter('smime-type') !== 'signed-data';
    return [];
  }
  // One whose parts were not found has no text either: what is between them is for programs.
  if (part.children.length > 0) return linesOfMultipart(part, findings);
  if (type === 'message/rfc822' || type === 'message/global') {
    findings.cut.add('forward');
    return [];
  }
  if (part !== findings.root && isAttachment(part)) return [];
  if (type === 'text/html') return linesOfPage(part, findings);
  return type === 'text/plain' ? linesOfPlainText(part, findings) : [];
}

async function linesOfMultipart(part: Part, findings: Findings): Promise<readonly Line[]> {
  switch (part.contentType.type) {
    case 'multipart/alternative':
      return linesOfAlternative(part.children, findings);
    // Behind the first part stand a signature (RFC 1847 2.1), pictures (RFC 2387), a report for machines (RFC 6522).
    case 'multipart/signed':
    case 'multipart/related':
    case 'multipart/report':
      return linesOf(firstOf(part), findings);
    default: {
      const lines: Line[] = [];
      for (const child of part.children) {
        const more = await linesOf(child, findings);
        if (lines.length > 0 && more.length > 0) lines.push({ text: '', kind: 'own' });
        // Not by arguments, of which a call can have only so many.
        for (const line of more) lines.push(line);
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
async function linesOfAlternative(children: readonly Part[], findings: Findings): Promise<readonly Line[]> {
  const isPlain = (child: Part) => child.contentType.type === 'text/plain';
  for (const child of [...children.filter(isPlain), ...children.filter((one) => !isPlain(one))]) {
    const lines = await linesOf(child, findings);
    if (lines.some(({ text }) => cleanText(text) !== '')) return lines;
  }
  return [];
}

async function linesOfPlainText(part: Part, findings: Findings): Promise<readonly Line[]> {
  const text = await decoded(part, findings);
  return text.split(/\r\n|\r|\n/).map((line) => ({ text: line, kind: 'own' }));
}

async function linesOfPage(part: Part, findings: Findings): Promise<readonly Line[]> {
  const { lines, isCut } = htmlLines(await decoded(part, findings));
  if (isCut) findings.cut.add('overlong');
  return lines;
}

async function decoded(part: Part, findings: Findings): Promise<string> {
  const octets = Math.min(part.body.length, maxEncodedOctets);
  if (octets < part.body.length || octets > findings.octetsLeft) findings.cut.add('overlong');
  if (octets > findings.octetsLeft) return '';
  findings.octetsLeft -= octets;
  return decodePart(part);
}
