/** Migrates the SQLite file to this version's schema, keeping a copy, and refuses one that a newer version has changed. */

import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../foundation/clock.ts';
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFile } from '../../foundation/private-files.ts';
import { migrations, schemaVersion } from '../schema.ts';
import {
  type Migrated,
  readVersion,
  refuseNewer,
  requireSchema,
  type SchemaMode,
  versionTable,
} from '../schema-version.ts';
import type { AnyVerb } from '../verb.ts';
import { beginWriting, type Database, openDatabase } from './database.ts';
import { crossing } from './faults.ts';
import type { NamedCall, Opened, WorkerSettled } from './store-thread.ts';
import { SqliteTransaction } from './transaction.ts';

/** From this version on, deleted data leaves no trace in the SQLite file. Traces from earlier versions are removed once. */
const firstWithoutTraces = 15;
/** Larger files would take minutes and as much space again, so their operators choose the time. */
const maxRewrittenPages = 262_144;

/** 0 means that nothing is stored yet. */
function storedVersion(database: Database): number {
  const table = "SELECT COUNT(*) AS tables FROM sqlite_schema WHERE name = 'schema_versions'";
  const { tables } = database.prepare(table).get() as { tables: number };
  return tables === 0 ? 0 : (database.prepare(readVersion).get() as { version: number }).version;
}

function removeTraces(database: Database, version: number): void {
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
  if (version > 0 && version < firstWithoutTraces && pages <= maxRewrittenPages) database.exec('VACUUM');
}

/** Creates the schema if there is none. Returns the version of an older one, which must be migrated first. */
export function requireSqliteSchema(database: Database, mode: SchemaMode): number | undefined {
  const version = storedVersion(database);
  requireSchema(version, mode);
  if (version > 0 && version < schemaVersion) return version;
  migrateSqlite(database);
  return undefined;
}

/**
 * Earlier versions stored carrier passwords in plain text. A copy would keep them beside the store in which they are sealed.
 */
export function hasCopy(from: number): boolean {
  return from >= firstWithoutTraces;
}

/** `keep` is called before the first step on an older store, when nobody else can write to it any more. */
export function migrateSqlite(database: Database, keep: () => void = () => undefined): Migrated {
  const version = storedVersion(database);
  // Commands run beside a running server need no lock to find that there is nothing to do.
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

/**
 * The work of the thread that migrates an older file: it answers reads that come before the migration, keeps a copy, and
 * migrates. It is a separate thread so that neither the copy nor a step over a large table blocks the event loop.
 */
export class Migrator {
  readonly #path: string;
  readonly #database: Database;
  readonly #verbs: ReadonlyMap<string, AnyVerb>;

  constructor(path: string, database: Database, verbs: ReadonlyMap<string, AnyVerb>) {
    this.#path = path;
    this.#database = database;
    this.#verbs = verbs;
  }

  async answer(calls: readonly NamedCall[]): Promise<readonly WorkerSettled[]> {
    const transaction = new SqliteTransaction(this.#database);
    const settled: WorkerSettled[] = [];
    for (const call of calls) {
      try {
        const verb = this.#verbs.get(call.verb);
        if (verb?.kind !== 'read') throw new Error(`the store knows no read verb ${call.verb}`);
        settled.push({ output: await verb.run(transaction, call.input) });
      } catch (error) {
        settled.push({ error: crossing(error) });
      }
    }
    return settled;
  }

  migrate(): Opened {
    try {
      migrateSqlite(this.#database, () => keepCopy(this.#path));
      removeOlderCopies(this.#path);
      return { isOpen: true };
    } catch (error) {
      return { refused: (error as Error).message, isOwn: error instanceof StartError };
    }
  }

  readonly forget = () => true;

  close(): void {
    this.#database.close();
  }
}

const mebibyte = 1024 * 1024;
/** The steps write data too: new rows and indexes, and the log of these writes. */
const sharesOfRoom = 2;

/** The store as it was before the latest migration: the way back if the new version proves unsuitable. */
export function copyPath(database: string): string {
  return `${database}.before-${schemaVersion}`;
}

/**
 * Writes the copy. Once it has its name, it is complete, private and on disk. The caller holds the write lock, so nothing can
 * be stored between the copy and the first step. `VACUUM INTO` reads through SQLite itself: opening and closing a database
 * file in any other way would release this process's locks on it.
 */
function keepCopy(database: string): void {
  const part = `${copyPath(database)}.part`;
  rmSync(part, { force: true });
  const source = openDatabase(database, { readOnly: true });
  try {
    const { bytes } = source
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as { bytes: number };
    requireRoom(dirname(database), bytes);
    // SQLite writes into an existing empty file, which keeps its mode.
    makePrivateFile(part);
    source.prepare('VACUUM INTO ?').run(part);
    sync(part, 'r+');
    renameSync(part, copyPath(database));
    // Windows can't sync folders.
    if (process.platform !== 'win32') sync(dirname(database), 'r');
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** An earlier copy is of use only until the next migration. */
export function removeOlderCopies(database: string): void {
  const folder = dirname(database);
  const isCopy = (name: string) => name.startsWith(`${basename(database)}.before-`);
  for (const name of readdirSync(folder).filter(isCopy)) {
    const path = join(folder, name);
    if (path !== copyPath(database)) rmSync(path, { force: true });
  }
}

export function requireRoom(folder: string, bytes: number, free = freeBytes(folder)): void {
  const needed = bytes * sharesOfRoom;
  if (free >= needed) return;
  const inMebibytes = (size: number) => Math.ceil(size / mebibyte);
  throw new StartError(
    `The store cannot be migrated: this takes ${inMebibytes(needed)} MiB in ${folder}, half of them for a copy of the current store, but only ${Math.floor(free / mebibyte)} MiB are free. Free some space and try again. Nothing was changed.`,
  );
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
