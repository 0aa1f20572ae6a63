/** Keeps the lines of an e-mail that its sender has just written, and reports what was cut: quotations, signatures, history. */
import { attributionAt } from './attribution.ts';
import { isBlank, type Line, markIn } from './line-marks.ts';
import { maxLines } from './reading-bounds.ts';
import { appleForwardPhrases, forwardPhrases, headerLabels, originalPhrases } from './reply-phrases.ts';
import { withoutListFooter, withoutMobileSignature, withoutSignature } from './signature.ts';

/**
 * - `quotation`: quoted lines, with the line that introduces them.
 * - `history`: an answered e-mail, copied after the answer.
 * - `forward`: a forwarded e-mail.
 * - `signature`: text after the delimiter, or marked as a signature, or a mailing list's footer.
 * - `gateway`: lines that a mail gateway adds, as the company names them.
 * - `mobile signature`: “Sent from my iPhone”.
 * - `overlong`: text beyond the reading limits.
 */
export type CutKind =
  | 'quotation'
  | 'history'
  | 'forward'
  | 'signature'
  | 'gateway'
  | 'mobile signature'
  | 'overlong';

export interface OwnLines {
  readonly lines: readonly string[];
  /** In the order found, each kind once. */
  readonly cut: readonly CutKind[];
}

/** What is known about an e-mail before its text is read. */
export interface MailContext {
  /** The words of the sender's name, which may be the signature. */
  readonly senderWords: ReadonlySet<string>;
  /** Whether the e-mail answers or forwards another, and so may contain an unmarked copy of it. */
  readonly mayHoldHistory: boolean;
  /** The beginnings of lines that mail gateways add. */
  readonly mailCut: readonly string[];
}

/** Yields a step for each kind of text that is searched for. */
export function* ownLines(
  all: readonly Line[],
  { senderWords, mayHoldHistory, mailCut }: MailContext,
): Generator<void, OwnLines> {
  const cut = new Set<CutKind>();
  if (all.length > maxLines) cut.add('overlong');
  let lines: readonly Line[] = all.slice(0, maxLines);
  yield;
  const history = historyAt(lines, mayHoldHistory);
  if (history !== undefined) {
    cut.add(history.kind);
    lines = withoutRule(lines.slice(0, history.index));
  }
  const unquoted = yield* withoutQuotations(lines, mayHoldHistory);
  yield;
  for (const kind of unquoted.cut) cut.add(kind);
  const written = withoutGatewayLines(unquoted.lines, mailCut);
  if (written.length < unquoted.lines.length) cut.add('gateway');
  const unsigned = withoutSignature(withoutListFooter(written), senderWords);
  if (unsigned.length < written.length) cut.add('signature');
  const texts = unsigned.map(({ text }) => text);
  const rest = withoutMobileSignature(texts);
  if (rest.length < texts.length) cut.add('mobile signature');
  return { lines: rest, cut: [...cut] };
}

interface History {
  readonly index: number;
  readonly kind: 'history' | 'forward';
}

/**
 * Finds the start of a copy of an earlier e-mail that is not marked line by line, where everything written by the sender ends.
 * Undefined if there is no sign of a copy. A header copied without any mark counts only with `mayHoldHistory`, because
 * web forms and programs use such lines for the content of their own e-mails.
 */
function historyAt(lines: readonly Line[], mayHoldHistory: boolean): History | undefined {
  const labels = lines.map(labelsOf);
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'quoted') continue;
    if (line.kind === 'history') return { index, kind: forwardBehind(lines, index) };
    const separator = separatorKind(line);
    if (separator !== undefined) return { index, kind: separator };
    if ((mayHoldHistory || isOutlookRule(lines[index - 1])) && isCopiedHeader(labels, index))
      return { index, kind: 'history' };
  }
  return undefined;
}

/** In Outlook's plain text, exactly this many underscores are above the header of an earlier e-mail. */
function isOutlookRule(line: Line | undefined): boolean {
  return line !== undefined && /^_{32}$/.test(markIn(line) ?? '');
}

