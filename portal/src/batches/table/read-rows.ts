/** Reads the rows of a CSV file piece by piece (RFC 4180, and what spreadsheets make of it). */

export interface TableRow {
  /** On which it begins, counted from 1, as an editor counts them. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface Form {
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
}

const headBytes = 65_536;
/** Of a cell; what is longer is no SMS, but a quote that was never closed. */
const maxCellLength = 100_000;
export const maxColumns = 1_000;

export class TableFault extends Error {
  readonly kind: 'unclosedQuote' | 'tooManyColumns' | 'notText';
  readonly line: number;

  constructor(kind: TableFault['kind'], line: number) {
    super(`${kind} in line ${line}`);
    this.kind = kind;
    this.line = line;
  }
}

export async function formOf(file: Blob): Promise<Form> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const sure = encodingOf(head, file.size <= headBytes);
  // Letters beyond ASCII may first come later.
  const encoding = sure === 'utf-8' && !(await isUtf8(file)) ? 'windows-1252' : sure;
  const text = new TextDecoder(encoding).decode(head);
  if (text.includes('\0')) throw new TableFault('notText', 1);
  return { encoding, delimiter: delimiterOf(text) };
}

async function isUtf8(file: Blob): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of piecesOf(file)) decoder.decode(bytes, { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

const pieceBytes = 1_048_576;

async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let from = 0; from < file.size; from += pieceBytes)
    yield new Uint8Array(await file.slice(from, from + pieceBytes).arrayBuffer());
}

/** In sets, a piece of the file at a time; rows without any text are left out. */
export async function* readRows(
  file: Blob,
  { encoding, delimiter }: Form,
): AsyncGenerator<readonly TableRow[]> {
  const decoder = new TextDecoder(encoding);
  const parser = new RowParser(delimiter);
  for await (const bytes of piecesOf(file)) yield parser.take(decoder.decode(bytes, { stream: true }));
  yield parser.end(decoder.decode());
}

export class RowParser {
  readonly #delimiter: string;
  #line = 1;
  #begin = 1;
  #cell = '';
  #cells: string[] = [];
  #isQuoted = false;
  /** The last sign was a quote within quotes: it ends them, or stands for itself before another. */
  #wasQuote = false;
  #wasReturn = false;
  #rows: TableRow[] = [];

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  take(text: string): readonly TableRow[] {
    for (let at = 0; at < text.length; at += 1) this.#sign(text.charAt(at));
    return this.#taken();
  }

  end(text: string): readonly TableRow[] {
    for (let at = 0; at < text.length; at += 1) this.#sign(text.charAt(at));
    if (this.#isQuoted && !this.#wasQuote) throw new TableFault('unclosedQuote', this.#begin);
    this.#endRow();
    return this.#taken();
  }

  #taken(): readonly TableRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #sign(sign: string): void {
    const isBreak = sign === '\r' || (sign === '\n' && !this.#wasReturn);
    if (isBreak) this.#line += 1;
    const isSecondHalf = sign === '\n' && this.#wasReturn;
    this.#wasReturn = sign === '\r';
    if (this.#isQuoted && !this.#wasQuote) {
      if (sign === '"') this.#wasQuote = true;
      else if (sign !== '\r') this.#add(isSecondHalf || isBreak ? '\n' : sign);
      return;
    }
    if (this.#wasQuote && sign === '"') {
      this.#wasQuote = false;
      this.#add('"');
      return;
    }
    if (this.#wasQuote) {
      this.#isQuoted = false;
      this.#wasQuote = false;
    }
    if (sign === this.#delimiter) this.#endCell();
    else if (isBreak) this.#endRow();
    else if (isSecondHalf) return;
    else if (sign === '"' && this.#cell === '') this.#isQuoted = true;
    else this.#add(sign);
  }

  #add(sign: string): void {
    this.#cell += sign;
    if (this.#cell.length > maxCellLength) throw new TableFault('unclosedQuote', this.#begin);
  }

  #endCell(): void {
    this.#cells.push(this.#cell.trim());
    this.#cell = '';
    if (this.#cells.length > maxColumns) throw new TableFault('tooManyColumns', this.#begin);
  }

  #endRow(): void {
    this.#endCell();
    if (this.#cells.some((cell) => cell !== '')) this.#rows.push({ line: this.#begin, cells: this.#cells });
    this.#cells = [];
    this.#isQuoted = false;
    this.#wasQuote = false;
    this.#begin = this.#line;
  }
}

/** Excel alone saves CSV in four ways. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The mark at the begin of a file decides, then whether every other byte is zero, then whether it can be UTF-8. */
function encodingOf(head: Uint8Array, isWhole: boolean): Encoding {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (let at = 0; at < head.length; at += 1) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4) return 'utf-16le';
  if (even > head.length / 4) return 'utf-16be';
  try {
    // The end of a piece may cut a character in two.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

const delimiters = [';', '\t', ',', '|'] as const;
type Delimiter = (typeof delimiters)[number];

/** That which divides the first lines into the most columns, the same number in each; quoted text does not count. */
function delimiterOf(head: string): Delimiter {
  const lines = linesOf(head).slice(0, 20);
  let best: { readonly delimiter: Delimiter; readonly score: number } = { delimiter: ';', score: 0 };
  for (const delimiter of delimiters) {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const most = Math.max(0, ...counts);
    const alike = counts.filter((count) => count === counts[0] && count > 0).length;
    const score = alike * 1_000 + most;
    if (alike > 0 && score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** Without what stands in quotes. */
function linesOf(text: string): readonly string[] {
  let isQuoted = false;
  let bare = '';
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted) bare += character;
  }
  return bare.split(/\r\n?|\n/).filter((line) => line !== '');
}
