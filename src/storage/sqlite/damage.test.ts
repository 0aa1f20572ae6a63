import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countNotes, createNotes, keepNotes } from '../../../test/harness/storage-verbs.ts';
import { testWorker } from '../../../test/harness/stores.ts';
import { leaseIds } from '../ids.ts';
import { type Store, StoreDamaged } from '../store.ts';
import { databasePath, openDatabase } from './database.ts';
import { openSqliteStore } from './store.ts';

const pageSize = 4_096;

/** Simulates a disk that has lost some of its blocks. */
function overwrite(path: string, pages: readonly number[]): void {
  const file = openSync(path, 'r+');
  for (const page of pages) writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (page - 1) * pageSize);
  closeSync(file);
}

/** The root pages of a table and its indexes. */
function rootsOf(path: string, table: string): readonly number[] {
  const database = openDatabase(path);
  const rows = database.prepare('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').all(table);
  database.close();
  return (rows as { rootpage: number }[]).map(({ rootpage }) => rootpage);
}

describe('a damaged SQLite store', () => {
  let folder: string;
  let store: Store | undefined;
  const reported: string[] = [];
  const open = async () => {
    const onDamage = (error: Error) => reported.push(error.message);
    store = await openSqliteStore({ folder, worker: testWorker, onDamage });
    return store;
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-damage-'));
    reported.length = 0;
    const whole = await open();
    await whole.write(createNotes, null);
    await whole.write(keepNotes, { writer: 'first', number: 1, text: 'note' });
    expect(await whole.damage.find()).toEqual([]);
    await whole.close();
  });
  afterEach(async () => {
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('[DLV-7] [RUN-4] [RUN-9] Damage to the store is reported once when a call meets it, and calls that do not meet it go on', async () => {
    overwrite(databasePath(folder), rootsOf(databasePath(folder), 'notes'));
    const damaged = await open();
    expect(damaged.damage.first).toBeUndefined();
    const calls = await Promise.allSettled([
      damaged.write(leaseIds, { kind: 'message', size: 1 }),
      damaged.write(keepNotes, { writer: 'first', number: 2, text: 'note' }),
      damaged.write(leaseIds, { kind: 'batch', size: 1 }),
      damaged.read(countNotes, 'first'),
    ]);
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    for (const call of calls)
      if (call.status === 'rejected') expect(call.reason).toBeInstanceOf(StoreDamaged);
    expect(reported).toEqual([expect.stringContaining('malformed')]);
    expect(damaged.damage.first).toBe(reported[0]);
  });

  test('[DLV-7] [RUN-4] [RUN-9] Damage to the store is found by a search before any call meets it', async () => {
    overwrite(databasePath(folder), rootsOf(databasePath(folder), 'notes'));
    const damaged = await open();
    const found = await damaged.damage.find();
    expect(found.length).toBeGreaterThan(0);
    for (const sentence of found) expect(sentence).toMatch(/^table notes: /);
    expect(reported).toEqual([found[0]]);
  });

  test('[DLV-7] [RUN-4] [RUN-9] A store too damaged to open is refused with a sentence that says what to do', async () => {
    store = undefined;
    overwrite(databasePath(folder), [1]);
    await expect(open()).rejects.toThrow(
      /^The store .*carillon\.db is damaged \(SQLite: file is not a database\)\. Nothing was changed\. Put the copy /,
    );
  });
});
