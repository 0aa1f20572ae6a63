/** Finds the line above a quotation that says who wrote it and when, however it is wrapped. */
import { type Line, markIn } from './line-marks.ts';
import { maxMarkLength } from './reading-bounds.ts';
import { dateOpeners, saidSigns, saidWords, wroteSigns, wroteWords } from './reply-phrases.ts';

/** The longest names, dates and addresses take `maxMarkLength` characters and this many lines. */
const maxLines = 4;

/**
 * Where the introduction that ends with the line at `end` begins; undefined if that line ends no introduction.
 *
 * - `before quotation`: a quotation follows, so a colon and a word for writing, or a date and an address, are enough.
 * - `certain`: no quotation follows, and all that follows would be cut, so it takes a colon, a word for writing, and a whole
 *   date or an address. “At noon Kari wrote:” may be the sender's own text.
 */
export function attributionAt(
  lines: readonly Line[],
  end: number,
  need: 'before quotation' | 'certain',
): number | undefined {
  const last = bare(lines[end]);
  if (last === undefined) return undefined;
  const hasColon = last.endsWith(':') || last.endsWith('：');
  // Zoho and some phones end the line with the word itself, in which case an address is also required.
  if (!hasColon && !endsWithWordForWriting(last.toLowerCase())) return undefined;
  let shortest: number | undefined;
  let joined = '';
  for (let start = end; start >= 0 && start > end - maxLines; start -= 1) {
    const text = bare(lines[start]);
    if (text === undefined || text === '') break;
    joined = joined === '' ? text : `${text} ${joined}`;
    if (joined.length > maxMarkLength) break;
    if (!introduces(joined, need) || !(hasColon || isAddress(joined))) continue;
    if (beginsWithDate(joined)) {
      // Some programs break the line after each comma.
      if (!lines[start - 1]?.text.trimEnd().endsWith(',')) return start;
      shortest = start;
    }
    // The name may be in the line before the address.
    if (!joined.includes('<') && joined.includes('>')) continue;
    shortest ??= start;
  }
  return shortest;
}

function introduces(text: string, need: 'before quotation' | 'certain'): boolean {
  const hasWord = hasWordForWriting(text);
  if (need === 'certain') return (hasWord && isDateOrAddress(text)) || isDateAndSender(text);
  if (hasWord) return /\d|@/.test(text) || text.length <= 80;
  // Words for speech also occur in ordinary sentences about somebody, so such a word must end the line, or the line must have
  // a date.
  if (saidWord.test(text.toLowerCase()) || saidSigns.some((sign) => text.includes(sign)))
    return isDatedOrAddressed(text) || endsWithOneOf(speech, withoutColon(text).toLowerCase());
  // For a language that the table lacks, or for Gmail in Russian, which uses no word.
  return isAddress(text) && isTime(text);
}

function isDatedOrAddressed(text: string): boolean {
  return isDateOrAddress(text) || isTime(text);
}

function isTime(text: string): boolean {
  return /\d{1,2}[:.]\d{2}/.test(text);
}

function hasWordForWriting(text: string): boolean {
  const lower = text.toLowerCase();
  return wordForWriting.test(lower) || wroteSigns.some((sign) => lower.includes(sign));
}

const wordForWriting = new RegExp(wholeWords(wroteWords), 'u');
const saidWord = new RegExp(wholeWords(saidWords), 'u');
const speech = [...saidWords, ...saidSigns];

function wholeWords(words: readonly string[]): string {
  return `(?<![\\p{L}])(${words.map((word) => word.replace(/[()/]/g, '\\$&')).join('|')})(?![\\p{L}(])`;
}

/** Removes the hyphens that Zoho puts around the line. */
function bare(line: Line | undefined): string | undefined {
  return markIn(line)
    ?.replace(/^-{2,9}\s/, '')
    .replace(/\s-{2,9}$/, '');
}

/** Matches a year, a date in digits, or an e-mail address. */
export function isDateOrAddress(text: string): boolean {
  return isDate(text) || isAddress(text);
}

function isDate(text: string): boolean {
  return (
    /(?<!\d)(19|20)\d\d(?!\d)/.test(text) || /(?<!\d)\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}(?!\d)/.test(text)
  );
}

function isAddress(text: string): boolean {
  return /[\w.+-]@[\w-]/.test(text);
}

/** Matches a date, a time and a final address in angle brackets, which nobody types by hand in any language. */
function isDateAndSender(text: string): boolean {
  return (
    isDate(text) && /\d{1,2}[:.]\d{2}/.test(text) && /<[^<>\s@]{1,64}@[^<>\s@]{1,255}\s?>\s?[:：]$/.test(text)
  );
}

function endsWithWordForWriting(text: string): boolean {
  return endsWithOneOf(wroteWords, text);
}

function endsWithOneOf(words: readonly string[], text: string): boolean {
  return words.some((word) => text.endsWith(word) && !/\p{L}$/u.test(text.slice(0, -word.length).slice(-2)));
}

function withoutColon(text: string): string {
  return text.replace(/\s?[:：]$/, '');
}

/** “On Mon, …”, “man. 3. juni …”, “2024-06-03 …”. */
function beginsWithDate(text: string): boolean {
  const lower = text.toLowerCase();
  if (dateOpeners.some((opener) => lower.startsWith(opener))) return true;
  return /^(\p{L}{1,12}[.,]?\s){0,2}\d{1,4}[./-年:\s]/u.test(text);
}
