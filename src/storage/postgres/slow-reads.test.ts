import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause, undisturbed } from '../../../test/harness/awake.ts';
import { describePostgres, type FreshDatabase, freshDatabase } from '../../../test/harness/engines.ts';
import { createNotes, keepNotes } from '../../../test/harness/storage-verbs.ts';
import { sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { readVerb } from '../verb.ts';
import { openPostgresStore } from './store.ts';

/** When it began and ended by the server, in milliseconds. */
const readSlowly = readVerb('test.readSlowly', async (reading, ms: number) => {
  const now = sql`EXTRACT(EPOCH FROM clock_timestamp()) * 1000`;
  const began = await reading.first<{ at: string }>(sql`SELECT ${now} AS at`);
  await reading.all(sql`SELECT pg_sleep(${ms} / 1000.0)`);
  const ended = await reading.first<{ at: string }>(sql`SELECT ${now} AS at`);
  return { began: Number(began?.at), ended: Number(ended?.at) };
});

describePostgres('reads that take their time', () => {
  let database: FreshDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await freshDatabase();
    store = await openPostgresStore({ url: database.url, log: { warn: () => undefined } });
    await store.write(createNotes, null);
  });

  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  test('[DLV-8] leave connections to the writes, and are all answered in their turn', async () => {
    let notes = 0;
    await undisturbed(async () => {
      let answered = 0;
      const reads = Array.from({ length: 16 }, async () => {
        const read = await store.read(readSlowly, 1_500);
        answered += 1;
        return read;
      });
      await pause(200);
      notes += 1;
      await store.write(keepNotes, { writer: 'beside', number: notes, text: 'x' });
      const before = answered;
      const all = await Promise.all(reads);
      expect(before).toBe(0);
      // Eight at a time: each of the others began when one of these had ended.
      const began = all.map((read) => read.began).sort((a, b) => a - b);
      const ended = all.map((read) => read.ended).sort((a, b) => a - b);
      for (const [index, end] of ended.slice(0, 8).entries()) expect(began[index + 8]).toBeGreaterThan(end);
      expect(began[7]).toBeLessThan(ended[0] as number);
    });
  });

  test('[DLV-8] beyond what can be served in time are refused', () =>
    undisturbed(async () => {
      const reads = await Promise.allSettled(Array.from({ length: 40 }, () => store.read(readSlowly, 2_000)));
      const refused = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason] : []));
      // Turns begin after 0, 2 and 4 seconds; nobody waits for longer than 5.
      expect(refused).toHaveLength(16);
      for (const reason of refused) expect(reason).toMatchObject({ code: 'store_unavailable', status: 503 });
    }));
});
