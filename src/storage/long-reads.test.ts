import { renameSync } from 'node:fs';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass } from '../../test/harness/held-time.ts';
import { countNotes, createNotes, keepNotes, readAtLength } from '../../test/harness/storage-verbs.ts';
import { eachStore, openFreshStore } from '../../test/harness/stores.ts';
import { databasePath, openDatabase } from './sqlite/database.ts';
import type { Store } from './store.ts';

eachStore('reads that take long', (engine) => {
  let store: Store;
  let place: string;

  beforeAll(async () => {
    const fresh = await engine.openFreshStore();
    ({ store, place } = fresh);
    await store.write(createNotes, null);
  });

  test('[CONV-12] Long reads of one owner hold up neither short reads nor the reads of another owner', async () => {
    const ended: string[] = [];
    const reads = Array.from({ length: 16 }, async (_, index) => {
      await store.read(readAtLength, { owner: 1, ms: 80 });
      ended.push(`first ${index}`);
    });
    const short = store.read(countNotes, 'nobody').then(() => ended.push('short'));
    const other = store.read(readAtLength, { owner: 2, ms: 80 }).then(() => ended.push('other'));
    await Promise.all([...reads, short, other]);
    // PostgreSQL runs four of them at a time, and may have had to connect first.
    expect(ended.indexOf('short')).toBeLessThanOrEqual(10);
    expect(ended.indexOf('other')).toBeLessThanOrEqual(10);
    expect(ended).toHaveLength(18);
  });

  test('[CONV-12] A long read is not begun for a client that has gone', async () => {
    const gone = new AbortController();
    const long = { owner: 3, ms: 200 };
    const underWay = Array.from({ length: 4 }, () => store.read(readAtLength, long, { signal: gone.signal }));
    const reads = Array.from({ length: 40 }, () => store.read(readAtLength, long, { signal: gone.signal }));
    const outcomes = Promise.allSettled(reads);
    gone.abort(new Error('gone'));
    expect(new Set((await outcomes).map((one) => one.status === 'rejected' && one.reason))).toEqual(
      new Set([gone.signal.reason]),
    );
    await expect(store.read(countNotes, 'nobody', { signal: gone.signal })).rejects.toThrow('gone');
    await Promise.allSettled(underWay);
    expect(await store.read(readAtLength, { owner: 3, ms: 0 })).toBe(0);
  });

  test('[SEND-5] What an answered write has stored is read at once, by short and by long reads', async () => {
    for (let number = 1; number <= 50; number++) {
      await store.write(keepNotes, { writer: 'own', number, text: 'x' });
      const [short, long] = await Promise.all([
        store.read(countNotes, 'own'),
        store.read(readAtLength, { owner: 1, ms: 0, writer: 'own' }),
      ]);
      expect([short.notes, long]).toEqual([number, number]);
    }
  });

  if (engine.name === 'sqlite')
    test('[DLV-7] Long reads are refused while their thread cannot be started, and work afterwards', async () => {
      // A store that no other test has used, so its thread for long reads has not been started yet.
      const fresh = await openFreshStore(engine.name);
      onTestFinished(() => fresh.dispose());
      await fresh.store.write(createNotes, null);
      const path = databasePath(fresh.place);
      renameSync(path, `${path}.away`);
      const asked = { owner: 1, ms: 0 };
      await expect(fresh.store.read(readAtLength, asked)).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      renameSync(`${path}.away`, path);
      expect(await fresh.store.read(readAtLength, asked)).toBe(0);
    });

  if (engine.name === 'sqlite')
    test('[RUN-1] The thread for long reads ends when nobody has needed it for a minute, and starts again', async () => {
      const fresh = await openFreshStore(engine.name);
      onTestFinished(() => fresh.dispose());
      await fresh.store.write(createNotes, null);
      holdTime();
      onTestFinished(letTimeGo);
      const path = databasePath(fresh.place);
      const asked = { owner: 1, ms: 0 };
      expect(await fresh.store.read(readAtLength, asked)).toBe(0);
      renameSync(path, `${path}.away`);
      pass(59_000);
      expect(await fresh.store.read(readAtLength, asked)).toBe(0);
      pass(60_001);
      // Only a thread that has to be started meets the missing file.
      await expect(fresh.store.read(readAtLength, asked)).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      renameSync(`${path}.away`, path);
      expect(await fresh.store.read(readAtLength, asked)).toBe(0);
    });

  if (engine.name === 'sqlite')
    test('[RUN-1] A reader maps nothing of the file, so a long read does not leave the store in the memory of the process', () => {
      const database = openDatabase(databasePath(place), { readOnly: true });
      onTestFinished(() => database.close());
      expect(database.prepare('PRAGMA mmap_size').get()).toMatchObject({ mmap_size: 0 });
    });

  if (engine.name === 'sqlite')
    test('[RUN-1] Long reads leave no transaction open that would keep the log from being merged into the database', async () => {
      await store.write(keepNotes, { writer: 'log', number: 1, text: 'x'.repeat(1_000) });
      await store.read(countNotes, 'log');
      await store.read(readAtLength, { owner: 1, ms: 0, writer: 'log' });
      const database = openDatabase(databasePath(place));
      const folded = () =>
        (database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }).busy === 0;
      await until(folded);
      database.close();
    });
});
