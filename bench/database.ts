/** Accesses the store directly, bypassing the server, over a separate connection. */
import pg from 'pg';
import { raw, rowSet, type Sql, sql } from '../src/storage/sql.ts';
import { databasePath, openDatabase } from '../src/storage/sqlite/database.ts';
import type { Columns, Row } from '../src/storage/storable.ts';
import type { Engine } from './options.ts';
import { parentOf } from './process-usage.ts';
import type { Server } from './server.ts';

export interface Database {
  readonly engine: Engine;
  all<Found>(statement: Sql): Promise<Found[]>;
  /** Inserts rows in one durable transaction, in the way that is fastest for the engine. */
  insert(table: string, columns: Columns, rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

export async function openDirectly({
  databaseUrl,
  dataFolder,
}: Pick<Server, 'databaseUrl' | 'dataFolder'>): Promise<Database> {
  if (databaseUrl === undefined) {
    const database = openDatabase(databasePath(dataFolder));
    return {
      engine: 'sqlite',
      async all<Found>(statement: Sql) {
        const { text, parameters } = statement.compile('sqlite');
        return database.prepare(text).all(...parameters) as Found[];
      },
      async insert(table, columns, rows) {
        const names = Object.keys(columns);
        const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
        const statement = database.prepare(text);
        database.exec('BEGIN IMMEDIATE');
        for (const row of rows) statement.run(...row);
        database.exec('COMMIT');
      },
      close: async () => database.close(),
    };
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  // Counts and ids stay below 2^53.
  for (const oid of [20, 1700]) client.setTypeParser(oid, Number);
  await client.connect();
  return {
    engine: 'postgres',
    async all<Found>(statement: Sql) {
      const { text, parameters } = statement.compile('postgres');
      return (await client.query(text, [...parameters])).rows as Found[];
    },
    async insert(table, columns, rows) {
      const names = raw(Object.keys(columns).join(', '));
      const { text, parameters } = sql`INSERT INTO ${raw(table)} (${names})
        SELECT * FROM ${rowSet('finished', columns, rows)}`.compile('postgres');
      await client.query(text, [...parameters]);
    },
    close: () => client.end(),
  };
}

async function count(database: Database, where: string): Promise<number> {
  const [row] = await database.all<{ n: number }>(
    sql`SELECT COUNT(*) AS n FROM messages WHERE ${raw(where)}`,
  );
  return row?.n ?? 0;
}

/** Counts the messages that are not in a final state; an index covers only these. */
export function countUnderWay(database: Database): Promise<number> {
  return count(database, 'stage IS NOT NULL');
}

const delivered = 2;

export function countDelivered(database: Database): Promise<number> {
  return count(database, `status = ${delivered}`);
}

/** The id of the PostgreSQL process whose children serve the connections. */
export async function postmaster(database: Database): Promise<number> {
  const [row] = await database.all<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  if (row === undefined) throw new Error('PostgreSQL did not report its process id');
  return parentOf(row.pid);
}
