import { beforeEach, expect, test } from 'vitest';
import { putUser } from '../../../test/harness/account-verbs.ts';
import { clearBatches, listBatchMessages } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { claimMessages } from '../../messages/dispatch/claim.ts';
import { releaseOrphans } from '../../messages/dispatch/orphans.ts';
import { stage, status } from '../../messages/message.ts';
import { abortBatch } from '../steps/abort-store.ts';
import { listUnderWay } from '../steps/advance-store.ts';
import { listPaused, pauseBatch, resumeBatch } from './pause-store.ts';

const minuteMs = 60_000;

eachStore('pausing a batch', (engine) => {
  const given = deliveryStore(engine);
  const user = { companyId: 1, userId: 10, username: 'first', session: undefined };
  const act = { id: 1, now: 6_000, user };
  const pause = () => given.store.write(pauseBatch, act);
  const resume = (now = 7_000) => given.store.write(resumeBatch, { ...act, now });
  const messages = () => given.store.read(listBatchMessages, 1);
  const stages = async () => (await messages()).map((message) => message.stage);
  const claim = async (room: number, now = 6_500) =>
    given.store.write(claimMessages, {
      carrierId: 1,
      nodeId: 7,
      room,
      bulkFloor: 0,
      now,
      pausedBatches: [{ companyId: 1, id: 1 }],
    });

  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await putBatch(given.store, { id: 1 });
  });

  test.each([
    [0, 0],
    [2, 0],
    [3, 2],
    [5, 5],
  ])(
    '[BATCH-5] after %i steps puts %i messages aside, and makes no more until it is resumed',
    async (steps, made) => {
      await advanceAll(given.store, 5_000, steps);
      expect(await pause()).toBe('done');
      expect(await given.store.read(listPaused, null)).toEqual([{ companyId: 1, id: 1 }]);
      await advanceAll(given.store, 6_100);
      expect(await stages()).toEqual(new Array(made).fill(stage.paused));
      expect(await given.store.read(listUnderWay, { now: 1e12, limit: 10 })).toEqual([]);
      expect(await resume()).toBe('done');
      await advanceAll(given.store, 7_000);
      expect(await stages()).toEqual(new Array(5).fill(stage.waiting));
      for (const message of await messages())
        expect(message).toMatchObject({ due_at: 7_000, expires_at: 7_000 + 60 * minuteMs, attempts: 0 });
      expect(await batchRow(given.store, 1)).toMatchObject({
        code: 0,
        paused: 0,
        clearing: 0,
        clear_from: 0,
      });
    },
  );

  test('[BATCH-5] what comes back from a node that died is put aside by the next claim, and goes once', async () => {
    await advanceAll(given.store, 5_000);
    const before = { carrierId: 1, nodeId: 7, room: 2, bulkFloor: 0, now: 5_500 };
    expect((await given.store.write(claimMessages, before)).messages).toHaveLength(2);
    await pause();
    await advanceAll(given.store, 6_100);
    expect((await stages()).sort()).toEqual([1, 1, 5, 5, 5]);
    await given.store.write(releaseOrphans, { carrierId: 1, nodeId: 7, now: 6_200, knownIds: [] });
    expect(await claim(10)).toMatchObject({ messages: [], held: 2 });
    expect(await stages()).toEqual(new Array(5).fill(stage.paused));
    await resume();
    await advanceAll(given.store, 7_000);
    expect((await claim(10, 7_100)).messages).toHaveLength(5);
  });

  test('[BATCH-5] a node that has not heard yet that it was resumed puts nothing aside', async () => {
    await advanceAll(given.store, 5_000);
    await pause();
    await advanceAll(given.store, 6_100);
    await resume();
    await advanceAll(given.store, 7_000);
    expect((await claim(10, 7_100)).messages).toHaveLength(5);
    expect(await stages()).toEqual(new Array(5).fill(stage.inFlight));
  });

  test('[BATCH-5] aborted while it is paused, or half way there, it is taken back whole', async () => {
    await advanceAll(given.store, 5_000, 4);
    await pause();
    await advanceAll(given.store, 6_100, 1);
    expect(await given.store.write(abortBatch, { ...act, now: 7_000 })).toEqual({ kind: 'aborted' });
    await advanceAll(given.store, 7_100);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 99, paused: 0, clearing: 0, stored: 0 });
    for (const message of await messages()) expect(message.status).toBe(status.DELETED);
    expect(await given.store.read(listPaused, null)).toEqual([]);
  });

  test('[BATCH-5] [AUTH-9] another user finds none, and one of which nothing waits stays as it is', async () => {
    const other = { companyId: 1, userId: 11, username: 'second', session: undefined };
    expect(await given.store.write(pauseBatch, { ...act, user: other })).toBe('notFound');
    await given.store.write(abortBatch, { ...act });
    expect(await pause()).toBe('done');
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 99, paused: 0 });
  });
});
