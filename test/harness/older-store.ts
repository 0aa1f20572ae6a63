/** Makes a store as the previous version left it, and reads everything that a store holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrations, schemaVersion } from '../../src/storage/schema.ts';
import { versionTable } from '../../src/storage/schema-version.ts';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { type EngineName, freshDatabase } from './engines.ts';
import { query } from './messaging.ts';

/** The settings of a server or a command, which determine where its store is. */
type Environment = Readonly<Record<string, string>>;

export interface OlderStore {
  readonly env: Environment;
  /** The data folder of the embedded store, or that of the server for PostgreSQL. */
  readonly folder: string;
  remove(): Promise<void>;
}

export const olderVersion = schemaVersion - 1;

/** Columns that the latest step drops, by table, as they follow from those that stay. */
const dropped: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

/** Creates the store with the rows of a store of this version, in the tables and columns that the previous version knew. */
export async function makeOlderStore(engine: EngineName, rowsOf?: Environment): Promise<OlderStore> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-older-'));
  const database = engine === 'postgres' ? await freshDatabase('empty') : undefined;
  const env = {
    CARILLON_DATA: folder,
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
  };
  await query({ env }, versionTable);
  for (const { version, what, statements } of migrations.filter(({ version }) => version <= olderVersion)) {
    for (const statement of statements(engine)) await query({ env }, statement);
    const inserted = `(${version}, '${what.replaceAll("'", "''")}', 0)`;
    await query({ env }, `INSERT INTO schema_versions VALUES ${inserted}`);
  }
  if (rowsOf !== undefined)
    await (database === undefined ? copySqliteRows(rowsOf, folder) : copyPostgresRows(rowsOf, database.url));
  return {
    env,
    folder,
    async remove() {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copySqliteRows({ CARILLON_DATA: from = '' }: Environment, to: string): void {
  const database = openDatabase(databasePath(to));
  const namesIn = (text: string) =>
    (database.prepare(text).all() as { name: string }[]).map(({ name }) => name).join(', ');
  database.exec(`ATTACH '${databasePath(from)}' AS newer; BEGIN; PRAGMA defer_foreign_keys = ON`);
  const tables = database.prepare(
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_versions'",
  );
  for (const { name } of tables.all() as { name: string }[]) {
    const columns = namesIn(
      `SELECT name FROM pragma_table_info('${name}', 'main') INTERSECT SELECT name FROM pragma_table_info('${name}', 'newer')`,
    );
    if (columns === '') continue;
    const further = Object.entries(dropped[name] ?? {});
    const names = [columns, ...further.map(([column]) => column)].join(', ');
    const values = [columns, ...further.map(([, value]) => value)].join(', ');
    database.exec(`INSERT INTO main.${name} (${names}) SELECT ${values} FROM newer.${name}`);
  }
  database.exec('COMMIT');
  database.close();
}

async function copyPostgresRows({ DATABASE_URL: from = '' }: Environment, to: string): Promise<void> {
  const newer = new pg.Client({ connectionString: from });
  const older = new pg.Client({ connectionString: to });
  await Promise.all([newer.connect(), older.connect()]);
  const ofTables = async (client: pg.Client) =>
    (await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).rows.map(
      ({ tablename }) => tablename as string,
    );
  const known = new Set(await ofTables(newer));
  // Disables triggers and foreign keys, since the rows are copied unchanged in any order.
  await older.query('SET session_replication_role = replica');
  for (const table of (await ofTables(older)).filter((name) => known.has(name))) {
    if (table === 'schema_versions') continue;
    const further = Object.entries(dropped[table] ?? {}).map(([column, value]) => `, ${value} AS ${column}`);
    const { rows } = await newer.query(
      `SELECT json_agg(one)::text AS all FROM (SELECT *${further.join('')} FROM ${table}) AS one`,
    );
    await older.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
      rows[0].all ?? '[]',
    ]);
  }
  const { rows: sequences } = await newer.query(
    'SELECT sequencename AS name, last_value AS last FROM pg_sequences WHERE last_value IS NOT NULL',
  );
  for (const { name, last } of sequences) await older.query('SELECT setval($1, $2)', [name, last]);
  await Promise.all([newer.end(), older.end()]);
}

/** All rows of all tables of the store that a server or a command has with these settings, each as JSON. */
export async function dumpOf(env: Environment): Promise<string[]> {
  if (env.DATABASE_URL === undefined) {
    const database = openDatabase(databasePath(env.CARILLON_DATA ?? ''), { readOnly: true });
    const rowsOf = (text: string) => database.prepare(text).all() as Record<string, unknown>[];
    const tables = rowsOf("SELECT name FROM sqlite_master WHERE type = 'table'");
    const dump = tables.flatMap(({ name }) =>
      rowsOf(`SELECT * FROM ${name}`).map((row) => JSON.stringify(row)),
    );
    database.close();
    return dump;
  }
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows: tables } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const dump: string[] = [];
  for (const { tablename } of tables)
    for (const row of (await client.query(`SELECT * FROM ${tablename}`)).rows) dump.push(JSON.stringify(row));
  await client.end();
  return dump;
}
