/** Finds where a copy of an earlier mail begins that is not marked line by line. */
import { type Line, markIn } from './line-marks.ts';
import { appleForwardPhrases, forwardPhrases, headerLabels, originalPhrases } from './reply-phrases.ts';

export interface History {
  readonly index: number;
  readonly kind: 'history' | 'forward';
}

/**
 * Where everything ends that the sender wrote now; undefined when nothing says so. A header that is copied without any mark
 * counts only where `mayHoldHistory`: forms of web sites and programs tell by such lines what their own mail is about.
 */
export function historyAt(lines: readonly Line[], mayHoldHistory: boolean): History | undefined {
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

/** Outlook's plain text has one of so many underscores above the header of an earlier mail. */
function isOutlookRule(line: Line | undefined): boolean {
  return line !== undefined && /^_{32}$/.test(markIn(line) ?? '');
}

const maxSeparatorLength = 100;

/** “-----Original Message-----”, with as many hyphens as a program likes; or Apple’s line, which has none. */
function separatorKind(candidate: Line): History['kind'] | undefined {
  const line = markIn(candidate)?.toLowerCase();
  if (line === undefined || line.length > maxSeparatorLength) return undefined;
  if (line.endsWith(':')) {
    const phrase = line.slice(0, -1).trim();
    return appleForwardPhrases.includes(phrase) ? 'forward' : undefined;
  }
  if (!line.startsWith('--') && !line.startsWith('__') && !line.startsWith('==')) return undefined;
  const phrase = withoutRule(line);
  if (phrase === '') return undefined;
  if (originalPhrases.includes(phrase)) return 'history';
  return forwardPhrases.some((one) => phrase === one || phrase.startsWith(`${one} `)) ? 'forward' : undefined;
}

function withoutRule(line: string): string {
  const isRule = (at: number) => '-_= \t\u00A0'.includes(line.charAt(at));
  let start = 0;
  let end = line.length;
  while (start < end && isRule(start)) start += 1;
  while (end > start && isRule(end - 1)) end -= 1;
  return line.slice(start, end);
}

/** A mark has no words of its own: those of the line behind it may say that a mail is passed on. */
function forwardBehind(lines: readonly Line[], index: number): History['kind'] {
  const near = lines.slice(index, index + 4).map(separatorKind);
  return near.includes('forward') ? 'forward' : 'history';
}

type Label = keyof typeof headerLabels;

const labelWords = Object.entries(headerLabels) as [Label, readonly string[]][];
const maxHeaderLines = 10;
const maxLabelLength = 24;

/**
 * From, Subject, and Sent or To, near each other, in whatever order and language. Without a subject it may be a journey
 * that somebody tells of: “From: Oslo, To: Bergen”.
 */
function isCopiedHeader(labels: readonly (readonly Label[])[], index: number): boolean {
  if (labels[index]?.length === 0) return false;
  const found = labels.slice(index, index + maxHeaderLines);
  const has = (name: Label) => found.some((names) => names.includes(name));
  return has('from') && has('subject') && (has('sent') || has('to'));
}

/** A word may be a label of two kinds in two languages. Gmail writes bold as `*From:*`. */
function labelsOf(line: Line): readonly Label[] {
  const text = line.text.trimStart().slice(0, maxLabelLength + 4);
  const [, label] = /^\*{0,2}([^:：*]{1,24}?)\s?\*{0,2}\s?[:：]/u.exec(text) ?? [];
  if (label === undefined) return [];
  const word = label.trim().toLowerCase();
  return labelWords.filter(([, words]) => words.includes(word)).map(([name]) => name);
}
