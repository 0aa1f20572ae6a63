import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { describePostgres, type FreshDatabase, freshDatabase } from '../../../test/harness/engines.ts';
import { createNotes, keepNotes } from '../../../test/harness/storage-verbs.ts';
import { sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { readVerb } from '../verb.ts';
import { openPostgresStore } from './store.ts';

/** The test holds this advisory lock until the reads may continue. */
const lockId = 7;

const readSlowly = readVerb('test.readSlowly', async (reading, _: null) =>
  reading.all(sql`SELECT pg_advisory_xact_lock_shared(${lockId})`),
);

describePostgres('reads that take their time', () => {
  let database: FreshDatabase;
  let store: Store;
  let holder: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    store = await openPostgresStore({ url: database.url, log: { warn: () => undefined } });
    await store.write(createNotes, null);
    holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
  });

  // The test also controls how long a read waits for its turn.
  beforeEach(async () => {
    await holder.query('SELECT pg_advisory_lock($1)', [lockId]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await holder.query('SELECT pg_advisory_unlock_all()');
  });

  afterAll(async () => {
    await holder.end();
    await store.close();
    await database.drop();
  });

  const underWay = async () => {
    const { rows } = await holder.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_locks JOIN pg_database ON oid = database
       WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
    );
    return rows[0]?.waiting;
  };

  test('[RUN-2] A statement may take as long as DATABASE_URL says, and so long is the server waited for', async () => {
    const openWith = (ms: number) =>
      openPostgresStore({
        url: `${database.url}?statement_timeout=${ms}`,
        log: { warn: () => undefined },
      });
    const [hasty, patient] = await Promise.all([openWith(200), openWith(60_000)]);
    await expect(hasty.read(readSlowly, null)).rejects.toMatchObject({ code: 'store_unavailable' });
    const read = patient.read(readSlowly, null);
    await until(async () => (await underWay()) === 1);
    vi.advanceTimersByTime(50_000);
    await holder.query('SELECT pg_advisory_unlock_all()');
    await expect(read).resolves.toHaveLength(1);
    await Promise.all([hasty.close(), patient.close()]);
  });

  test('[DLV-8] Slow reads leave connections to the writes, and are all answered in their turn', async () => {
    let answered = 0;
    const reads = Array.from({ length: 16 }, async () => {
      await store.read(readSlowly, null);
      answered += 1;
    });
    await until(async () => (await underWay()) === 8);
    await store.write(keepNotes, { writer: 'beside', number: 1, text: 'x' });
    // The other reads have no connection either, although there was time.
    expect([answered, await underWay()]).toEqual([0, 8]);
    await holder.query('SELECT pg_advisory_unlock($1)', [lockId]);
    await Promise.all(reads);
    expect(answered).toBe(16);
  });

  test('[DLV-8] Slow reads beyond what can be served in time are refused', async () => {
    const reads = Promise.allSettled(Array.from({ length: 40 }, () => store.read(readSlowly, null)));
    await until(async () => (await underWay()) === 8);
    // No read waits longer than 5 seconds.
    vi.advanceTimersByTime(5_000);
    await holder.query('SELECT pg_advisory_unlock($1)', [lockId]);
    const refused = (await reads).flatMap((read) => (read.status === 'rejected' ? [read.reason] : []));
    expect(refused).toHaveLength(32);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'store_unavailable', status: 503 });
  });
});
