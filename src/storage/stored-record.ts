/** How the fields of an object stand in the columns of a table: said once, for whoever reads, inserts or changes rows. */
import type { Columns, ColumnType, Row, Value } from './storable.ts';

export interface StoredField<Kept> {
  /** `name`: of the field in snake case. */
  columns(name: string): Columns;
  /** The values of its columns; as many are written. */
  read(values: Row): Kept;
  write(kept: Kept): Row;
}

function column<Kept>(
  type: ColumnType,
  read: (value: Value) => Kept,
  write: (kept: Kept) => Value,
): StoredField<Kept> {
  return {
    columns: (name) => ({ [name]: type }),
    read: ([value = null]) => read(value),
    write: (kept) => [write(kept)],
  };
}

const asItIs = <Kept extends Value>(type: ColumnType) =>
  column(
    type,
    (value) => value as Kept,
    (kept) => kept,
  );

export const text = asItIs<string>('text');
export const bigint = asItIs<number>('bigint');
export const integer = asItIs<number>('integer');
export const smallint = asItIs<number>('smallint');
export const flag = column('smallint', (value) => value === 1, Number);

/** A list or an object, as JSON. */
export function json<Kept>(): StoredField<Kept> {
  return column<Kept>('text', (value) => JSON.parse(value as string) as Kept, JSON.stringify);
}

/** What is undefined stands as null. */
export function optional<Kept>({ columns, read, write }: StoredField<Kept>): StoredField<Kept | undefined> {
  return {
    columns,
    read: (values) => (values.every((value) => value === null) ? undefined : read(values)),
    write: (kept) => (kept === undefined ? [null] : write(kept)),
  };
}

type Fields = Readonly<Record<string, StoredField<unknown>>>;

type RecordOf<Table extends Fields> = {
  readonly [Name in keyof Table]: Table[Name] extends StoredField<infer Kept> ? Kept : never;
};

/** What a `StoredRecord` reads and writes. */
export type Kept<Stored> = Stored extends StoredRecord<infer Table> ? RecordOf<Table> : never;

export class StoredRecord<Table extends Fields> {
  /** In the order of the fields. */
  readonly columns: Columns;
  readonly #fields: readonly (readonly [string, StoredField<unknown>, readonly string[]])[];

  constructor(fields: Table) {
    const columns = Object.entries(fields).map(([name, field]) => {
      return [
        name,
        field,
        field.columns(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
      ] as const;
    });
    this.columns = Object.assign({}, ...columns.map(([, , own]) => own)) as Columns;
    this.#fields = columns.map(([name, field, own]) => [name, field, Object.keys(own)]);
  }

  /** For a list in a statement. `prefix`: where columns of two tables have the same names. */
  names(table?: string, prefix = ''): string {
    const one = (name: string) => `${table === undefined ? '' : `${table}.`}${name}`;
    return this.#join((name) => (prefix === '' ? one(name) : `${one(name)} AS ${prefix}${name}`));
  }

  /** As `name = excluded.name, …`, of all but the columns by which a row is found. */
  assignments(from: string, keys: readonly string[]): string {
    return this.#join((name) => (keys.includes(name) ? [] : `${name} = ${from}.${name}`));
  }

  #join(write: (name: string) => string | readonly string[]): string {
    return Object.keys(this.columns).flatMap(write).join(', ');
  }

  read(row: object, prefix = ''): RecordOf<Table> {
    const values = row as Readonly<Record<string, Value>>;
    const read = this.#fields.map(([name, field, columns]) => {
      return [name, field.read(columns.map((one) => values[prefix + one] as Value))];
    });
    return Object.fromEntries(read) as RecordOf<Table>;
  }

  row(record: RecordOf<Table>): Row {
    return this.#fields.flatMap(([name, field]) => field.write(record[name as keyof Table]));
  }
}
