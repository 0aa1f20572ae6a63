/**
 * Inspects a table, and writes it as the recipients of a batch. The file is read twice, with only a piece of it in
 * memory.
 */
import { withoutDecimals } from '../../../../src/wire/phone-number.ts';
import { formOf, readRows, TableFault, type TableRow } from './read-rows.ts';
import {
  type Edits,
  editedRow,
  type Mapping,
  type ReadFault,
  recipientOf,
  type Table,
  type Written,
} from './table.ts';

/** The server's default limits. The server itself enforces the limits of the account. */
export const maxRows = 500_000;
export const maxFileBytes = 256 * 2 ** 20;

const shownRows = 6;

export class ReadError extends Error {
  readonly fault: ReadFault;

  constructor(kind: ReadFault['kind'], line = 0) {
    super(kind);
    this.fault = { kind, line };
  }
}

export async function lookAt(file: Blob, hasHeader: boolean | undefined): Promise<Table> {
  // Checked before any byte is read.
  if (file.size > maxFileBytes) throw new ReadError('tooLarge');
  const form = await formOf(file);
  const first: (readonly string[])[] = [];
  let rows = 0;
  let width = 0;
  for await (const some of readRows(file, form)) {
    for (const { cells } of some) {
      if (first.length <= shownRows) first.push(cells);
      width = Math.max(width, cells.length);
    }
    rows += some.length;
    if (rows > maxRows + 1) throw new ReadError('tooManyRows');
  }
  if (rows === 0) throw new ReadError('empty');
  const isHeader = hasHeader ?? !(first[0] ?? []).some(looksLikeNumber);
  const names = isHeader ? (first[0] ?? []) : [];
  const columns = Array.from({ length: width }, (_, at) => names[at] || letterOf(at));
  const sample = first.slice(isHeader ? 1 : 0).slice(0, shownRows);
  const scores = columns.map((_, at) => sample.filter((cells) => looksLikeNumber(cells[at] ?? '')).length);
  const numberColumn = Math.max(0, scores.indexOf(Math.max(...scores)));
  return {
    ...form,
    columns: distinct(columns),
    hasHeader: isHeader,
    rows: rows - (isHeader ? 1 : 0),
    sample,
    numberColumn,
  };
}

/** The list of recipients comes last, because the server reads it as it arrives. */
export async function write(
  file: Blob,
  table: Table,
  mapping: Mapping,
  fields: string,
  edits: Edits,
): Promise<Written> {
  const edited = linesOf(edits);
  const head = `${fields.slice(0, -1)}${fields === '{}' ? '' : ','}"batch":[`;
  const parts: (string | Blob)[] = [head];
  const digest = new Digest();
  digest.add(head);
  const lines = new Uint32Array(table.rows);
  const blankColumns = new Set<number>();
  let blankRows = 0;
  let place = 0;
  let isFirst = table.hasHeader;
  for await (const some of readRows(file, table)) {
    let text = '';
    for (const row of some) {
      if (isFirst) {
        isFirst = false;
        continue;
      }
      const { line, cells } = edited.has(row.line) ? editedRow(row, edits) : row;
      text += `${place === 0 ? '' : ','}${JSON.stringify(recipientOf(cells, mapping))}`;
      const blank = mapping.text === undefined ? mapping.fields.filter((at) => !cells[at]) : [];
      if (blank.length > 0) blankRows += 1;
      for (const at of blank) blankColumns.add(at);
      lines[place] = line;
      place += 1;
    }
    // The browser keeps the blob outside the page's memory, and on disk if it is large.
    parts.push(new Blob([text]));
    digest.add(text);
  }
  const body = new Blob([...parts, ']}'], { type: 'application/json' });
  return { body, lines, digest: digest.text, blankRows, blankColumns: [...blankColumns] };
}

function linesOf(edits: Edits): ReadonlySet<number> {
  return new Set(Object.keys(edits).map((name) => Number(name.split(':')[0])));
}

/** Returns the rows that begin on these lines. */
export async function pick(
  file: Blob,
  table: Table,
  lines: readonly number[],
  edits: Edits,
): Promise<readonly TableRow[]> {
  const wanted = new Set(lines);
  const rows: TableRow[] = [];
  for await (const some of readRows(file, table))
    for (const row of some) if (wanted.has(row.line)) rows.push(editedRow(row, edits));
  return rows;
}

/** Recognises phone numbers in any form, including what a spreadsheet makes of them. */
function looksLikeNumber(cell: string): boolean {
  const number = withoutDecimals(cell);
  return /^[+(]?[\d\s().+-]{6,24}$/.test(number) && number.replace(/\D/g, '').length >= 7;
}

/** Names a column as a spreadsheet does: A … Z, AA … */
function letterOf(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : letterOf(Math.floor(at / 26) - 1) + last;
}

/** Makes the column names distinct, because a duplicate name would be ambiguous. */
function distinct(names: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const short = name
      .slice(0, 60)
      .replace(/[{}\s]+/g, ' ')
      .trim();
    const count = (seen.get(short) ?? 0) + 1;
    seen.set(short, count);
    return count === 1 ? short : `${short} ${count}`;
  });
}

export function faultOf(error: unknown): ReadFault {
  if (error instanceof ReadError) return error.fault;
  if (error instanceof TableFault) return { kind: error.kind, line: error.line };
  // The file was changed or removed while it was being read.
  if (error instanceof DOMException) return { kind: 'unreadable', line: 0 };
  throw error;
}

/**
 * Distinguishes tables by a 64-bit digest. `crypto.subtle` is unavailable over plain HTTP, and is not needed. If two
 * tables have the same digest, the server, which compares the whole content, refuses the second.
 */
class Digest {
  #high = 0x6a09e667;
  #low = 0xbb67ae85 | 0;

  add(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      this.#high = Math.imul(this.#high ^ unit, 0x9e3779b1);
      this.#low = Math.imul(this.#low ^ unit ^ (this.#high >>> 15), 0x85ebca6b);
    }
  }

  get text(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
