/** What the page and the worker that reads its table say to each other. */
import { withoutDecimals } from '../../../../src/wire/phone-number.ts';
import type { Form } from './read-rows.ts';

export interface Table extends Form {
  /** Their names: of the first row, or `A`, `B`, `C` where it has none. */
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  /** Without the header. */
  readonly rows: number;
  readonly sample: readonly (readonly string[])[];
  /** The column with the numbers, as far as can be seen. */
  readonly numberColumn: number;
}

/** Which column is what. */
export interface Mapping {
  readonly number: number;
  /** Undefined: all have the common text. */
  readonly text: number | undefined;
  /** Columns whose names stand in the common text. */
  readonly fields: readonly number[];
}

/** What the call has of a row. */
export function recipientOf(cells: readonly string[], { number, text, fields }: Mapping): object {
  const t = withoutDecimals(cells[number] ?? '');
  if (text !== undefined) return { t, m: cells[text] ?? '' };
  return fields.length === 0 ? { t } : { t, s: fields.map((at) => cells[at] ?? '') };
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
    };

export interface Written {
  /** The body of the call. */
  readonly body: Blob;
  /** Of each recipient, the line of the file that it comes from. */
  readonly lines: Uint32Array;
  /** How many recipients lack what their text has a field for. */
  readonly blankRows: number;
  /** Of the columns that the text has fields for, those in which some row has nothing. */
  readonly blankColumns: readonly number[];
  /** Of the body: what is sent again is known by it. */
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

export type Told =
  | { readonly id: number; readonly table: Table }
  | { readonly id: number; readonly written: Written }
  | { readonly id: number; readonly fault: ReadFault };
