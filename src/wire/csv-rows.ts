/** Reads comma-separated values (RFC 4180) as spreadsheets do: every text has rows. */
import { quoted } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';

export interface CsvRecord {
  /** At least one cell is not blank. */
  readonly cells: readonly string[];
  /** The line on which the row ends, counted from 1. */
  readonly line: number;
  /** The line on which the row begins: cells in quotes may contain line ends. */
  readonly firstLine: number;
}

/** Everything after the break is ambiguous. */
export interface CsvBreak {
  /** The line on which the row begins. */
  readonly line: number;
  /** Continues the sentence about the line. */
  readonly said: Sentence;
}

/** Maximum length of a row in UTF-16 code units. In a longer row, a quote is assumed never to be closed. */
const maxRowLength = 65_536;

/**
 * Reads a text that arrives in pieces. Rows of blank cells are skipped, because spreadsheets write them below their tables.
 */
export class CsvReader {
  readonly #delimiter: string;
  /** The incomplete last row. */
  #rest = '';
  /** Number of lines read completely. */
  #lines = 0;
  #isMarkRead = false;
  /** Whether the first row has been read. */
  #isBegun = false;
  #broken: CsvBreak | undefined;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  get broken(): CsvBreak | undefined {
    return this.#broken;
  }

  /** Yields the rows that end in this piece, up to the point where the text breaks. The last piece ends the last row. */
  *read(piece: string, isLast: boolean): Generator<CsvRecord, void> {
    let text = this.#rest + piece;
    if (!this.#isMarkRead && text !== '') {
      this.#isMarkRead = true;
      if (text.startsWith('\u{feff}')) text = text.slice(1);
    }
    this.#rest = '';
    let at = 0;
    while (this.#broken === undefined && at < text.length) {
      const row = scanRow(text, at, this.#delimiter, isLast);
      const end = row === undefined ? text.length : row.end;
      if (end - at > maxRowLength) this.#break({ sentence: 'csv_long', most: maxRowLength });
      else if (row !== undefined) {
        const firstLine = this.#lines + 1;
        this.#lines += row.lines;
        const isFirst = !this.#isBegun;
        this.#isBegun = true;
        const isPassedOver = row.cells.every(isBlank) || (isFirst && namesSeparator(text.slice(at, row.end)));
        if (!isPassedOver) yield { cells: row.cells, line: this.#lines, firstLine };
      } else if (isLast) this.#break({ sentence: 'csv_open' });
      else {
        this.#rest = text.slice(at);
        return;
      }
      at = end;
    }
  }

  #break(said: Sentence): void {
    this.#broken = { line: this.#lines + 1, said };
  }
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}

interface ScannedRow {
  readonly cells: readonly string[];
  /** The start of the next row. */
  readonly end: number;
  readonly lines: number;
}

/** Undefined if the text ends before the row does and more may follow. */
function scanRow(text: string, from: number, delimiter: string, isLast: boolean): ScannedRow | undefined {
  const cells: string[] = [];
  let lines = 1;
  for (let at = from; ; at += 1) {
    const cell = scanCell(text, at, delimiter, isLast);
    if (cell === undefined) return undefined;
    cells.push(textOfFormula(cell.value));
    lines += cell.lineEnds;
    at = cell.end;
    if (text[at] === delimiter) continue;
    // Until the next character arrives, it is unknown whether a line feed belongs to this carriage return.
    if (!isLast && (at >= text.length || (text[at] === '\r' && at + 1 === text.length))) return undefined;
    const end = text.startsWith('\r\n', at) ? at + 2 : Math.min(at + 1, text.length);
    return { cells, end, lines };
  }
}

interface ScannedCell {
  readonly value: string;
  /** The position of the delimiter or line end after the cell. */
  readonly end: number;
  /** Line ends within the cell. */
  readonly lineEnds: number;
}

function scanCell(text: string, from: number, delimiter: string, isLast: boolean): ScannedCell | undefined {
  if (text[from] === '"') {
    const closing = closingQuote(text, from);
    if (closing === undefined || (closing + 1 === text.length && !isLast)) return undefined;
    const end = endOfPlain(text, closing + 1, delimiter);
    const within = text.slice(from + 1, closing);
    const behind = text.slice(closing + 1, end);
    const value = unquoted(within) + (isBlank(behind) ? '' : behind);
    return { value, end, lineEnds: lineEndsIn(within) };
  }
  const quote = quoteBehind(text, from);
  const end = quote === undefined ? undefined : endOfWhole(text, quote, delimiter);
  if (quote !== undefined && end !== undefined) {
    const closing = text.lastIndexOf('"', end - 1);
    return { value: unquoted(text.slice(quote + 1, closing)), end, lineEnds: 0 };
  }
  const plainEnd = endOfPlain(text, from, delimiter);
  return { value: text.slice(from, plainEnd), end: plainEnd, lineEnds: 0 };
}

/**
 * Finds the quote of `"…"` after spaces, or of `="…"`, which programs use to keep a spreadsheet from reading digits as a
 * number.
 */
