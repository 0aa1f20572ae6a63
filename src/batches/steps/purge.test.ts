import { beforeEach, expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { clearBatches, countOrphanChunks, listBatchRows } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { purgeMessages } from '../../messages/upkeep/purge.ts';
import { acceptBatch, beginBatch, storeChunk } from '../intake/accept-store.ts';
import { abortBatch } from '../management/acting-on-batch.ts';
import { purgeOldBatches } from './purge.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
const never = new AbortController().signal;

eachStore('the purge of batches', (engine) => {
  const given = deliveryStore(engine);
  const left = async () => (await given.store.read(listBatchRows, null)).map(({ id }) => id);
  const finished = '[]';

  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  });

  test('[BATCH-3] [RUN-6] The purge removes uploads abandoned an hour ago, but neither uploads in progress nor batches', async () => {
    const { store } = given;
    for (const id of [1, 2]) {
      await store.write(beginBatch, { companyId: 1, id, userId: 10, now: id * hourMs });
      for (let chunk = 0; chunk < 25; chunk++)
        await store.write(storeChunk, { companyId: 1, batchId: id, chunk, messages: 0, finished });
    }
    await putBatch(store, { id: 3, now: hourMs });
    expect(await purgeOldBatches(store, { now: 2.5 * hourMs, before: 0 }, never)).toBe(1);
    expect(await left()).toEqual([2, 3]);
    expect(await store.read(countOrphanChunks, null)).toBe(0);
    expect(
      await store.write(storeChunk, { companyId: 1, batchId: 1, chunk: 25, messages: 0, finished }),
    ).toBe(false);
    expect(
      await store.write(storeChunk, { companyId: 1, batchId: 2, chunk: 25, messages: 0, finished }),
    ).toBe(true);
  });

  test('[RUN-6] The purge removes an old batch once its messages are gone, and no batch that is under way', async () => {
    const { store } = given;
    for (const id of [1, 2, 3]) await putBatch(store, { id, now: dayMs });
    await putBatch(store, { id: 4, now: 9 * dayMs });
    await advanceAll(store, dayMs);
    await putBatch(store, { id: 5, now: dayMs });
    for (const id of [1, 2]) await store.write(abortBatch, { id, now: dayMs, reason: 'aborted' });
    const times = { now: 10 * dayMs, before: 5 * dayMs };
    expect(await purgeOldBatches(store, times, never)).toBe(0);
    await advanceAll(store, dayMs + 1, 4);
    const purge = { companyId: 1, afterId: 0, idsSinceOld: 0, createdBefore: times.before, limit: 500 };
    expect((await store.write(purgeMessages, purge)).purged).toBe(10);
    expect(await purgeOldBatches(store, times, never)).toBe(2);
    expect(await left()).toEqual([3, 4, 5]);
  });

  test('[RUN-6] The purge of batches stops when told to', async () => {
    await given.store.write(beginBatch, { companyId: 1, id: 1, userId: 10, now: 0 });
    expect(await purgeOldBatches(given.store, { now: 9 * hourMs, before: 0 }, AbortSignal.abort())).toBe(0);
    expect(await left()).toEqual([1]);
  });

  test('[BATCH-3] A batch accepted while it is purged as abandoned is either accepted or purged, not both', async () => {
    const { store } = given;
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const id of ids) {
      await store.write(beginBatch, { companyId: 1, id, userId: 10, now: 0 });
      await store.write(storeChunk, { companyId: 1, batchId: id, chunk: 0, messages: 0, finished });
    }
    const accepting = ids.map((id) =>
      store.write(acceptBatch, {
        companyId: 1,
        id,
        userId: 10,
        by: { channel: 'api', username: 'user' },
        now: 1,
        conversation: '',
        sender: 's',
        name: '',
        scheduledAt: null,
        costCenter: '',
        validityMinutes: 1,
        category: null,
        messages: 0,
        parts: 0,
        duplicates: 0,
        chunks: 1,
        failure: null,
        idempotency: null,
      }),
    );
    const [purged, ...accepted] = await Promise.all([
      purgeOldBatches(store, { now: 2 * hourMs, before: 0 }, never),
      ...accepting,
    ]);
    const taken = ids.filter((_, index) => accepted[index]?.kind === 'accepted');
    expect(await left()).toEqual(taken);
    expect(purged).toBeGreaterThanOrEqual(ids.length - taken.length);
    expect(await store.read(countOrphanChunks, null)).toBe(0);
  });
});
