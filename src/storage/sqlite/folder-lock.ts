/** Locks that the operating system gives back however a process ends, such as that of the one server to a data folder. */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFolder } from '../../foundation/private-files.ts';
import { databasePath, openLockFile } from './database.ts';

export interface Lock {
  release(): void;
}

/** Throws a StartError when the folder cannot be written, or another server holds it. */
export function lockFolder(folder: string): Lock {
  let lock: Lock | undefined;
  try {
    makePrivateFolder(folder);
    requireWritable(folder);
    lock = tryLock(join(folder, 'serve.lock'));
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used: ${(error as Error).message}. Check CARILLON_DATA, its permissions and the disk.`,
    );
  }
  if (lock !== undefined) return lock;
  throw new StartError(
    `Another Carillon server uses the data folder ${folder}. Stop it, or give this one its own folder with CARILLON_DATA.`,
  );
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
