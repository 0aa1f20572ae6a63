import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  countNotes,
  createNotes,
  endThread,
  keepNotes,
  readAtLength,
} from '../../../test/harness/storage-verbs.ts';
import { testWorker } from '../../../test/harness/stores.ts';
import { ServiceError, StartError } from '../../foundation/errors.ts';
import type { Store } from '../store.ts';
import { databasePath, openDatabase } from './database.ts';
import { openSqliteStore } from './store.ts';

const outcome = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'kept',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );

const page = 'x'.repeat(50_000);

/** Writes a few notes at a time until no more are accepted, and returns how many were acknowledged. */
async function fill(store: Store, writer: string): Promise<number> {
  let acknowledged = 0;
  for (let number = 0; number < 2_000; number += 4) {
    const results = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        outcome(store.write(keepNotes, { writer, number: number + index, text: page })),
      ),
    );
    acknowledged += results.filter((result) => result === 'kept').length;
    expect(['kept', 'store_unavailable']).toEqual(expect.arrayContaining(results));
    if (results.every((result) => result !== 'kept')) return acknowledged;
  }
  throw new Error('the disk did not fill');
}

async function stillReads(store: Store, writer: string, notes: number): Promise<void> {
  expect((await store.read(countNotes, writer)).notes).toBe(notes);
}

