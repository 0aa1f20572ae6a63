/** Brings a book in line with a CSV file: first a preview, then the import in steps, which can be undone within a day. */

import type { Caller } from '../../accounts/caller.ts';
import type { Budget } from '../../foundation/budget.ts';
import { faultOfField, ServiceError } from '../../foundation/errors.ts';
import type { FairLimits } from '../../foundation/fair-queue.ts';
import type { Turns } from '../../foundation/turns.ts';
import type { Context } from '../../storage/context.ts';
import { announceHint } from '../../storage/hints.ts';
import { purgeInSets } from '../../storage/retention.ts';
import type { Store } from '../../storage/store.ts';
import { theCaller } from '../../storage/verb.ts';
import { changeOfBook } from '../management/visible-books.ts';
import {
  beginImport,
  beginUndo,
  endImport,
  type ImportOutcome,
  importSet,
  previewImport,
  purgeImports,
  type ShownChange,
  undoSet,
} from './import-store.ts';
import { type ContactFile, type FileReading, readContactFile } from './read-file.ts';

export interface ImportContext extends Context {
  readonly turns: Turns;
}

export interface Importing extends ImportContext {
  /** Bounds the number of files being read, per company and user. */
  readonly files: Budget;
}

/** More than people need, since they wait for each file, but few for a company that does not wait. */
export const maxConcurrentFiles: FairLimits = { inAll: 64, ofOwner: 16, ofMember: 4 };

export type ImportCounts = Readonly<Record<'created' | 'changed' | 'unchanged' | 'managed', number>>;

export interface ImportPreview extends FileReading, ImportCounts {
  readonly shown: readonly ShownChange[];
}

/** The maximum number of changing contacts that are shown. */
const maxShown = 20;
const maxPurgedPerStep = 1_000;
/** Contacts per transaction: see `changeManyContacts`. */
const setSize = 300;

const noCounts = { created: 0, changed: 0, unchanged: 0, managed: 0 };

function counted(counts: typeof noCounts, outcomes: readonly ImportOutcome[]): void {
  for (const outcome of outcomes) if (outcome in counts) counts[outcome as keyof typeof noCounts] += 1;
}

interface ImportRequest extends ContactFile {
  readonly book: string;
}

const tooManyFiles = new ServiceError('overloaded', {
  sentence: 'files_read',
  user: maxConcurrentFiles.ofMember,
  company: maxConcurrentFiles.ofOwner,
});

async function whileRead<Result>(
  { files }: Importing,
  { companyId, userId }: Caller,
  reading: () => Promise<Result>,
): Promise<Result> {
  const read = await files.run(reading, companyId, userId);
  if (read === undefined) throw tooManyFiles;
  return read;
}

export function previewFile(
  importing: Importing,
  caller: Caller,
  request: ImportRequest,
  signal: AbortSignal,
): Promise<ImportPreview> {
  return whileRead(importing, caller, () => preview(importing, caller, request, signal));
}

async function preview(
  importing: Importing,
  caller: Caller,
  { book, ...file }: ImportRequest,
  signal: AbortSignal,
): Promise<ImportPreview> {
  const { bookId } = await changeOfBook(importing, caller, book);
  const counts = { ...noCounts };
  const shown: ShownChange[] = [];
  const turns = { ...turnsOf(importing, caller), signal };
  const reading = await readContactFile(file, turns, async (changes) => {
    const looked = { bookId, owner: theCaller(caller), changes, shown: maxShown - shown.length };
    const foreseen = await importing.store.read(previewImport, looked, { signal });
    counted(counts, foreseen.outcomes);
    shown.push(...foreseen.shown);
  });
  return { ...reading, ...counts, shown };
}

export interface Imported extends ImportCounts {
  readonly id: number;
  /** Rows with faults. */
  readonly skipped: number;
}

/**
 * All rows are checked before the first is written. A step that fails leaves the earlier ones in place; importing the same
 * file again does the rest, and all of it can be undone.
 */
export function importFile(importing: Importing, caller: Caller, request: FileToImport): Promise<Imported> {
  return whileRead(importing, caller, () => importRows(importing, caller, request));
}

interface FileToImport extends ImportRequest {
  readonly fileName: string;
  readonly skipFaulty: boolean;
}

async function importRows(importing: Importing, caller: Caller, request: FileToImport): Promise<Imported> {
  const { store } = importing;
  const { book, fileName, skipFaulty, ...file } = request;
  const change = await changeOfBook(importing, caller, book);
  const { faults, faultyRows } = await readContactFile(file, turnsOf(importing, caller), async () => {});
  if (faultyRows > 0 && !skipFaulty) throw faulty(faults, faultyRows);
  const { bookId } = change;
  const importId = await store.write(beginImport, { ...change, fileName });
  if (importId === undefined) throw notThere();
  const counts = { ...noCounts };
  await readContactFile(file, turnsOf(importing, caller), async (changes) => {
    const outcomes = await store.write(importSet, { bookId, importId, changes });
    if (outcomes === undefined) throw notThere();
    counted(counts, outcomes);
  });
  await store.write(endImport, { bookId, importId });
  announceHint(store, caller.companyId, 'contacts');
  return { id: importId, ...counts, skipped: faultyRows };
}

function turnsOf({ turns }: Importing, caller: Caller) {
  return { turns, owner: theCaller(caller) };
}

function faulty(faults: FileReading['faults'], rows: number): ServiceError {
  const said = { sentence: 'rows_faulty', rows } as const;
  return new ServiceError('invalid_value', said, {
    errors: faults.map(({ line, said }) => faultOfField(`line ${line}`, 'invalid_value', said)),
  });
}

/** An import can be undone for this long, and the contacts' previous values are kept as long. */
export const undoneWithinMs = 86_400_000;

/** Returns how many contacts are back in their previous state, and how many stay because they were changed since. */
export async function undoImport(
  importing: Importing,
  caller: Caller,
  { book, id }: { readonly book: string; readonly id: string },
): Promise<{ readonly undone: number; readonly kept: number }> {
  const { store } = importing;
  const change = await changeOfBook(importing, caller, book);
  const importId = Number(id);
  const since = change.now - undoneWithinMs;
  const isThere =
    Number.isSafeInteger(importId) && (await store.write(beginUndo, { ...change, importId, since }));
  if (!isThere) throw new ServiceError('not_found', { sentence: 'no_import', id });
  let undone = 0;
  let kept = 0;
  for (;;) {
    const set = await store.write(undoSet, { bookId: change.bookId, importId, limit: setSize });
    undone += set.undone;
    kept += set.looked - set.undone;
    if (set.looked === setSize) continue;
    announceHint(store, caller.companyId, 'contacts');
    return { undone, kept };
  }
}

/** Independent of the messages' retention period, because an older import can't be undone. */
export async function purgeOldImports(
  store: Store,
  { now }: { readonly now: number },
  signal: AbortSignal,
): Promise<number> {
  const old = { before: now - undoneWithinMs, limit: maxPurgedPerStep };
  return purgeInSets(signal, () => store.write(purgeImports, old));
}

function notThere(): ServiceError {
  return new ServiceError(
    'import_interrupted',
    'Before the import finished, it was undone or its address book was removed.',
  );
}
