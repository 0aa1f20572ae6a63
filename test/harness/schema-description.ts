/** Describes a database's schema in the same form for both engines, so that the two can be compared. */
import type pg from 'pg';
import type { Database } from '../../src/storage/sqlite/database.ts';

export interface ColumnDescription {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
}

export interface TableDescription {
  readonly columns: readonly ColumnDescription[];
  readonly primaryKey: readonly string[];
  /** Unique column sets other than the primary key. */
  readonly unique: readonly string[];
  /** `name (columns) where condition`, or `unique name …` */
  readonly indexes: readonly string[];
  /** `column -> table (column) on delete action` */
  readonly references: readonly string[];
}

export type SchemaDescription = Readonly<Record<string, TableDescription>>;

/** Conditions differ only in parentheses and spaces, except that PostgreSQL writes `IN (1, 2)` as `= ANY (ARRAY[1, 2])`. */
function plain(condition: string | null): string {
  const words = (condition ?? '').toLowerCase().replace(/[()]/g, ' ').replace(/\s+/g, ' ');
  return words.replace(/= any array\[([^\]]*)\]/g, 'in $1').trim();
}

function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}

export function describeSqlite(database: Database): SchemaDescription {
  const all = <Row>(text: string) => database.prepare(text).all() as Row[];
  const tables = all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const described = tables.map(({ name: table }): [string, TableDescription] => {
    const columns = all<{
      name: string;
      type: string;
      notnull: number;
      dflt_value: string | null;
      pk: number;
    }>(`PRAGMA table_info(${table})`);
    const indexes = all<{ name: string; unique: number; origin: string }>(`PRAGMA index_list(${table})`);
    const columnsOf = (index: string) => {
      const names = all<{ name: string | null }>(`PRAGMA index_info(${index})`).map(({ name }) => name);
      // An expression column has no name, so all columns are taken from the statement.
      if (!names.includes(null)) return names.join(', ');
      const [made] = all<{ sql: string }>(`SELECT sql FROM sqlite_master WHERE name = '${index}'`);
      return /\((.*)\)/.exec(made?.sql ?? '')?.[1] ?? '';
    };
    const conditionOf = (index: string) => {
      const [made] = all<{ sql: string }>(`SELECT sql FROM sqlite_master WHERE name = '${index}'`);
      return plain(/\bWHERE\b(.*)$/is.exec(made?.sql ?? '')?.[1] ?? null);
    };
    const keys = all<{ from: string; table: string; to: string; on_delete: string }>(
      `PRAGMA foreign_key_list(${table})`,
    );
    return [
      table,
      {
        columns: columns.map((column) => ({
          name: column.name,
          type: column.type.toLowerCase(),
          nullable: column.notnull === 0,
          default: column.dflt_value,
        })),
        primaryKey: columns
          .filter(({ pk }) => pk > 0)
          .sort((a, b) => a.pk - b.pk)
          .map(({ name }) => name),
        unique: sorted(indexes.filter(({ origin }) => origin === 'u').map(({ name }) => columnsOf(name))),
        indexes: sorted(
          indexes
            .filter(({ origin }) => origin === 'c')
            .map(
              ({ name, unique }) =>
                `${unique === 1 ? 'unique ' : ''}${name} (${columnsOf(name)}) where ${conditionOf(name)}`,
            ),
        ),
        references: sorted(
          keys.map(
            (key) => `${key.from} -> ${key.table} (${key.to}) on delete ${key.on_delete.toLowerCase()}`,
          ),
        ),
      },
    ];
  });
  return Object.fromEntries(described);
}

const columnQuery = `
  SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable, 
    regexp_replace(column_default, '::text$', '') AS "default"
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`;

const indexQuery = `
  SELECT made.relname AS name, tables.relname AS "table", indisprimary AS "primary", indisunique AS "unique",
    EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')) AS constrains,
    pg_get_expr(indpred, indrelid) AS condition,
    ARRAY(SELECT replace(pg_get_indexdef(indexrelid, place, true), ' COLLATE "C"', '') FROM generate_series(1, indnkeyatts) AS place) AS columns
  FROM pg_index JOIN pg_class AS made ON made.oid = indexrelid JOIN pg_class AS tables ON tables.oid = indrelid
  WHERE tables.relnamespace = 'public'::regnamespace`;

const referenceQuery = `
  SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE contype = 'f' AND connamespace = 'public'::regnamespace`;

interface PostgresIndex {
  readonly name: string;
  readonly table: string;
  readonly primary: boolean;
  readonly unique: boolean;
  /** Whether the index belongs to a key of the table rather than standing alone. */
  readonly constrains: boolean;
  readonly condition: string | null;
  readonly columns: readonly string[];
}

export async function describePostgresSchema(client: pg.ClientBase): Promise<SchemaDescription> {
  const columns = (await client.query<ColumnDescription & { table: string }>(columnQuery)).rows;
  const indexes = (await client.query<PostgresIndex>(indexQuery)).rows;
  const references = (await client.query<{ table: string; definition: string }>(referenceQuery)).rows;
  const names = [...new Set(columns.map(({ table }) => table))].sort();
  const described = names.map((name): [string, TableDescription] => {
    const own = indexes.filter(({ table }) => table === name);
    return [
      name,
      {
        columns: columns.filter(({ table }) => table === name).map(({ table: _, ...column }) => column),
        primaryKey: own.find(({ primary }) => primary)?.columns ?? [],
        unique: sorted(
          own.filter((index) => index.constrains && !index.primary).map((index) => index.columns.join(', ')),
        ),
        indexes: sorted(
          own
            .filter(({ constrains }) => !constrains)
            .map(
              (index) =>
                `${index.unique ? 'unique ' : ''}${index.name} (${index.columns.join(', ').replaceAll('::text', '')}) where ${plain(index.condition)}`,
            ),
        ),
        references: sorted(
          references.filter(({ table }) => table === name).map(({ definition }) => referenceText(definition)),
        ),
      },
    ];
  });
  return Object.fromEntries(described);
}

/** `FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE` */
function referenceText(definition: string): string {
  const [, from, table, to, action = 'no action'] =
    /^FOREIGN KEY \((.+?)\) REFERENCES (\w+)\((.+?)\)(?: ON DELETE (.+))?$/.exec(definition) ?? [];
  return `${from} -> ${table} (${to}) on delete ${action.toLowerCase()}`;
}