function quoteBehind(text: string, from: number): number | undefined {
  let at = from;
  while (text[at] === ' ') at += 1;
  if (text[at] === '=') at += 1;
  return at > from && text[at] === '"' ? at : undefined;
}

/**
 * Returns the end of a cell that consists only of the text between this quote and another on the same line. Undefined if the
 * cell contains more.
 */
function endOfWhole(text: string, quote: number, delimiter: string): number | undefined {
  let at = quote + 1;
  for (; at < text.length && !isLineEnd(text, at); at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') break;
    at += 1;
  }
  if (text[at] !== '"') return undefined;
  at += 1;
  while (text[at] === ' ') at += 1;
  return at >= text.length || text[at] === delimiter || isLineEnd(text, at) ? at : undefined;
}

function closingQuote(text: string, opening: number): number | undefined {
  let at = text.indexOf('"', opening + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at === -1 ? undefined : at;
}

function unquoted(within: string): string {
  return within.replaceAll('""', '"');
}

function endOfPlain(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && !isLineEnd(text, at)) at += 1;
  return at;
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\r';
}

function lineEndsIn(within: string): number {
  return within.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** For `="…"`, returns the text in the quotes. Any other formula is left as it is. */
function textOfFormula(cell: string): string {
  if (cell.length < 3 || !cell.startsWith('="') || !cell.endsWith('"')) return cell;
  const within = cell.slice(2, -1);
  return within.replaceAll('""', '').includes('"') ? cell : unquoted(within);
}

/** The line that tells Excel which character separates the columns: any ASCII punctuation except the quote, or a tab. */
const separatorLine = /^\u{feff}?"?sep=([\t!#-/:-@[-`{-~])"?(?:\r\n|\r|\n|$)/iu;

function namesSeparator(row: string): boolean {
  return separatorLine.test(row);
}

/** Signs that sentences seldom contain come first. Bars are left out, because they separate the values of a tag. */
const guessed = ['\t', ';', ','] as const;
const lookedAtRows = 10;

/**
 * Returns the delimiter for the beginning of a text: the sign that its first line names. Otherwise, the first row that
 * any of `signs` divides decides: of the signs that divide this row, the delimiter is the one that divides the most
 * rows into the same number of cells, or the first of several equal ones. Rows above `fromLine` decide nothing.
 */
export function delimiterOf(beginning: string, signs: readonly string[] = guessed, fromLine = 1): string {
  const declared = separatorLine.exec(beginning)?.[1];
  if (declared !== undefined) return declared;
  const divided = signs.map((sign) => ({
    sign,
    widths: firstRows(beginning, sign, fromLine).map(({ cells }) => cells.length),
  }));
  for (let row = 0; row < lookedAtRows; row += 1) {
    const [best] = divided
      .map(({ sign, widths }) => {
        const width = widths[row] ?? 0;
        return { sign, width, alike: widths.filter((other) => other === width).length };
      })
      .filter(({ width }) => width > 1)
      .sort((one, other) => other.alike - one.alike);
    if (best !== undefined) return best.sign;
  }
  return ',';
}

/** Returns the first rows of a text that may be cut off, starting with the row that ends in this line or below it. */
export function firstRows(beginning: string, delimiter: string, fromLine = 1): readonly CsvRecord[] {
  const rows: CsvRecord[] = [];
  for (const record of new CsvReader(delimiter).read(beginning.slice(0, maxRowLength), true)) {
    if (record.line >= fromLine) rows.push(record);
    if (rows.length === lookedAtRows) break;
  }
  return rows;
}

/** The input of `titleAbove`, which examines the first non-blank row and the rows below it. */
export interface Beginning {
  readonly text: string;
  /** Whether the cells are column names. */
  readonly areNames: (cells: readonly string[]) => boolean;
}

export interface TitleAbove extends CsvBreak {
  /** The line with the column names, if there is one. */
  readonly namesLine: number | undefined;
}

/** Reports a first row that is a title above the column names, as in reports. Undefined if there is none. */
export function titleAbove({ text, areNames }: Beginning, delimiter: string): TitleAbove | undefined {
  const rows = firstRows(text, delimiter);
  const [first, ...others] = rows;
  if (first === undefined) return undefined;
  // The title may have led to the wrong delimiter.
  const named = [delimiter, ...guessed]
    .flatMap((sign) => firstRows(text, sign).slice(1))
    .find(({ cells }) => areNames(cells));
  const isAlone = filledIn(first) === 1 && others.some((row) => filledIn(row) > 1);
  if (named === undefined && !isAlone) return undefined;
  const title = quoted(first.cells.find((cell) => !isBlank(cell))?.trim() ?? '');
  const said: Sentence =
    named === undefined
      ? { sentence: 'title_above', title }
      : { sentence: 'title_above_names', title, names: named.line };
  return { line: first.line, said, namesLine: named?.line };
}

function filledIn({ cells }: CsvRecord): number {
  return cells.filter((cell) => !isBlank(cell)).length;
}
