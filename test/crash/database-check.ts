/** Checks that the database itself finds no fault in its files, and that every row of every table can be read. */
import type { WholeApp } from '../harness/app.ts';
import { query } from '../harness/messaging.ts';

/** Returns the faults, one sentence each; none if all is sound. */
export function checkDatabase(app: WholeApp): Promise<readonly string[]> {
  return app.env.DATABASE_URL === undefined ? checkSqlite(app) : checkPostgres(app);
}

async function checkSqlite(app: WholeApp): Promise<readonly string[]> {
  const integrity = await query(app, 'PRAGMA integrity_check');
  const foreign = await query(app, 'PRAGMA foreign_key_check');
  const faults = integrity.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok');
  return [...faults, ...foreign.map((row) => `a foreign key leads nowhere: ${JSON.stringify(row)}`)];
}

async function checkPostgres(app: WholeApp): Promise<readonly string[]> {
  const faults: string[] = [];
  const tables = await query(
    app,
    `SELECT oid, relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const attempt = async (what: string, text: string) => {
    try {
      for (const row of await query(app, text))
        if (row.fault !== undefined) faults.push(`${what}: ${row.fault}`);
    } catch (error) {
      faults.push(`${what}: ${(error as Error).message}`);
    }
  };
  for (const { relname } of tables)
    await attempt(
      `reading ${relname}`,
      `SELECT SUM(LENGTH(one::text)) AS characters FROM ${String(relname)} AS one`,
    );
  if (!(await hasAmcheck(app))) return faults;
  await query(app, 'CREATE EXTENSION IF NOT EXISTS amcheck');
  for (const { oid, relname } of tables)
    await attempt(`the heap of ${relname}`, `SELECT msg AS fault FROM verify_heapam(${Number(oid)})`);
  const indexes = await query(
    app,
    `SELECT pg_class.oid, relname FROM pg_class JOIN pg_am ON pg_am.oid = relam AND amname = 'btree'
     WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace`,
  );
  // With `true`, every row of the table must also be found in the index.
  for (const { oid, relname } of indexes)
    await attempt(`the index ${relname}`, `SELECT bt_index_check(${Number(oid)}, true)`);
  return faults;
}

/** amcheck is part of PostgreSQL's own distribution, but not installed everywhere. */
async function hasAmcheck(app: WholeApp): Promise<boolean> {
  return (await query(app, `SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'`)).length > 0;
}
