/** Locks that the operating system gives back however a process ends, such as that of the one server to a data folder. */
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFile, makePrivateFolder } from '../../foundation/private-files.ts';
import { databasePath, openLockFile } from './database.ts';

export interface Lock {
  release(): void;
}

/** Throws a StartError when the folder cannot be written, or another server holds it. */
export function lockFolder(folder: string): Lock {
  const lock = tryLockFolder(folder);
  if (lock !== undefined) return lock;
  const holder = holderOf(folder);
  const process = holder === undefined ? '' : ` (process ${holder})`;
  throw new StartError(
    `Another Carillon server uses the data folder ${folder}${process}. Stop it, or give this one its own folder with CARILLON_DATA.`,
  );
}

/** Undefined when a server holds it. Throws a StartError when the folder cannot be written. */
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

/** Says whose the lock is in a file beside it: what is in the lock itself nobody else may read. */
function signed(lock: Lock, path: string): Lock {
  try {
    makePrivateFile(path);
    writeFileSync(path, `${process.pid}\n`);
  } catch {
    // On a full disk a server starts all the same; only the name of a process before must not stand there.
    rmSync(path, { force: true });
  }
  return {
    release() {
      rmSync(path, { force: true });
      lock.release();
    },
  };
}

/** The id of the process that has the lock, where it is known: of use only to who was refused it. */
export function holderOf(folder: string): number | undefined {
  try {
    const id = Number(readFileSync(holderPath(folder), 'utf8'));
    return Number.isSafeInteger(id) && id > 0 ? id : undefined;
  } catch {
    // Earlier versions left no such file, and to whom it belongs may not be ours to read.
    return undefined;
  }
}

/** Makes the file where there is none. Undefined when somebody else holds it. Throws where there can be no such file. */
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

/** What may only be read SQLite opens all the same: the first write would be the first to tell. */
function requireWritable(folder: string): void {
  const database = databasePath(folder);
  for (const path of [folder, database, `${database}-wal`, `${database}-shm`]) {
    if (existsSync(path)) accessSync(path, constants.W_OK);
  }
}
