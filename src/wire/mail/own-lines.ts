/** Keeps of a mail's lines what its sender wrote now, and says what was cut: quotations, signatures, history. */
import { attributionAt } from './attribution.ts';
import { withoutGatewayLines } from './gateway-lines.ts';
import { historyAt } from './history.ts';
import { isBlank, type Line, markIn } from './line-marks.ts';
import { maxLines } from './reading-bounds.ts';
import { withoutListFooter, withoutMobileSignature, withoutSignature } from './signature.ts';

/**
 * - `quotation`: lines that are quoted, with the line that introduces them.
 * - `history`: a mail that was answered, copied behind the answer.
 * - `forward`: a mail that was passed on.
 * - `signature`: behind its delimiter, or marked as one, or what a mailing list puts below.
 * - `gateway`: what a mail gateway adds, as the company names it.
 * - `mobile signature`: “Sent from my iPhone”.
 * - `overlong`: what goes beyond what is looked at.
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
  /** In the order in which they were found, each kind once. */
  readonly cut: readonly CutKind[];
}

/** What is known of a mail before its text is looked at. */
export interface MailContext {
  /** Of the name of whoever signs. */
  readonly senderWords: ReadonlySet<string>;
  /** It answers a mail or passes one on, so that a copy of that may stand in it without any mark. */
  readonly mayHoldHistory: boolean;
  /** How lines begin that mail gateways add. */
  readonly mailCut: readonly string[];
}

/** A step for each of what is looked for. */
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

/** A line of hyphens or underscores above what was cut goes with it. */
function withoutRule(lines: readonly Line[]): readonly Line[] {
  let end = lines.length;
  while (end > 0 && isRule(markIn(lines[end - 1]))) end -= 1;
  return lines.slice(0, end);
}

/** A blank one too. */
function isRule(text: string | undefined): boolean {
  return text !== undefined && /^([-_=*]{5,})?$/.test(text);
}

function isQuoted({ text, kind }: Line): boolean {
  // Gmail may break the line above a quotation within the address, so that the next begins with `>:`.
  if (kind === 'quoted') return true;
  const sign = text.slice(0, 4).trimStart();
  return sign.startsWith('>') && !isEndOfAddress(text);
}

function isEndOfAddress(text: string): boolean {
  const mark = markIn({ text, kind: 'own' });
  return mark !== undefined && /^>\s?:$/.test(mark);
}

/** RFC 3676 4.5 marks by `>`. What is written between and behind quotations stays. */
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
    // Without marks of a quotation behind it, a line that certainly introduces one has the rest of the mail behind it.
    const start = attributionAt(kept, kept.length - 1, 'certain');
    if (start === undefined || isQuotedNext(lines, index + 1)) continue;
    kept.length = start;
    return { lines: kept, cut: [...cut, 'history'] };
  }
  return { lines: kept, cut: [...cut] };
}

const linesInStep = 250;

/**
 * What a program broke off a long address in a quotation, without a mark of its own: directly below a quoted line that ends
 * in an address, a word that an answer would hardly be. “Yes” there is an answer.
 */
function isRestOfLink(lines: readonly Line[], index: number): boolean {
  const [before, line, behind] = [lines[index - 1], lines[index], lines[index + 1]];
  if (before === undefined || !isQuoted(before)) return false;
  const last = (markIn(before) ?? '').split(/\s/).at(-1) ?? '';
  const [word = '', ...others] = (markIn(line) ?? '').split(/\s/);
  if (!/https?:\/\/|www\./i.test(last) || last.endsWith('>') || word === '') return false;
  // RFC 3986 3.4, or 3.3 with several segments: nobody answers by that, whatever is behind it.
  if (isUrlWord(word) && (/[&=%]/.test(word) || word.split('/').length > 3)) return true;
  if (behind === undefined || !isQuoted(behind)) return false;
  // RFC 3986 C: brackets tell where an address ends.
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

/** Removes from the end of what is kept the line that introduces the quotation behind it, if there is one. */
function dropAttribution(kept: Line[]): void {
  let end = kept.length;
  while (end > 0 && isBlank(kept[end - 1] as Line)) end -= 1;
  const start = end === 0 ? undefined : attributionAt(kept, end - 1, 'before quotation');
  if (start !== undefined) kept.length = start;
}
