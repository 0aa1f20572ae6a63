import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePostgres, type FreshDatabase, freshDatabase } from '../../../test/harness/engines.ts';
import { createNotes, keepNotes } from '../../../test/harness/storage-verbs.ts';
import { sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { readVerb } from '../verb.ts';
import { openPostgresStore } from './store.ts';

const sleepMs = 1_500;

const readSlowly = readVerb('test.readSlowly', async (reading, _: null) => {
  await reading.all(sql`SELECT pg_sleep(${sleepMs / 1_000})`);
  return performance.now();
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
    const startedAt = performance.now();
    const reads = Promise.all(Array.from({ length: 16 }, () => store.read(readSlowly, null)));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await store.write(keepNotes, { writer: 'beside', number: 1, text: 'x' });
    expect(performance.now() - startedAt).toBeLessThan(sleepMs - 200);
    const rounds = (await reads).map((endedAt) => Math.floor((endedAt - startedAt) / sleepMs));
    expect(rounds.filter((round) => round === 1)).toHaveLength(8);
    expect(rounds.filter((round) => round === 2)).toHaveLength(8);
  });

  test('[DLV-8] beyond what can be served in time are refused', async () => {
    const reads = await Promise.allSettled(Array.from({ length: 40 }, () => store.read(readSlowly, null)));
    const refused = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason] : []));
    // Turns begin after 0, 1.5, 3 and 4.5 seconds; nobody waits for longer than 5.
    expect(refused).toHaveLength(8);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'store_unavailable', status: 503 });
  });
});
