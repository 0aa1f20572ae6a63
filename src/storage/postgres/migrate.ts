/** Migrates a PostgreSQL database to this version's schema under a lock, and refuses one that a newer version has changed. */
import type pg from 'pg';
import { systemClock } from '../../foundation/clock.ts';
import { migrations, schemaVersion } from '../schema.ts';
import {
  type Migrated,
  readVersion,
  requireSchema,
  type SchemaOptions,
  tellingOf,
  versionTable,
} from '../schema-version.ts';
import { PostgresTransaction } from './transaction.ts';

/** An arbitrary number that no other program uses as an advisory lock in the same database. */
const advisoryLock = 7_166_014_332;

/** Returns the schema version without changing anything or waiting for a migrating node. 0 means that there is no store. */
export async function storedPostgresVersion(client: pg.ClientBase): Promise<number> {
  const table = "SELECT to_regclass('schema_versions') AS found";
  const { rows } = await client.query<{ found: string | null }>(table);
  return rows[0]?.found == null ? 0 : readStored(client);
}

async function readStored(client: pg.ClientBase): Promise<number> {
  return Number((await client.query<{ version: number }>(readVersion)).rows[0]?.version ?? 0);
}

export async function migratePostgres(
  client: pg.PoolClient,
  { schema = 'migrate', migrating }: SchemaOptions = {},
): Promise<Migrated> {
  // A step over a large table can take long, and so can waiting for the node that runs it.
  await client.query('SET statement_timeout = 0');
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
  try {
    const from = await storedPostgresVersion(client);
    requireSchema(from, schema);
    if (from === schemaVersion) return { from, to: schemaVersion };
    if (from === 0) await client.query(versionTable);
    const migrate = () => step(client, from);
    if (from === 0 || migrating === undefined) {
      await migrate();
    } else {
      const transaction = new PostgresTransaction(client);
      const migration = { from, to: schemaVersion };
      await migrating.mayBegin({ read: (verb, input) => verb.run(transaction, input) }, migration);
      await tellingOf(migrating, migration, migrate);
    }
    return { from, to: schemaVersion };
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLock]);
    await client.query('RESET statement_timeout');
  }
}

async function step(client: pg.PoolClient, from: number): Promise<void> {
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
}