const maxSeparatorLength = 100;

/** “-----Original Message-----” with any number of hyphens, or Apple’s line, which has none. */
function separatorKind(candidate: Line): History['kind'] | undefined {
  const line = markIn(candidate)?.toLowerCase();
  if (line === undefined || line.length > maxSeparatorLength) return undefined;
  if (line.endsWith(':')) {
    const phrase = line.slice(0, -1).trim();
    return appleForwardPhrases.includes(phrase) ? 'forward' : undefined;
  }
  if (!line.startsWith('--') && !line.startsWith('__') && !line.startsWith('==')) return undefined;
  const phrase = phraseIn(line);
  if (phrase === '') return undefined;
  if (originalPhrases.includes(phrase)) return 'history';
  return forwardPhrases.some((one) => phrase === one || phrase.startsWith(`${one} `)) ? 'forward' : undefined;
}

function phraseIn(line: string): string {
  const isRule = (at: number) => '-_= \t\u00A0'.includes(line.charAt(at));
  let start = 0;
  let end = line.length;
  while (start < end && isRule(start)) start += 1;
  while (end > start && isRule(end - 1)) end -= 1;
  return line.slice(start, end);
}

/** A mark contains no words. The line after it may say that the e-mail is a forward. */
function forwardBehind(lines: readonly Line[], index: number): History['kind'] {
  const near = lines.slice(index, index + 4).map(separatorKind);
  return near.includes('forward') ? 'forward' : 'history';
}

type Label = keyof typeof headerLabels;

const labelWords = Object.entries(headerLabels) as [Label, readonly string[]][];
const maxHeaderLines = 10;
const maxLabelLength = 24;

/**
 * From, Subject, and Sent or To, close together in any order and language. Without a subject, the lines may describe a
 * journey: “From: Oslo, To: Bergen”.
 */
function isCopiedHeader(labels: readonly (readonly Label[])[], index: number): boolean {
  if (labels[index]?.length === 0) return false;
  const found = labels.slice(index, index + maxHeaderLines);
  const has = (name: Label) => found.some((names) => names.includes(name));
  return has('from') && has('subject') && (has('sent') || has('to'));
}

/** A word may be two kinds of label in two languages. Gmail writes bold as `*From:*`. */
function labelsOf(line: Line): readonly Label[] {
  const text = line.text.trimStart().slice(0, maxLabelLength + 4);
  const [, label] = /^\*{0,2}([^:：*]{1,24}?)\s?\*{0,2}\s?[:：]/u.exec(text) ?? [];
  if (label === undefined) return [];
  const word = label.trim().toLowerCase();
  return labelWords.filter(([, words]) => words.includes(word)).map(([name]) => name);
}

/** A line of hyphens or underscores above the cut text is cut too. */
function withoutRule(lines: readonly Line[]): readonly Line[] {
  let end = lines.length;
  while (end > 0 && isRule(markIn(lines[end - 1]))) end -= 1;
  return lines.slice(0, end);
}

/** A blank line counts too. */
function isRule(text: string | undefined): boolean {
  return text !== undefined && /^([-_=*]{5,})?$/.test(text);
}

function isQuoted({ text, kind }: Line): boolean {
  // Gmail may break the line above a quotation within the address, so the next line begins with `>:`.
  if (kind === 'quoted') return true;
  const sign = text.slice(0, 4).trimStart();
  return sign.startsWith('>') && !isEndOfAddress(text);
}

function isEndOfAddress(text: string): boolean {
  const mark = markIn({ text, kind: 'own' });
  return mark !== undefined && /^>\s?:$/.test(mark);
}

