/** The copy of the embedded store as it was before the latest migration: the way back, should the new version not do. */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../../foundation/errors.ts';
import { makePrivateFile } from '../../foundation/private-files.ts';
import { schemaVersion } from '../schema.ts';
import { openDatabase } from './database.ts';

const mebibyte = 1024 * 1024;
/** The steps themselves write too: the new rows and indexes, and the log of them. */
const sharesOfRoom = 2;

/** Named for the version that the migration leads to. */
export function copyPath(database: string): string {
  return `${database}.before-${schemaVersion}`;
}

/**
 * Writes the copy, which is whole, private and on the disk when it has its name. Whoever calls holds the lock for writing,
 * so that nothing can be stored between the copy and the first step. `VACUUM INTO` reads by SQLite itself: to open and
 * close the file of a database in any other way would give up the locks that this process has on it.
 */
export function keepCopy(database: string): void {
  const part = `${copyPath(database)}.part`;
  rmSync(part, { force: true });
  const source = openDatabase(database, { readOnly: true });
  try {
    const { bytes } = source
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as { bytes: number };
    requireRoom(dirname(database), bytes);
    // SQLite writes into a file that is there and empty, which keeps its mode.
    makePrivateFile(part);
    source.prepare('VACUUM INTO ?').run(part);
    sync(part, 'r+');
    renameSync(part, copyPath(database));
    // Windows has no such call for folders.
    if (process.platform !== 'win32') sync(dirname(database), 'r');
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** One that is there was of use until the migration after it. */
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
    `The store can't be migrated: that takes ${inMebibytes(needed)} MiB in ${folder}, half of them for a copy of the store as it is, and ${Math.floor(free / mebibyte)} MiB are free. Make room, and try again. Nothing was changed.`,
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
