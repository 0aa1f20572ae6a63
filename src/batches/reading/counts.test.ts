import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { pause } from '../../../test/harness/awake.ts';
import {
  changeStatuses,
  countRows,
  miscounted,
  removeMessages,
} from '../../../test/harness/batch-reading-verbs.ts';
import { clearBatches } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore, idsOf, range } from '../../../test/harness/delivery-store.ts';
import { putMessages } from '../../../test/harness/delivery-verbs.ts';
import { claim, ended, part, record, retrying, sent } from '../../../test/harness/outcomes.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { claimMessages } from '../../messages/dispatch/claim.ts';
import { recordOutcomes } from '../../messages/dispatch/store.ts';
import { status } from '../../messages/message.ts';
import { cancelMessage } from '../../messages/operator/cancel.ts';
import { recordReceipts } from '../../messages/receipts/store.ts';
import { expireWaiting, giveUpReceipts } from '../../messages/upkeep/due-store.ts';
import type { Store } from '../../storage/store.ts';
import { abortBatch } from '../management/acting-on-batch.ts';
import { foldCountChanges, foldCounts, readStatusCounts } from './counts.ts';

const anybody = { companyId: 1, userId: 10, afterId: 0, limit: 100 };

/** The stored counts of a batch, by status. */
async function counts(store: Store, batchId: number): Promise<Readonly<Record<number, number>>> {
  const [batch] = await store.read(readStatusCounts, { ...anybody, batchId, conversation: null });
  return Object.fromEntries((batch?.counts ?? []).map((count) => [count.status, count.messages]));
}