/** Quotations are marked with `>` (RFC 3676 4.5). Text between and after quotations stays. */
function* withoutQuotations(
  lines: readonly Line[],
  mayHoldHistory: boolean,
): Generator<void, { lines: Line[]; cut: readonly CutKind[] }> {
  const kept: Line[] = [];
  const cut = new Set<CutKind>();
  let isBehindQuoted = false;
  for (const [index, line] of lines.entries()) {
    if (index % linesInStep === 0) yield;
    if (isQuoted(line) || isRestOfLink(lines, index)) {
      if (!isBehindQuoted) dropAttribution(kept);
      isBehindQuoted = true;
      cut.add('quotation');
      continue;
    }
    if (line.kind === 'attribution') {
      cut.add('quotation');
      continue;
    }
    if (!isBlank(line)) isBehindQuoted = false;
    kept.push(line);
    if (!mayHoldHistory) continue;
    // If no marked quotation follows, a line that certainly introduces one is followed by the rest of the earlier e-mail.
    const start = attributionAt(kept, kept.length - 1, 'certain');
    if (start === undefined || isQuotedNext(lines, index + 1)) continue;
    kept.length = start;
    return { lines: kept, cut: [...cut, 'history'] };
  }
  return { lines: kept, cut: [...cut] };
}

const linesInStep = 250;

/**
 * Recognises the unmarked remainder of a long address that a program wrapped in a quotation: a word directly below a
 * quoted line that ends in an address, unless the word alone can be an answer, as “Yes” can.
 */
function isRestOfLink(lines: readonly Line[], index: number): boolean {
  const [before, line, behind] = [lines[index - 1], lines[index], lines[index + 1]];
  if (before === undefined || !isQuoted(before)) return false;
  const last = (markIn(before) ?? '').split(/\s/).at(-1) ?? '';
  const [word = '', ...others] = (markIn(line) ?? '').split(/\s/);
  if (!/https?:\/\/|www\./i.test(last) || last.endsWith('>') || word === '') return false;
  // RFC 3986 3.4, or 3.3 with several segments: nobody answers like that, whatever follows.
  if (isUrlWord(word) && (/[&=%]/.test(word) || word.split('/').length > 3)) return true;
  if (behind === undefined || !isQuoted(behind)) return false;
  // RFC 3986 C: brackets show where an address ends.
  if (last.startsWith('<') && word.endsWith('>')) return true;
  return (
    others.length === 0 && isUrlWord(word) && (/[/?#_][^?]/.test(word) || word.length > longestAnswerWord)
  );
}

function isUrlWord(word: string): boolean {
  return /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(word);
}

const longestAnswerWord = 24;

function isQuotedNext(lines: readonly Line[], from: number): boolean {
  const next = lines.slice(from, from + 5).find((line) => !isBlank(line));
  return next !== undefined && isQuoted(next);
}

/** If the kept lines end with the introduction of the quotation that follows, removes it. */
function dropAttribution(kept: Line[]): void {
  let end = kept.length;
  while (end > 0 && isBlank(kept[end - 1] as Line)) end -= 1;
  const start = end === 0 ? undefined : attributionAt(kept, end - 1, 'before quotation');
  if (start !== undefined) kept.length = start;
}

/** Longer than any opening, with room for white space. */
const maxLooked = 400;

/**
 * Cuts lines that a mail gateway has added, by the openings that a company names. A line that begins with such an
 * opening is removed. In the last third of the text, everything after it is removed too: a notice at the end has
 * further lines, whereas a notice at the beginning is followed by the text. Letter case does not matter.
 */
function withoutGatewayLines(lines: readonly Line[], openings: readonly string[]): readonly Line[] {
  if (openings.length === 0) return lines;
  const wanted = openings.map(comparable);
  const isAdded = ({ text }: Line) => {
    const looked = comparable(text.slice(0, maxLooked));
    return wanted.some((opening) => looked.startsWith(opening));
  };
  const written = lines.findLastIndex(({ text }) => text.trim() !== '') + 1;
  const end = lines.findIndex((line, index) => 3 * index >= 2 * written && isAdded(line));
  return (end < 0 ? lines : lines.slice(0, end)).filter((line) => !isAdded(line));
}

function comparable(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
