/** Keeps files private to their owner, whatever the umask and the folder's permissions. */
import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { StartError } from './errors.ts';

const ownerOnly = 0o600;
const forOthers = 0o077;

/** Creates the folder if it does not exist; an existing one keeps its mode. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Creates the file if it does not exist; for an existing one, removes everyone else's access if possible. */
export function makePrivateFile(path: string): void {
  try {
    // An existing file is never opened: closing any handle of a database would release the process's locks on it.
    closeSync(openSync(path, 'wx', ownerOnly));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    restrictToOwner(path);
  }
}

/** Returns false if others may read or write the file and we may not change that. */
export function restrictToOwner(path: string): boolean {
  // Windows has no such modes; files have the permissions of their folder.
  if (process.platform === 'win32') return true;
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined || (state.mode & forOthers) === 0) return true;
  try {
    chmodSync(path, ownerOnly);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    // Another process may have removed the file in the meantime.
    if (code === 'ENOENT') return true;
    if (code === 'EPERM' || code === 'EACCES' || code === 'EROFS') return false;
    throw error;
  }
}

/** Whether the file exists. Throws a StartError if this process may not read it. */
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
    `${path} cannot be read by this user: run the command as the user that runs the server, for example with sudo -u.`,
  );
}

/** Makes files created by the work private to their owner from the start. Only for synchronous work. */
export function withPrivateUmask<Result>(work: () => Result): Result {
  const before = process.umask(0o777 & ~ownerOnly);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
