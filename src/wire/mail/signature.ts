/** Recognises footers of programs and lists, and the signatures of senders. */
import { isDateOrAddress } from './attribution.ts';
import { isBlank, type Line, markIn } from './line-marks.ts';
import { deviceWords, sentFromEndings, sentFromOpenings } from './reply-phrases.ts';

/**
 * Maximum number of lines after a delimiter that has lost its space. If there are more, the delimiter is probably a
 * rule in a text.
 */
const maxSignatureLines = 12;

/** Mailman's rule has 47 characters. Groups.io's rule consists of two kinds of characters. */
const listRule = /^(_{20,}|(-=){8,}-?)$/;
const listWords = ['mailing list', 'listinfo', 'unsubscribe', '-leave@', 'groups.io'];

/** Removes the footer that a mailing list adds to every e-mail: a long rule, followed by how to leave the list. */
export function withoutListFooter(lines: readonly Line[]): readonly Line[] {
  const rule = lines.findLastIndex((line) => listRule.test(markIn(line) ?? ''));
  if (rule < 0) return lines;
  const behind = lines.slice(rule + 1).filter((line) => !isBlank(line));
  const says = (line: Line) => listWords.some((words) => markIn(line)?.toLowerCase().includes(words));
  return behind.length <= maxSignatureLines && behind.some(says) ? lines.slice(0, rule) : lines;
}

/**
 * RFC 3676 4.3: `-- `. Many programs lose the space or turn the hyphens into a dash. If there is no exact delimiter, the last
 * inexact one counts if the lines after it look like a signature, since it may be just a rule in a text.
 */
export function withoutSignature(lines: readonly Line[], senderWords: ReadonlySet<string>): readonly Line[] {
  const unmarked = lines.filter(({ kind }) => kind !== 'signature');
  const exact = unmarked.findIndex(({ text }) => /^--[ \u00A0]$/.test(text));
  const delimiter = exact >= 0 ? exact : unmarked.findLastIndex(isWornDelimiter);
  if (delimiter < 0) return withoutSignedName(unmarked, senderWords);
  const behind = unmarked.slice(delimiter + 1).filter((line) => !isBlank(line));
  const isSignature = exact >= 0 || (behind.length <= maxSignatureLines && isSigned(behind, senderWords));
  return isSignature ? unmarked.slice(0, delimiter) : withoutSignedName(unmarked, senderWords);
}

/** Removes “- Kari” or “—Kari Nordmann” as the last line, if all of its words are in the sender's name. */
function withoutSignedName(lines: readonly Line[], senderWords: ReadonlySet<string>): readonly Line[] {
  const last = lines.findLastIndex((line) => !isBlank(line));
  const mark = markIn(lines[last]) ?? '';
  if (!/^(--?|[—–])\s?\p{Lu}/u.test(mark)) return lines;
  const words = wordsIn(mark);
  const isName = words.length > 0 && words.every((word) => senderWords.has(word));
  const isAlone = lines.slice(0, last).every(isBlank);
  return isName && !isAlone ? lines.slice(0, last) : lines;
}

/** A signature has the sender's name in its first line, or an address. */
function isSigned(lines: readonly Line[], senderWords: ReadonlySet<string>): boolean {
  const [first] = lines;
  if (first === undefined) return true;
  if (wordsIn(markIn(first) ?? '').some((word) => senderWords.has(word))) return true;
  return lines.some((line) => /[\w.+-]@[\w-]|\bwww\.|:\/\//.test(markIn(line) ?? ''));
}

/** Returns the words in lower case, without initials. */
export function wordsIn(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 1);
}

function isWornDelimiter(line: Line): boolean {
  const first = line.text.charAt(0);
  return (first === '-' || first === '—' || first === '–') && /^(--|[—–])$/.test(markIn(line) ?? '');
}

const maxMobileSignatureLength = 120;
const maxMobileSignatureLines = 3;

export function withoutMobileSignature(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  for (let removed = 0; removed < maxMobileSignatureLines; removed += 1) {
    let last = end;
    while (last > 0 && lines[last - 1]?.trim() === '') last -= 1;
    if (last === 0 || !isMobileSignature(lines[last - 1] ?? '')) return lines.slice(0, end);
    end = last - 1;
  }
  return lines.slice(0, end);
}

function isMobileSignature(line: string): boolean {
  const words = line.trim();
  if (words.length > maxMobileSignatureLength || isDateOrAddress(words)) return false;
  const text = words.replace(/[.!]$/, '').toLowerCase();
  const saysSo =
    sentFromOpenings.some((opening) => text.startsWith(opening)) ||
    sentFromEndings.some(([opening, ending]) => text.startsWith(opening) && text.endsWith(ending));
  return saysSo && namesDevices(text);
}

/**
 * “Sent from my phone, the pump has stopped” and “Sent from my desk, easier than my phone” are content. Programs name a
 * device or themselves in every piece between commas and full stops, or immediately after the first one (“my Verizon, Samsung
 * Galaxy smartphone”).
 */
function namesDevices(text: string): boolean {
  const [first = '', ...others] = text.split(/[,;:.!?]\s/);
  // “Sent via email to all units” is not a signature either.
  const named = first.replace(/e-?mails?/g, '');
  if (!others.every((other) => deviceWords.some((word) => other.includes(word)))) return false;
  const [second = ''] = others;
  return deviceWords.some((word) => named.includes(word) || second.startsWith(word));
}
