/** One server to a data folder: a lock that the operating system gives back however the process ends. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../foundation/errors.ts';
import { type Database, openLockFile } from './database.ts';

export interface FolderLock {
  release(): void;
}

/** Throws a StartError when another server holds the folder. */
export function lockFolder(folder: string): FolderLock {
  let database: Database;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    database = openLockFile(join(folder, 'serve.lock'));
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be locked: ${(error as Error).message}. Check CARILLON_DATA and its permissions.`,
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
