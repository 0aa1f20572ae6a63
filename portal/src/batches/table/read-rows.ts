/** Reads the rows of a CSV file piece by piece, as an import of contacts does. */
import { withoutGuard } from '../../../../src/wire/csv-guard.ts';
import { CsvReader, delimiterOf } from '../../../../src/wire/csv-rows.ts';

export interface TableRow {
  /** The line on which the row begins, counted from 1 as in an editor. */
  readonly line: number;
  /** Without empty cells at the end. */
  readonly cells: readonly string[];
}

export interface Form {
  readonly encoding: Encoding;
  readonly delimiter: string;
}

const headBytes = 65_536;
const maxColumns = 1_000;
/** For a file that does not say what separates its columns. */
const delimiters = ['\t', ';', ',', '|'];

export class TableFault extends Error {
  readonly kind: 'endlessRow' | 'tooManyColumns' | 'notText';
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
  // The first non-ASCII character may come later in the file.
  const encoding = sure === 'utf-8' && !(await isUtf8(file)) ? 'windows-1252' : sure;
  const text = new TextDecoder(encoding).decode(head);
  if (text.includes('\0')) throw new TableFault('notText', 1);
  return { encoding, delimiter: delimiterOf(text, delimiters) };
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

/** Yields the rows in sets, one piece of the file at a time. Rows without any text are left out. */
export async function* readRows(
  file: Blob,
  { encoding, delimiter }: Form,
): AsyncGenerator<readonly TableRow[]> {
  const decoder = new TextDecoder(encoding);
  const csv = new CsvReader(delimiter);
  for await (const bytes of piecesOf(file)) yield rowsIn(csv, decoder.decode(bytes, { stream: true }), false);
  yield rowsIn(csv, decoder.decode(), true);
}

function rowsIn(csv: CsvReader, piece: string, isLast: boolean): readonly TableRow[] {
  const rows: TableRow[] = [];
  for (const { firstLine, cells } of csv.read(piece, isLast)) {
    const tidy = cells.map(tidyCell);
    const width = tidy.findLastIndex((cell) => cell !== '') + 1;
    if (width > maxColumns) throw new TableFault('tooManyColumns', firstLine);
    rows.push({ line: firstLine, cells: tidy.slice(0, width) });
  }
  if (csv.broken !== undefined) throw new TableFault('endlessRow', csv.broken.line);
  return rows;
}

function tidyCell(cell: string): string {
  return withoutGuard(cell.trim()).replace(/\r\n?/g, '\n');
}

/** Excel alone saves CSV in four encodings. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** A byte order mark decides; without one, many zeros in every other byte; otherwise, whether the text can be UTF-8. */
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
    // The piece may end in the middle of a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
