/**
 * A table that a provisioning file sets, declared by the fields of its records. Records are read, put and removed in sets.
 * Where a row has the id of another object, such as a company, the record has its name.
 */
import { type Fragment, oneOf, raw, rowSet, type Sql, sql } from './sql.ts';
import type { ColumnType, Row, Value } from './storable.ts';
import { bigint, json, optional, type StoredField, StoredRecord } from './stored-record.ts';
import type { Reading, Transaction } from './verb.ts';

/** Objects of another table, each known by an id and a name. */
interface Naming {
  ids(reading: Reading, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Those that are gone are absent. */
  names(reading: Reading, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** The name of an object, whose id is in the column. */
export interface NamedField extends Naming {
  readonly column: string;
}

/** `column`: that of the names. */
export function namingOf(table: string, column: string): Naming {
  const found = (reading: Reading, condition: Sql) =>
    reading.all<{ readonly id: number; readonly name: string }>(
      sql`SELECT id, ${raw(column)} AS name FROM ${raw(table)} WHERE ${condition}`,
    );
  return {
    async ids(reading, names) {
      if (names.length === 0) return new Map();
      const rows = await found(reading, sql`${raw(column)} ${oneOf('text', [...new Set(names)])}`);
      return new Map(rows.map(({ id, name }) => [name, id]));
    },
    async names(reading, ids) {
      if (ids.length === 0) return new Map();
      const rows = await found(reading, sql`id ${oneOf('bigint', [...new Set(ids)])}`);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
  };
}

interface Declared<Kept extends object, Others extends keyof Kept> {
  readonly table: string;
  /** The fields by which a row is found, and in whose order rows are read. */
  readonly key: readonly (keyof Kept & string)[];
  readonly fields: {
    readonly [Name in Exclude<keyof Kept, Others>]: StoredField<Kept[Name]> | NamedField;
  };
  /** The column that has all other fields, as JSON. */
  readonly others?: string;
}

type Values = Record<string, unknown>;

/** `Others`: the fields that stand in one column. */
export class RecordTable<Kept extends object, Others extends keyof Kept = never> {
  readonly #table: string;
  readonly #stored: StoredRecord<Readonly<Record<string, StoredField<unknown>>>>;
  readonly #named: readonly (readonly [name: string, field: NamedField])[];
  readonly #others: string | undefined;
  /** The column of each field, or its first, by name. */
  readonly #columns: ReadonlyMap<string, string>;
  readonly #keyColumns: readonly string[];
  readonly #key: Fragment;

  constructor({ table, key, fields, others }: Declared<Kept, Others>) {
    const declared: readonly (readonly [string, StoredField<unknown> | NamedField])[] =
      Object.entries(fields);
    const stored = declared.map(([name, field]) => [name, 'column' in field ? idIn(field) : field] as const);
    this.#table = table;
    this.#stored = new StoredRecord(
      Object.fromEntries(others === undefined ? stored : [...stored, [others, json<object>()]]),
    );
    this.#named = declared.flatMap(([name, field]) => ('column' in field ? [[name, field] as const] : []));
    this.#others = others;
    this.#columns = new Map(
      stored.map(([name, field]) => [
        name,
        Object.keys(new StoredRecord({ [name]: field }).columns)[0] ?? '',
      ]),
    );
    this.#keyColumns = key.map((name) => this.#columns.get(name) ?? '');
    this.#key = raw(this.#keyColumns.join(', '));
  }

  // A kind has `all`, `put` and `remove` as its own functions, so they are bound.
  readonly all = (reading: Reading): Promise<readonly Kept[]> => this.#find(reading, sql`1 = 1`);

  /** Those that have one of the values in one of the fields. */
  async read(
    reading: Reading,
    by: { readonly [Name in keyof Kept]?: readonly Value[] },
  ): Promise<readonly Kept[]> {
    const conditions: Sql[] = [];
    for (const [name, values] of Object.entries(by as Readonly<Record<string, readonly Value[]>>)) {
      const naming = this.#named.find(([field]) => field === name)?.[1];
      const ids = await naming?.ids(reading, values as readonly string[]);
      const wanted = ids === undefined ? values : [...ids.values()];
      const column = this.#columns.get(name) ?? '';
      const type = this.#stored.columns[column] as ColumnType;
      if (wanted.length > 0) conditions.push(sql`${raw(column)} ${oneOf(type, wanted)}`);
    }
    const [first, ...more] = conditions;
    if (first === undefined) return [];
    const condition = more.reduce((any, one) => sql`${any} OR ${one}`, first);
    return this.#find(reading, condition);
  }

  async #find(reading: Reading, condition: Sql): Promise<readonly Kept[]> {
    const rows = await reading.all<object>(
      sql`SELECT ${raw(this.#stored.names())} FROM ${raw(this.#table)} WHERE ${condition} ORDER BY ${this.#key}`,
    );
    const found: readonly Values[] = rows.map((row) => this.#stored.read(row));
    for (const [name, naming] of this.#named) {
      const ids = found.flatMap((one) => (one[name] as number | undefined) ?? []);
      const names = await naming.names(reading, ids);
      for (const one of found) one[name] = names.get(one[name] as number);
    }
    return found.map((one) => this.#unfolded(one)) as unknown as readonly Kept[];
  }

  #unfolded(found: Values): Values {
    if (this.#others === undefined) return found;
    const { [this.#others]: others, ...own } = found;
    return Object.assign({}, others, own);
  }

  /** Makes them, or changes those that are there. */
  readonly put = async (transaction: Transaction, records: readonly Kept[]): Promise<void> => {
    await transaction.insert(
      this.#table,
      this.#stored.columns,
      await this.#rows(transaction, records),
      `ON CONFLICT (${this.#keyColumns.join(', ')})
        DO UPDATE SET ${this.#stored.assignments('excluded', this.#keyColumns)}`,
    );
  };

  readonly remove = async (transaction: Transaction, records: readonly Kept[]): Promise<void> => {
    const gone = rowSet('gone', this.#stored.columns, await this.#rows(transaction, records));
    await transaction.run(
      sql`DELETE FROM ${raw(this.#table)} WHERE (${this.#key}) IN (SELECT ${this.#key} FROM ${gone})`,
    );
  };

  async #rows(reading: Reading, records: readonly Kept[]): Promise<readonly Row[]> {
    const kept: readonly Values[] = records.map((record) => this.#folded(Object.entries(record)));
    for (const [name, naming] of this.#named) {
      const names = kept.flatMap((one) => (one[name] as string | undefined) ?? []);
      const ids = await naming.ids(reading, names);
      for (const one of kept) one[name] = ids.get(one[name] as string);
    }
    return kept.map((one) => this.#stored.row(one));
  }

  #folded(fields: readonly (readonly [string, unknown])[]): Values {
    const own = Object.fromEntries(fields);
    if (this.#others !== undefined)
      own[this.#others] = Object.fromEntries(fields.filter(([name]) => !this.#columns.has(name)));
    return own;
  }
}

/** What is undefined stands as null. */
function idIn({ column }: NamedField): StoredField<unknown> {
  const { read, write } = optional(bigint);
  return { columns: () => ({ [column]: 'bigint' }), read, write: write as StoredField<unknown>['write'] };
}
