/**
 * A table as a provisioning file sees it, declared by the fields of its records, which are read, put and removed in sets. If
 * a row has the id of another object, such as a company, the record has that object's name instead.
 */
import { oneOf, raw, rowSet, type Sql, sql } from './sql.ts';
import type { ColumnType, Row, Value } from './storable.ts';
import { bigint, json, optional, type StoredField, StoredRecord } from './stored-record.ts';
import type { Reading, Transaction } from './verb.ts';

/** Objects of another table, each known by an id and a name. */
interface Naming {
  ids(reading: Reading, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Ids of removed objects have no name. */
  names(reading: Reading, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** A field that holds an object's name, whose id is in the column. */
export interface NamedField extends Naming {
  readonly column: string;
}

/** `column` is the column of the names. */
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

/** A field that has a column of its own, rather than a place in the column of the other fields. */
type OwnField<Kept extends object, Others extends keyof Kept> = Exclude<keyof Kept, Others> & string;

interface Declared<Kept extends object, Others extends keyof Kept> {
  readonly table: string;
  /** The fields that identify a row and determine the read order. */
  readonly key: readonly OwnField<Kept, Others>[];
  readonly fields: {
    readonly [Name in OwnField<Kept, Others>]: StoredField<Kept[Name]> | NamedField;
  };
  /** The column that holds all other fields as JSON. */
  readonly others?: string;
}

type Values = Record<string, unknown>;

type Declaration = readonly [name: string, field: StoredField<unknown> | NamedField];

/** Some or all fields of a record. */
class Part {
  readonly stored: StoredRecord<Readonly<Record<string, StoredField<unknown>>>>;
  readonly named: readonly (readonly [name: string, field: NamedField])[];

  constructor(declared: readonly Declaration[]) {
    const stored = declared.map(([name, field]) => [name, 'column' in field ? idIn(field) : field] as const);
    this.stored = new StoredRecord(Object.fromEntries(stored));
    this.named = declared.flatMap(([name, field]) => ('column' in field ? [[name, field] as const] : []));
  }

  async rows(reading: Reading, records: readonly object[]): Promise<readonly Row[]> {
    const rows = records.map((record): Values => Object.fromEntries(Object.entries(record)));
    for (const [name, naming] of this.named) {
      const names = rows.flatMap((row) => (row[name] as string | undefined) ?? []);
      const ids = await naming.ids(reading, names);
      for (const row of rows) row[name] = ids.get(row[name] as string);
    }
    return rows.map((row) => this.stored.row(row));
  }
}

type Names = ReadonlyMap<number, string>;

/** `Others`: the fields that share one column. */
export class RecordTable<Kept extends object, Others extends keyof Kept = never> {
  readonly #table: string;
  readonly #whole: Part;
  readonly #key: Part;
  readonly #others: string | undefined;
  /** The column, or first column, of each field by name. */
  readonly #columns: ReadonlyMap<string, readonly [name: string, type: ColumnType]>;

  constructor({ table, key, fields, others }: Declared<Kept, Others>) {
    const declared: readonly Declaration[] = Object.entries(fields);
    this.#table = table;
    this.#whole = new Part(others === undefined ? declared : [...declared, [others, json<object>()]]);
    this.#key = new Part(key.map((name) => [name, fields[name] as Declaration[1]]));
    this.#others = others;
    this.#columns = new Map(
      declared.flatMap((one) => {
        const columns = Object.entries(new Part([one]).stored.columns);
        return columns.slice(0, 1).map((column) => [one[0], column] as const);
      }),
    );
  }

  // A kind uses `all`, `make`, `put` and `remove` as its own functions, so they are bound.
  readonly all = (reading: Reading): Promise<readonly Kept[]> => this.#find(reading, sql`1 = 1`, new Map());

  /** Returns the records that have one of the values in one of the fields. */
  async read(
    reading: Reading,
    by: { readonly [Name in OwnField<Kept, Others>]?: readonly Value[] },
  ): Promise<readonly Kept[]> {
    const asked = new Map(Object.entries<readonly Value[] | undefined>(by));
    const naming = new Map(this.#whole.named);
    const known = new Map<string, Names>();
    const conditions: Sql[] = [];
    for (const [name, [column, type]] of this.#columns) {
      const values = asked.get(name) ?? [];
      const ids = await naming.get(name)?.ids(reading, values as readonly string[]);
      if (ids !== undefined) known.set(name, new Map([...ids].map(([called, id]) => [id, called])));
      const wanted = ids === undefined ? values : [...ids.values()];
      if (wanted.length > 0) conditions.push(sql`${raw(column)} ${oneOf(type, wanted)}`);
    }
    const [first, ...more] = conditions;
    if (first === undefined) return [];
    const condition = more.reduce((any, one) => sql`${any} OR ${one}`, first);
    return this.#find(reading, condition, known);
  }

  /** `known`: names that are already known and need not be read, by field. */
  async #find(reading: Reading, condition: Sql, known: ReadonlyMap<string, Names>): Promise<readonly Kept[]> {
    const { stored, named } = this.#whole;
    const found: readonly Values[] = await stored.all(reading)`
      FROM ${raw(this.#table)} WHERE ${condition} ORDER BY ${raw(this.#key.stored.names())}`;
    for (const [name, naming] of named) {
      const own = known.get(name);
      const ids = found.flatMap((one) => (one[name] as number | undefined) ?? []);
      const names = await naming.names(
        reading,
        ids.filter((id) => !own?.has(id)),
      );
      for (const one of found) one[name] = own?.get(one[name] as number) ?? names.get(one[name] as number);
    }
    return found.map((one) => this.#unfolded(one)) as unknown as readonly Kept[];
  }

  #unfolded(found: Values): Values {
    if (this.#others === undefined) return found;
    const { [this.#others]: others, ...own } = found;
    return Object.assign({}, others, own);
  }

  /** Inserts the records. Throws if one of them already exists. */
  readonly make = (transaction: Transaction, records: readonly Kept[]): Promise<void> =>
    this.#insert(transaction, records, '');

  /** Inserts the records, or updates those that already exist. */
  readonly put = (transaction: Transaction, records: readonly Kept[]): Promise<void> => {
    const keys = Object.keys(this.#key.stored.columns);
    return this.#insert(
      transaction,
      records,
      `ON CONFLICT (${this.#key.stored.names()})
        DO UPDATE SET ${this.#whole.stored.assignments('excluded', keys)}`,
    );
  };

  async #insert(transaction: Transaction, records: readonly Kept[], onConflict: string): Promise<void> {
    const rows = await this.#whole.rows(
      transaction,
      records.map((record) => this.#folded(record)),
    );
    await transaction.insert(this.#table, this.#whole.stored.columns, rows, onConflict);
  }

  readonly remove = async (transaction: Transaction, records: readonly Kept[]): Promise<void> => {
    const { stored } = this.#key;
    const gone = rowSet('gone', stored.columns, await this.#key.rows(transaction, records));
    const key = raw(stored.names());
    await transaction.run(
      sql`DELETE FROM ${raw(this.#table)} WHERE (${key}) IN (SELECT ${key} FROM ${gone})`,
    );
  };

  #folded(record: Kept): object {
    if (this.#others === undefined) return record;
    const others = Object.entries(record).filter(([name]) => !this.#columns.has(name));
    return Object.assign({}, record, { [this.#others]: Object.fromEntries(others) });
  }
}

/** Undefined is stored as null. */
function idIn({ column }: NamedField): StoredField<unknown> {
  const { read, write } = optional(bigint);
  return { columns: () => ({ [column]: 'bigint' }), read, write: write as StoredField<unknown>['write'] };
}
