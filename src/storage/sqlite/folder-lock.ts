/** Locks that the operating system releases however a process ends, such as the single server's lock on a data folder. */
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFile, makePrivateFolder } from '../../foundation/private-files.ts';
import { databasePath, openLockFile } from './database.ts';

export interface Lock {
  release(): void;
}

/** Throws a StartError if the folder can't be written or another server holds it. */
export function lockFolder(folder: string): Lock {
  const lock = tryLockFolder(folder);
  if (lock !== undefined) return lock;
  const holder = holderOf(folder);
  const process = holder === undefined ? '' : ` (process ${holder})`;
  throw new StartError(
    `Another Carillon server uses the data folder ${folder}${process}. Stop it, or give this server its own folder with CARILLON_DATA.`,
  );
}

/** Undefined if a server holds it. Throws a StartError if the folder can't be written. */
export function tryLockFolder(folder: string): Lock | undefined {
  try {
    makePrivateFolder(folder);
    requireWritable(folder);
    const lock = tryLock(join(folder, 'serve.lock'));
    return lock === undefined ? undefined : signed(lock, holderPath(folder));
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used: ${(error as Error).message}. Check CARILLON_DATA, its permissions and the disk.`,
    );
  }
}

function holderPath(folder: string): string {
  return join(folder, 'serve.pid');
}

/** Writes the holder's process id to a file beside the lock, because nobody else can read the locked file itself. */
function signed(lock: Lock, path: string): Lock {
  try {
    makePrivateFile(path);
    writeFileSync(path, `${process.pid}\n`);
  } catch {
    // A server starts even on a full disk, but the id of an earlier process must not remain.
    rmSync(path, { force: true });
  }
  return {
    release() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
}

/** Returns the id of the process that holds the lock, if known. It is meaningful only after the lock was refused. */
export function holderOf(folder: string): number | undefined {
  try {
    const id = Number(readFileSync(holderPath(folder), 'utf8'));
    return Number.isSafeInteger(id) && id > 0 ? id : undefined;
  } catch {
    // Earlier versions wrote no such file, and we may not be allowed to read one that belongs to another user.
    return undefined;
  }
}

/** Creates the file if it does not exist. Undefined if somebody else holds it. Throws if the file can't be created. */
export function tryLock(path: string): Lock | undefined {
  const database = openLockFile(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch {
    database.close();
    return undefined;
  }
  return { release: () => database.close() };
}

/** SQLite opens read-only files without complaint, and only the first write would fail. */
function requireWritable(folder: string): void {
  const database = databasePath(folder);
  for (const path of [folder, database, `${database}-wal`, `${database}-shm`]) {
    if (existsSync(path)) accessSync(path, constants.W_OK);
  }
}
