/** The messages between the page and the worker that reads its table. */
import { withoutDecimals } from '../../../../src/wire/phone-number.ts';
import type { Form, TableRow } from './read-rows.ts';

export interface Table extends Form {
  /** Column names from the first row, or `A`, `B`, `C` if it has none. */
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  /** The number of rows, excluding the header. */
  readonly rows: number;
  readonly sample: readonly (readonly string[])[];
  /** The column that appears to hold the phone numbers. */
  readonly numberColumn: number;
}

/** The columns that hold the numbers, the texts and the fields. */
export interface Mapping {
  readonly number: number;
  /** The column with the texts; undefined if all recipients get the common text. */
  readonly text: number | undefined;
  /** Columns whose names are in the common text. */
  readonly fields: readonly number[];
}

/** What the call takes from each row. */
export function recipientOf(cells: readonly string[], { number, text, fields }: Mapping): object {
  const t = withoutDecimals(cells[number] ?? '');
  if (text !== undefined) return { t, m: cells[text] ?? '' };
  return fields.length === 0 ? { t } : { t, s: fields.map((at) => cells[at] ?? '') };
}

/** Cells that the user has changed after the table was read, by `cellAt`. */
export type Edits = Readonly<Record<string, string>>;

/** Names a cell by the line on which its row begins, and its column, counted from 0. */
export function cellAt(line: number, column: number): string {
  return `${line}:${column}`;
}

export function editedRow({ line, cells }: TableRow, edits: Edits): TableRow {
  const changed = [...cells];
  for (const [name, text] of Object.entries(edits)) {
    const [ofLine, column] = name.split(':').map(Number);
    if (ofLine !== line || column === undefined) continue;
    while (changed.length < column) changed.push('');
    changed[column] = text;
  }
  return { line, cells: changed };
}

export type Ask =
  | {
      readonly id: number;
      readonly kind: 'look';
      readonly file: Blob;
      readonly hasHeader: boolean | undefined;
    }
  | {
      readonly id: number;
      readonly kind: 'write';
      readonly file: Blob;
      readonly table: Table;
      readonly mapping: Mapping;
      /** The rest of the call, as JSON. */
      readonly fields: string;
      readonly edits: Edits;
    }
  | {
      readonly id: number;
      readonly kind: 'pick';
      readonly file: Blob;
      readonly table: Table;
      readonly lines: readonly number[];
      readonly edits: Edits;
    };

export interface Written {
  readonly body: Blob;
  /** For each recipient, the line of the file that it comes from. */
  readonly lines: Uint32Array;
  /** The number of recipients with an empty value for a field of their text. */
  readonly blankRows: number;
  /** Columns used as fields of the text that are empty in at least one row. */
  readonly blankColumns: readonly number[];
  /** Digest of the body, by which a repeated send is recognised. */
  readonly digest: string;
}

export interface ReadFault {
  readonly kind:
    | 'tooLarge'
    | 'tooManyRows'
    | 'endlessRow'
    | 'tooManyColumns'
    | 'notText'
    | 'empty'
    | 'unreadable';
  readonly line: number;
}

export type Reply =
  | { readonly id: number; readonly table: Table }
  | { readonly id: number; readonly written: Written }
  | { readonly id: number; readonly rows: readonly TableRow[] }
  | { readonly id: number; readonly fault: ReadFault };