eachStore('the kept counts of a batch', (engine) => {
  const given = deliveryStore(engine);
  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
  });

  async function expectExact(): Promise<void> {
    expect(await given.store.read(miscounted, null)).toEqual([]);
  }

  test('[BATCH-8] The kept counts of a batch follow what dispatch, carriers, time and operators do to its messages', async () => {
    const { store } = given;
    await putBatch(store, { id: 1, count: 8, chunkSize: 3 });
    await advanceAll(store, 5_000, 3);
    expect(await counts(store, 1)).toEqual({ [status.QUEUED]: 3 });
    await advanceAll(store, 5_000);
    expect(await counts(store, 1)).toEqual({ [status.QUEUED]: 8 });
    const first = (await batchRow(store, 1)).first_message_id as number;
    // Any five may be claimed, since all are due at the same moment.
    const { messages } = await store.write(claimMessages, { ...claim, room: 5 });
    const [delivered, accepted, unheard, rejected, later] = idsOf(messages) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const waiting = range(first, first + 7).find((id) => !idsOf(messages).includes(id)) as number;
    expect(await counts(store, 1)).toEqual({ [status.QUEUED]: 8 });
    await store.write(recordOutcomes, {
      ...record(7),
      advances: [
        ...[delivered, accepted, unheard].map((id) => sent(id)),
        ended(rejected, status.REJECTED),
        retrying(later),
      ],
      taken: [delivered, accepted, unheard].map((id) => part(id)),
    });
    expect(await counts(store, 1)).toEqual({ [status.QUEUED]: 4, [status.SENT]: 3, [status.REJECTED]: 1 });
    const receipt = { carrierId: 1, errorCode: null, receivedAt: 7_000 };
    const receiptOf = (id: number, code = status.DELIVERED) => ({
      ...receipt,
      carrierMessageId: `c${id}/1`,
      status: code,
    });
    await store.write(recordReceipts, [receiptOf(delivered), receiptOf(delivered)]);
    await store.write(recordReceipts, [receiptOf(accepted, status.ACCEPTED)]);
    await store.write(cancelMessage, { id: waiting, now: 8_000 });
    await store.write(giveUpReceipts, { now: 100_000, limit: 10 });
    expect(await counts(store, 1)).toEqual({
      [status.QUEUED]: 3,
      [status.DELIVERED]: 1,
      [status.ACCEPTED]: 1,
      [status.EXPIRED]: 1,
      [status.REJECTED]: 1,
      [status.DELETED]: 1,
    });
    await store.write(expireWaiting, { now: 9_000_000, limit: 10 });
    await expectExact();
    await store.write(abortBatch, { id: 1, now: 9_000_001, reason: 'not wanted' });
    await advanceAll(store, 9_000_002);
    expect(await counts(store, 1)).toMatchObject({ [status.EXPIRED]: 3, [status.DELETED]: 2 });
    await expectExact();
  });

  test('[BATCH-8] The kept counts of a batch stay as they are when its messages are purged', async () => {
    await putBatch(given.store, { id: 1 });
    await advanceAll(given.store, 5_000);
    await given.store.write(removeMessages, null);
    expect(await counts(given.store, 1)).toEqual({ [status.QUEUED]: 5 });
  });

  test('[BATCH-8] The kept counts of batches ignore messages that belong to no batch', async () => {
    await given.store.write(putMessages, [{ id: 1 }, { id: 2 }]);
    await given.store.write(changeStatuses, [{ id: 1, status: status.DELIVERED, at: 2_000 }]);
    expect(await given.store.read(countRows, null)).toEqual({ counts: 0, changes: 0 });
  });

  test('[BATCH-8] The kept counts of a batch are the same before and after folding', async () => {
    const { store } = given;
    await putBatch(store, { id: 1, count: 6 });
    await advanceAll(store, 5_000);
    const first = (await batchRow(store, 1)).first_message_id as number;
    const to = (code: number) =>
      [0, 1, 2, 3].map((place) => ({ id: first + place, status: code, at: 6_000 + code }));
    await store.write(changeStatuses, to(status.SENT));
    await store.write(changeStatuses, to(status.DELIVERED));
    const expected = { [status.QUEUED]: 2, [status.DELIVERED]: 4 };
    expect(await counts(store, 1)).toEqual(expected);
    while ((await store.write(foldCountChanges, 3)) > 0) expect(await counts(store, 1)).toEqual(expected);
    expect(await store.read(countRows, null)).toMatchObject({ changes: 0 });
    await expectExact();
  });

  test('[BATCH-8] The kept counts of a batch are exact after any history', { timeout: 180_000 }, async () => {
    const { store } = given;
    for (const id of [1, 2, 3]) await putBatch(store, { id, count: 6, now: id });
    await advanceAll(store, 5_000);
    await store.write(
      putMessages,
      [1, 2, 3].map((id) => ({ id })),
    );
    const firsts = await Promise.all(
      [1, 2, 3].map(async (id) => (await batchRow(store, id)).first_message_id ?? 0),
    );
    const ids = [1, 2, 3, ...firsts.flatMap((first) => [0, 1, 2, 3, 4, 5].map((place) => first + place))];
    const change = fc.record({
      id: fc.constantFrom(...ids),
      status: fc.integer({ min: 0, max: status.ERROR }),
      at: fc.integer({ min: 6_000, max: 9_000 }),
    });
    const changes = fc.uniqueArray(change, { selector: ({ id }) => id, minLength: 1, maxLength: 12 });
    const act = fc.oneof({ arbitrary: changes, weight: 4 }, fc.integer({ min: 1, max: 9 }));
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        for (const one of acts) {
          if (typeof one === 'number') await store.write(foldCountChanges, one);
          else await store.write(changeStatuses, one);
        }
        await expectExact();
      }),
      { numRuns: 30 },
    );
  });

  test('[BATCH-8] The kept counts of batches are exact at every moment while nodes change statuses and fold at the same time', async () => {
    const one = given.store;
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : one;
    for (const id of [1, 2, 3]) await putBatch(one, { id, count: 40, chunkSize: 40, now: id });
    await advanceAll(one, 5_000);
    const firsts = await Promise.all(
      [1, 2, 3].map(async (id) => (await batchRow(one, id)).first_message_id ?? 0),
    );
    let changing = true;
    const look = async () => {
      while (changing) {
        await expectExact();
        await pause(2);
      }
    };
    // Each worker has its own messages, from all batches, and processes them in its own order.
    const work = async (worker: number) => {
      const store = worker % 2 === 0 ? one : other;
      for (let round = 1; round <= 25; round++) {
        const mine = firsts.flatMap((first) => Array.from({ length: 10 }, (_, n) => first + worker * 10 + n));
        await store.write(
          changeStatuses,
          mine.map((id) => ({ id, status: (id * 7 + round * worker + round) % 14, at: 6_000 + round })),
        );
        await store.write(foldCountChanges, 25);
      }
    };
    const looking = look();
    await Promise.all([0, 1, 2, 3].map(work));
    changing = false;
    await looking;
    await expectExact();
  });

  test('[BATCH-8] A node folds the kept counts of batches on its own', async () => {
    const { store } = given;
    await putBatch(store, { id: 1 });
    await advanceAll(store, 5_000);
    await foldCounts(store);
    expect(await store.read(countRows, null)).toEqual({ counts: 1, changes: 0 });
    expect(await counts(store, 1)).toEqual({ [status.QUEUED]: 5 });
  });
});
