/** Declares how the fields of an object map to the columns of a table, for reading, inserting and changing rows. */
import { raw, type Sql, sql } from './sql.ts';
import type { Columns, ColumnType, Row, Value } from './storable.ts';
import type { Reading } from './verb.ts';

export interface StoredField<Kept> {
  /** `name` is the name of the field in snake case. */
  columns(name: string): Columns;
  /** `values` are those of the field's columns, in order; `write` returns as many. */
  read(values: Row): Kept;
  write(kept: Kept): Row;
  /** The expression that a statement selects instead of a column. */
  readonly expression?: string;
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
/** Represents whole numbers of any size in a record that is only read, where the column type has no effect. */
export const bigint = asItIs<number>('bigint');
export const integer = asItIs<number>('integer');
export const smallint = asItIs<number>('smallint');
export const flag = column('smallint', (value) => value === 1, Number);

/** An object without the keys that have no value, as JSON of it is stored. */
export function withoutAbsent<Item extends object>(
  item: Item,
): { readonly [Key in keyof Item]: Exclude<Item[Key], undefined> } {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Item]: Exclude<Item[Key], undefined>;
  };
}

/** A list or an object, as JSON. */
export function json<Kept>(): StoredField<Kept> {
  return column<Kept>('text', (value) => JSON.parse(value as string) as Kept, JSON.stringify);
}

/** An item of a list, stored by its position. A position that only a later version knows is read as the first item. */
export function enumerated<Item extends string>(items: readonly [Item, ...Item[]]): StoredField<Item> {
  return column<Item>(
    'smallint',
    (value) => items[value as number] ?? items[0],
    (kept) => items.indexOf(kept),
  );
}

/** Undefined is stored as null. */
export function optional<Kept>({ columns, read, write }: StoredField<Kept>): StoredField<Kept | undefined> {
  return {
    columns,
    read: (values) => (values.every((value) => value === null) ? undefined : read(values)),
    write: (kept) => (kept === undefined ? [null] : write(kept)),
  };
}

/** Like `optional`, for an object that has null instead of undefined. */
export function nullable<Kept>(field: StoredField<Kept>): StoredField<Kept | null> {
  const { columns, read, write } = optional(field);
  return { columns, read: (values) => read(values) ?? null, write: (kept) => write(kept ?? undefined) };
}

/** `column` is used instead of the field's own name. */
export function inColumn<Kept>(column: string, field: StoredField<Kept>): StoredField<Kept> {
  return { ...field, columns: () => field.columns(column) };
}

/** A field that is only read: a column of a joined table, or a value that the statement computes. */
export function expression<Kept>(text: string, field: StoredField<Kept>): StoredField<Kept> {
  return { ...field, expression: text };
}

type Template = Parameters<typeof sql>;
type Fields = Readonly<Record<string, StoredField<unknown>>>;

type RecordOf<Table extends Fields> = {
  readonly [Name in keyof Table]: Table[Name] extends StoredField<infer Kept> ? Kept : never;
};

/** The object type that a `StoredRecord` reads and writes. */
export type Kept<Stored> = Stored extends StoredRecord<infer Table> ? RecordOf<Table> : never;

export class StoredRecord<Table extends Fields> {
  /** In field order. */
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

  /**
   * Reads the objects of a statement. The template is what follows the list after SELECT: record.all(reading)`FROM … WHERE
   * …`. `table` is needed if other tables have columns of the same names.
   */
  all(reading: Reading, table?: string): (...from: Template) => Promise<RecordOf<Table>[]> {
    return async (...from) => {
      const rows = await reading.all<object>(this.#select(table, from));
      return rows.map((row) => this.read(row));
    };
  }

  first(reading: Reading, table?: string): (...from: Template) => Promise<RecordOf<Table> | undefined> {
    return async (...from) => {
      const row = await reading.first<object>(this.#select(table, from));
      return row && this.read(row);
    };
  }

  #select(table: string | undefined, from: Template): Sql {
    return sql`SELECT ${raw(this.names(table))} ${sql(...from)}`;
  }

  /** The column list for a statement. `prefix` is needed if two tables have columns of the same names. */
  names(table?: string, prefix = ''): string {
    const one = (name: string) => `${table === undefined ? '' : `${table}.`}${name}`;
    return this.#fields
      .flatMap(([, { expression }, columns]) =>
        columns.map((name) =>
          expression === undefined && prefix === ''
            ? one(name)
            : `${expression ?? one(name)} AS ${prefix}${name}`,
        ),
      )
      .join(', ');
  }

  /** Returns `name = excluded.name, …` for all columns except those that identify the row. */
  assignments(from: string, keys: readonly string[]): string {
    return Object.keys(this.columns)
      .flatMap((name) => (keys.includes(name) ? [] : `${name} = ${from}.${name}`))
      .join(', ');
  }

  read(row: object, prefix = ''): RecordOf<Table> {
    const values = row as Readonly<Record<string, Value>>;
    const record: Record<string, unknown> = {};
    for (const [name, field, columns] of this.#fields)
      record[name] = field.read(columns.map((one) => values[prefix + one] as Value));
    return record as RecordOf<Table>;
  }

  row(record: RecordOf<Table>): Row {
    return this.#fields.flatMap(([name, field]) => field.write(record[name as keyof Table]));
  }
}
