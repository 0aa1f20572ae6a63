/**
 * The dirty flag of a data folder: a file that stands there while a server has the store, and that a stop in order removes.
 * A crash leaves it. Damage that a call meets is written into it, in the words of SQLite; then it stays, as after a crash,
 * until a search finds the store whole.
 *
 * The write-ahead log is no such sign: after a crash any command folds it into the store, and one that reads while the
 * server stops keeps it.
 */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile } from '../../foundation/private-files.ts';

export function dirtyFlagPath(folder: string): string {
  return join(folder, 'carillon.dirty');
}

export class DirtyFlag {
  /** What an earlier server left: `crash`, or the damage that it met; undefined: it stopped in order, or there was none. */
  readonly left: 'crash' | { readonly damage: string } | undefined;
  readonly #path: string;
  #isDirty: boolean;

  /** Raises the flag. The folder has to be locked. */
  constructor(folder: string) {
    this.#path = dirtyFlagPath(folder);
    this.left = leftIn(this.#path);
    this.#isDirty = this.left !== undefined;
    if (this.left === undefined) this.#write('');
  }

  /** A call has met damage. */
  damaged(said: string): void {
    this.#isDirty = true;
    this.#write(said);
  }

  /** What an earlier server left has been looked into, and the store is whole. */
  settle(): void {
    this.#isDirty = false;
    this.#write('');
  }

  /** For a stop in order: with what is not settled the flag stays. */
  lower(): void {
    if (!this.#isDirty) rmSync(this.#path, { force: true });
  }

  /** On a full disk, a server goes on all the same. */
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
      // What cannot be written there may be missing at the next start; the damage itself is told again when it is met.
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
