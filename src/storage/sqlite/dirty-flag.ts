/**
 * The dirty flag of a data folder: a file that exists while a server has the store open and that a clean stop removes. A
 * crash leaves it behind. When a call meets damage, SQLite's message is written into it, and it then stays, as after a
 * crash, until a search finds the store intact. The write-ahead log can't serve as this sign: after a crash, any command
 * merges it into the store, and a command that is reading while the server stops makes the log stay.
 */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile } from '../../foundation/private-files.ts';

export function dirtyFlagPath(folder: string): string {
  return join(folder, 'carillon.dirty');
}

export class DirtyFlag {
  /**
   * What an earlier server left behind: `crash`, or the damage that it met. Undefined if it stopped cleanly or there was
   * none.
   */
  readonly left: 'crash' | { readonly damage: string } | undefined;
  readonly #path: string;
  #isDirty: boolean;

  /** Raises the flag. The folder must already be locked. */
  constructor(folder: string) {
    this.#path = dirtyFlagPath(folder);
    this.left = leftIn(this.#path);
    this.#isDirty = this.left !== undefined;
    if (this.left === undefined) this.#write('');
  }

  damaged(said: string): void {
    this.#isDirty = true;
    this.#write(said);
  }

  /** Records that what an earlier server left has been checked, and that the store is intact. */
  settle(): void {
    this.#isDirty = false;
    this.#write('');
  }

  /** Removes the flag on a clean stop, unless something is unsettled. */
  lower(): void {
    if (!this.#isDirty) rmSync(this.#path, { force: true });
  }

  /** A server continues even on a full disk. */
  #write(said: string): void {
    try {
      makePrivateFile(this.#path);
      const file = openSync(this.#path, 'w');
      try {
        writeSync(file, said);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch {
      // A message that can't be written here may be missing at the next start. The damage itself is reported again when it is
      // next met.
    }
  }
}

function leftIn(path: string): DirtyFlag['left'] {
  try {
    const said = readFileSync(path, 'utf8');
    return said === '' ? 'crash' : { damage: said };
  } catch {
    return undefined;
  }
}