function works(command: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(command, parameters, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a disk that fails under SQLite', () => {
  let folder: string;
  let store: Store;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-outage-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function open(): Promise<void> {
    store = await openSqliteStore({ folder, worker: testWorker });
    await store.write(createNotes, null);
  }

  const limitFileSize = (limit: string) =>
    works('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:`]);

  test.skipIf(!limitFileSize('unlimited'))(
    '[DLV-7] While files may not grow, writes are refused, reads go on and nothing acknowledged is lost; afterwards, writes go on',
    async () => {
      await open();
      limitFileSize(String(3_000_000));
      const acknowledged = await fill(store, 'limit').finally(() => limitFileSize('unlimited'));
      expect(acknowledged).toBeGreaterThan(10);
      await stillReads(store, 'limit', acknowledged);
      expect(await outcome(store.write(keepNotes, { writer: 'after', number: 1, text: page }))).toBe('kept');
      await store.close();
      store = await openSqliteStore({ folder, worker: testWorker });
      await stillReads(store, 'limit', acknowledged);
      await store.close();
    },
  );

  test.skipIf(!limitFileSize('unlimited'))(
    '[DLV-7] When a disk fails in the middle of a COMMIT, the refusal says that the call may have been done',
    async () => {
      await open();
      const note = (number: number) => ({ writer: 'doubt', number, text: 'x' });
      await store.write(keepNotes, note(1));
      // The write-ahead log can't take another frame, which is an I/O error rather than a lack of space.
      limitFileSize(String(statSync(`${databasePath(folder)}-wal`).size));
      const refusal = await store
        .write(keepNotes, note(2))
        .catch((error: unknown) => error)
        .finally(() => limitFileSize('unlimited'));
      expect(refusal).toBeInstanceOf(ServiceError);
      expect(refusal).toMatchObject({ code: 'store_unavailable', status: 503 });
      expect((refusal as ServiceError).message).toContain('may or may not have been done');
      expect(await outcome(store.write(keepNotes, note(2)))).toBe('kept');
      await stillReads(store, 'doubt', 2);
      await store.close();
    },
  );

  // Only root can mount a file system of a few megabytes, and not even root can in every container.
  const mounted = (options: string) =>
    works('mount', ['-t', 'tmpfs', '-o', options, 'carillon-test', folder]);

  test('[DLV-7] On a full disk writes are refused, reads go on, nothing acknowledged is lost, and room is enough to recover', async ({
    skip,
  }) => {
    if (!mounted('size=6m')) skip('no file system can be mounted here');
    try {
      const ballast = join(folder, 'ballast');
      writeFileSync(ballast, Buffer.alloc(2_000_000));
      await open();
      const acknowledged = await fill(store, 'full');
      expect(statSync(`${databasePath(folder)}-wal`).size).toBeGreaterThan(1_000_000);
      await stillReads(store, 'full', acknowledged);
      rmSync(ballast);
      expect(await outcome(store.write(keepNotes, { writer: 'after', number: 1, text: page }))).toBe('kept');
      await stillReads(store, 'full', acknowledged);
      await store.close();
    } finally {
      execFileSync('umount', ['--lazy', folder]);
    }
  });

  test('[DLV-7] A data folder that can only be read stops the start with a sentence', async ({ skip }) => {
    if (!mounted('size=6m,ro')) skip('no file system can be mounted here');
    try {
      await expect(open()).rejects.toThrow(StartError);
      await expect(open()).rejects.toThrow(/CARILLON_DATA/);
    } finally {
      execFileSync('umount', ['--lazy', folder]);
    }
  });

  test('[DLV-7] While another program holds the lock, writes are refused after a while and reads go on; afterwards, writes go on', async () => {
    await open();
    await store.write(keepNotes, { writer: 'lock', number: 1, text: 'x' });
    const other = openDatabase(databasePath(folder));
    other.exec('BEGIN IMMEDIATE');
    const refused = store
      .write(keepNotes, { writer: 'lock', number: 2, text: 'x' })
      .catch((error: unknown) => error);
    await stillReads(store, 'lock', 1);
    expect(await refused).toMatchObject({ code: 'store_unavailable' });
    expect((await refused) as ServiceError).toMatchObject({
      message: expect.not.stringContaining('may or may not'),
    });
    other.exec('ROLLBACK');
    other.close();
    expect(await outcome(store.write(keepNotes, { writer: 'lock', number: 2, text: 'x' }))).toBe('kept');
    await store.close();
  });

  test('[DLV-7] Another process gets its turns beside a server that writes without a pause', async () => {
    await open();
    let goesOn = true;
    const busy = Array.from({ length: 8 }, async (_, writer) => {
      for (let number = 1; goesOn; number++) {
        await store.write(keepNotes, { writer: `busy ${writer}`, number, text: page.repeat(4) });
      }
    });
    const outcomes: string[] = [];
    try {
      for (let number = 1; number <= 10; number++) {
        const beside = await openSqliteStore({ folder, worker: testWorker });
        outcomes.push(await outcome(beside.write(keepNotes, { writer: 'beside', number, text: 'x' })));
        await beside.close();
      }
    } finally {
      goesOn = false;
      await Promise.all(busy);
      await store.close();
    }
    expect(outcomes).toEqual(new Array(10).fill('kept'));
  });

  test('[DLV-7] When a store thread ends, requests that it has not answered and all later ones are refused', async () => {
    await open();
    const during = outcome(store.write(endThread, null));
    expect(await during).toBe('store_unavailable');
    expect(await outcome(store.write(keepNotes, { writer: 'thread', number: 1, text: 'x' }))).toBe(
      'store_unavailable',
    );
    await stillReads(store, 'thread', 0);
    await store.close();
  });

  test('[DLV-7] While the thread for long reads cannot be started, only these are refused, and the server is not told to end', async () => {
    const worker = new URL(testWorker);
    const ends: Error[] = [];
    store = await openSqliteStore({ folder, worker, onEnd: (cause) => ends.push(cause) });
    await store.write(createNotes, null);
    const longRead = () => outcome(store.read(readAtLength, { owner: 1, ms: 0 }));
    worker.pathname += '.missing.js';
    expect(await longRead()).toBe('store_unavailable');
    await stillReads(store, 'thread', 0);
    worker.pathname = testWorker.pathname;
    expect(await longRead()).toBe('kept');
    expect(ends).toEqual([]);
    await store.close();
  });
});
