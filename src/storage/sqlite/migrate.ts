/** Brings the file of SQLite forward to this version's schema, and refuses one that a newer version has changed. */
import { systemClock } from '../../foundation/clock.ts';
import { migrations, schemaVersion } from '../schema.ts';
import {
  type Migrated,
  readVersion,
  refuseNewer,
  requireSchema,
  type SchemaMode,
  versionTable,
} from '../schema-version.ts';
import { beginWriting, type Database } from './database.ts';

/** From here on nothing that was deleted stays in the file of SQLite; what earlier versions left in it goes once. */
const firstWithoutTraces = 15;
/** Of larger files it would take minutes, and as much room again: their operators choose the time. */
const maxRewrittenPages = 262_144;

/** 0: nothing is stored yet. */
function storedVersion(database: Database): number {
  const table = "SELECT COUNT(*) AS tables FROM sqlite_schema WHERE name = 'schema_versions'";
  const { tables } = database.prepare(table).get() as { tables: number };
  return tables === 0 ? 0 : (database.prepare(readVersion).get() as { version: number }).version;
}

function removeTraces(database: Database, version: number): void {
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
  if (version > 0 && version < firstWithoutTraces && pages <= maxRewrittenPages) database.exec('VACUUM');
}

/** Makes the schema where there is none. Answers the version of an older one, which has to be brought forward first. */
export function requireSqliteSchema(database: Database, mode: SchemaMode): number | undefined {
  const version = storedVersion(database);
  requireSchema(version, mode);
  if (version > 0 && version < schemaVersion) return version;
  migrateSqlite(database);
  return undefined;
}

/** Before that, passwords of carriers stood in it as they were: a copy would keep them beside the store that has them sealed. */
export function hasCopy(from: number): boolean {
  return from >= firstWithoutTraces;
}

/** `keep` is called before the first step on an older store, when nobody else can write to it any more. */
export function migrateSqlite(database: Database, keep: () => void = () => undefined): Migrated {
  const version = storedVersion(database);
  // Commands that come beside a running server need no lock to find that there is nothing to do.
  if (version === schemaVersion) return { from: version, to: schemaVersion };
  removeTraces(database, version);
  beginWriting(database);
  try {
    database.exec(versionTable);
    const { version: from } = database.prepare(readVersion).get() as { version: number };
    refuseNewer(from);
    if (hasCopy(from) && from < schemaVersion) keep();
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
