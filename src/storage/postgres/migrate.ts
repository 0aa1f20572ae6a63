/** Brings a database of PostgreSQL forward to this version's schema, under a lock, and refuses one that a newer version has changed. */
import type { PoolClient } from 'pg';
import { systemClock } from '../../foundation/clock.ts';
import { migrations, schemaVersion } from '../schema.ts';
import { type Migrated, readVersion, refuseNewer, versionTable } from '../schema-version.ts';

/** Any number that no other program uses as an advisory lock in the same database. */
const advisoryLock = 7_166_014_332;

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
