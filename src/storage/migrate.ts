/** Brings a database forward to this version's schema, under a lock, and refuses one that a newer version has changed. */
import type { PoolClient } from 'pg';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { migrations, schemaVersion } from './schema.ts';
import type { Database } from './sqlite/database.ts';

const versionTable =
  'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER NOT NULL PRIMARY KEY, what TEXT NOT NULL, applied_at BIGINT NOT NULL)';
const readVersion = 'SELECT COALESCE(MAX(version), 0) AS version FROM schema_versions';

/** Any number that no other program uses as an advisory lock in the same database. */
const advisoryLock = 7_166_014_332;

function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new StartError(
    `The database has schema version ${version}, but this version of Carillon knows only ${schemaVersion}. Start the newer version that migrated it.`,
  );
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** From here on nothing that was deleted stays in the file of SQLite; what earlier versions left in it goes once. */
const firstWithoutTraces = 15;
/** Of larger files it would take minutes, and as much room again: their operators choose the time. */
const mostRewrittenPages = 262_144;

function removeTraces(database: Database): void {
  const table = "SELECT COUNT(*) AS tables FROM sqlite_schema WHERE name = 'schema_versions'";
  const { tables } = database.prepare(table).get() as { tables: number };
  if (tables === 0) return;
  const { version } = database.prepare(readVersion).get() as { version: number };
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
  if (version > 0 && version < firstWithoutTraces && pages <= mostRewrittenPages) database.exec('VACUUM');
}

export function migrateSqlite(database: Database): Migrated {
  removeTraces(database);
  database.exec('BEGIN EXCLUSIVE');
  try {
    database.exec(versionTable);
    const { version: from } = database.prepare(readVersion).get() as { version: number };
    refuseNewer(from);
    for (const migration of migrations.filter(({ version }) => version > from)) {
      for (const statement of migration.statements('sqlite')) database.exec(statement);
      database
        .prepare('INSERT INTO schema_versions VALUES (?, ?, ?)')
        .run(migration.version, migration.what, systemClock.now());
    }
    database.exec('COMMIT');
    return { from, to: schemaVersion };
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

export async function migratePostgres(client: PoolClient): Promise<Migrated> {
  // A step over a large table takes its time, and so does waiting for the node that takes it.
  await client.query('SET statement_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
  try {
    await client.query(versionTable);
    const from = Number((await client.query<{ version: number }>(readVersion)).rows[0]?.version ?? 0);
    refuseNewer(from);
    for (const migration of migrations.filter(({ version }) => version > from)) {
      await client.query('BEGIN');
      try {
        for (const statement of migration.statements('postgres')) await client.query(statement);
        await client.query('INSERT INTO schema_versions VALUES ($1, $2, $3)', [
          migration.version,
          migration.what,
          systemClock.now(),
        ]);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    }
    return { from, to: schemaVersion };
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLock]);
    await client.query('RESET statement_timeout');
  }
}
