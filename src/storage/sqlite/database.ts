/**
 * The only module that knows which SQLite is used: the one built into newer Node versions, or the same interface from a
 * package.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makePrivateFile, restrictToOwner } from '../../foundation/private-files.ts';
import { isBusy } from './faults.ts';

/** The part of the `node:sqlite` interface that the store uses. */
export interface Database {
  exec(text: string): void;
  prepare(text: string): Statement;
  close(): void;
}

export interface Statement {
  all(...parameters: unknown[]): unknown[];
  get(...parameters: unknown[]): unknown;
  run(...parameters: unknown[]): { changes: number | bigint };
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database;
}

const firstNodeWithBuiltIn = 24;

function loadSqlite(): SqliteModule {
  const [major = '0'] = process.versions.node.split('.');
  const name = Number(major) >= firstNodeWithBuiltIn ? 'node:sqlite' : '@photostructure/sqlite';
  return createRequire(import.meta.url)(name) as SqliteModule;
}

export function databasePath(folder: string): string {
  return join(folder, 'carillon.db');
}

/** The database and the files that SQLite keeps beside it. */
export function filesOf(database: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((ending) => `${database}${ending}`);
}

/** How long a connection waits for another process (`carillon apply` beside a running server) to finish writing. */
const busyTimeoutMs = 5_000;

interface OpenOptions {
  readonly readOnly?: boolean;
  /** The most that its cache of pages takes. */
  readonly cacheKiB?: number;
}

const usualCacheKiB = 8_192;

export function openDatabase(path: string, options: OpenOptions = {}): Database {
  const { DatabaseSync } = loadSqlite();
  if (!options.readOnly) keepPrivate(path);
  const database = new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: busyTimeoutMs });
  if (!options.readOnly) {
    // FULL: a write that has been answered survives a power loss, not only a crash of the process. NORMAL loses the last
    // commits. A small commit writes whole pages, so small pages make it cheap. A long log merges many writes of a page into
    // one.
    database.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec('PRAGMA wal_autocheckpoint = 2000;');
    // Deleted or replaced content is overwritten with zeros, so purged texts and old passwords leave no trace in the file.
    database.exec('PRAGMA secure_delete = ON;');
    // What is not in the cache is read from the file, of which the first 256 MB are mapped. Readers map nothing: each commit makes
    // their view invalid, so they read as quickly without, and a walk through all messages would leave the whole store in memory.
    database.exec('PRAGMA mmap_size = 268435456;');
  }
  // After a commit, SQLite goes through the whole hash table of its cache, which grows with the number of pages in it: with 64 MB,
  // that took 0.45 ms.
  database.exec(`PRAGMA cache_size = -${options.cacheKiB ?? usualCacheKiB};`);
  // UPDATE … FROM and RETURNING use a temporary table. A statement takes 5 µs with it in memory, 30 µs with it in a file.
  database.exec('PRAGMA temp_store = MEMORY;');
  return database;
}

/** From here on, only `beginWriting` waits for locks, since it does so better. */
export function waitForNoLock(database: Database): void {
  database.exec('PRAGMA busy_timeout = 0');
}

/**
 * Begins a write transaction as soon as no other process is writing. When SQLite itself is made to wait, it ends up
 * checking ten times a second, and would hardly ever hit the moment between two transactions of a server that commits
 * continuously.
 */
export function beginWriting(database: Database): void {
  const deadline = performance.now() + busyTimeoutMs;
  while (!hasBegun(database, performance.now() >= deadline)) Atomics.wait(never, 0, 0, 1);
}

/** `Atomics.wait` on a value that never changes pauses a thread that may block. */
const never = new Int32Array(new SharedArrayBuffer(4));

function hasBegun(database: Database, isLast: boolean): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isLast || !isBusy(error)) throw error;
    return false;
  }
}

/**
 * Merges the write-ahead log into the database and empties it, including old contents of pages. Returns false if somebody was
 * reading at that moment: waiting for readers would hold up all writes.
 */
export function emptyLog(database: Database): boolean {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
  return busy === 0;
}

/**
 * Query plans use no statistics: tests show which plans are chosen, whatever is stored. Statistics from a manual ANALYZE lead
 * SQLite to worse plans, so they are dropped at the next start.
 */
export function forgetStatistics(database: Database): void {
  database.exec('DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4;');
}

/** Opens a database that serves only as a lock, without waiting for the lock. */
export function openLockFile(path: string): Database {
  const { DatabaseSync } = loadSqlite();
  keepPrivate(path);
  return new DatabaseSync(path, { timeout: 0 });
}

/** SQLite gives the files beside a database the same mode as the database itself. */
function keepPrivate(path: string): void {
  if (path === ':memory:') return;
  makePrivateFile(path);
  for (const file of filesOf(path)) restrictToOwner(file);
}
