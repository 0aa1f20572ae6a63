/** Keeps files from everybody but their owner, whatever the umask says and whatever folder they stand in. */
import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { StartError } from './errors.ts';

const ownerOnly = 0o600;
const forOthers = 0o077;

/** Made where there is none; one that is there keeps its mode. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Makes the file where there is none, and takes one that is there from all others, if it can. */
export function makePrivateFile(path: string): void {
  try {
    // Never opens what is there: to close any handle of a database would give up the locks that the process has on it.
    closeSync(openSync(path, 'wx', ownerOnly));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    restrictToOwner(path);
  }
}

/** False: others may read or write the file, and we may not change that. */
export function restrictToOwner(path: string): boolean {
  // Windows has no such modes: files have the permissions of their folder.
  if (process.platform === 'win32') return true;
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined || (state.mode & forOthers) === 0) return true;
  try {
    chmodSync(path, ownerOnly);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    // Another process may have removed the file in between.
    if (code === 'ENOENT') return true;
    if (code === 'EPERM' || code === 'EACCES' || code === 'EROFS') return false;
    throw error;
  }
}

/** Whether the file is there. Throws a StartError where it is closed to the user of this process. */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (isForbidden(error)) throw notReadable(path);
    return false;
  }
}

export function isForbidden(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

export function notReadable(path: string): StartError {
  return new StartError(
    `${path} may not be read by this user: run the command as the user that runs the server, such as by sudo -u.`,
  );
}

/** A file that the work makes is its owner's alone from its first moment. Only for work that does not wait. */
export function withPrivateUmask<Result>(work: () => Result): Result {
  const before = process.umask(0o777 & ~ownerOnly);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
