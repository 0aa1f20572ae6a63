/** A store as the version before has left it, and a look into a store from outside. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrations, schemaVersion } from '../../src/storage/schema.ts';
import { versionTable } from '../../src/storage/schema-version.ts';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { type EngineName, freshDatabase } from './engines.ts';

export interface OutsideLook {
  /** Runs one statement, and answers its rows. */
  query(text: string): Promise<Record<string, unknown>[]>;
}

export interface OlderStore extends OutsideLook {
  /** For a server or a command. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the embedded store; of the other one, that of its server. */
  readonly folder: string;
  remove(): Promise<void>;
}

export const olderVersion = schemaVersion - 1;

export async function makeOlderStore(engine: EngineName): Promise<OlderStore> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-older-'));
  const database = engine === 'postgres' ? await freshDatabase('empty') : undefined;
  const env = {
    CARILLON_DATA: folder,
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
  };
  const look = lookInto(env);
  await look.query(versionTable);
  for (const { version, what, statements } of migrations.filter(({ version }) => version <= olderVersion)) {
    for (const statement of statements(engine)) await look.query(statement);
    await look.query(`INSERT INTO schema_versions VALUES (${version}, '${what.replaceAll("'", "''")}', 0)`);
  }
  return {
    ...look,
    env,
    folder,
    async remove() {
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Into the store that a server or a command has with these settings. */
export function lookInto(env: Readonly<Record<string, string>>): OutsideLook {
  const { DATABASE_URL: url, CARILLON_DATA: folder = '' } = env;
  return {
    async query(text) {
      if (url !== undefined) {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        try {
          return (await client.query(text)).rows;
        } finally {
          await client.end();
        }
      }
      const database = openDatabase(databasePath(folder));
      try {
        return database.prepare(text).all() as Record<string, unknown>[];
      } finally {
        database.close();
      }
    },
  };
}
