/** One server to a data folder: a lock that the operating system gives back however the process ends. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../foundation/errors.ts';
import { type Database, databasePath, openLockFile } from './database.ts';

export interface FolderLock {
  release(): void;
}

/** Throws a StartError when the folder cannot be written, or another server holds it. */
export function lockFolder(folder: string): FolderLock {
  let database: Database;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    insistOnWriting(folder);
    database = openLockFile(join(folder, 'serve.lock'));
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used: ${(error as Error).message}. Check CARILLON_DATA, its permissions and the disk.`,
    );
  }
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch {
    database.close();
    throw new StartError(
      `Another Carillon server uses the data folder ${folder}. Stop it, or give this one its own folder with CARILLON_DATA.`,
    );
  }
  return { release: () => database.close() };
}

/** What may only be read SQLite opens all the same: the first write would be the first to tell. */
function insistOnWriting(folder: string): void {
  const database = databasePath(folder);
  for (const path of [folder, database, `${database}-wal`, `${database}-shm`]) {
    if (existsSync(path)) accessSync(path, constants.W_OK);
  }
}
