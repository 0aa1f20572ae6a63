import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser, removeUser } from '../../../test/harness/account-verbs.ts';
import { clearBatches, listBatchMessages } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, chunkRow, codesOf, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { grantQuota, listUsage, listUsed } from '../../../test/harness/delivery-verbs.ts';
import { limitCompany } from '../../../test/harness/quota-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { charge, lane, stage, status } from '../../messages/message.ts';
import { advanceBatch, failBatch, listUnderWay } from './advance-store.ts';

const hourMs = 60 * 60 * 1_000;

eachStore('the steps of a batch', (engine) => {
  const given = deliveryStore(engine);
  const user = { id: 10, companyId: 1, username: 'first', roles: ['send'] };
  const used = async () => (await given.store.read(listUsed, null)).map((row) => row.used);

  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putCompany, { id: 1, name: 'Company' });
    await given.store.write(putUser, user);
    await given.store.write(putUser, { id: 11, companyId: 1, username: 'second', roles: ['send'] });
  });

  test('[BATCH-2] [BATCH-3] A batch passes through the codes 1, 3, 2 and 0, and its messages are made on the way', async () => {
    await putBatch(given.store, { id: 1, partsOfEach: 2, costCenter: 'cc', carrierIds: [1, 2] });
    const steps = await advanceAll(given.store, 5_000);
    expect(codesOf(steps)).toEqual([3, 2, 2, 2, 0]);
    expect(steps.map((step) => step.kind === 'made' && [...step.carrierIds].sort())).toEqual([
      [],
      [],
      [1, 2],
      [1, 2],
      [1],
    ]);
    const batch = await batchRow(given.store, 1);
    expect(batch).toMatchObject({ code: 0, expanded: 5, stored: 0, clearing: 0, reason: null });
    const messages = await given.store.read(listBatchMessages, 1);
    expect(messages).toHaveLength(5);
    for (const [place, message] of messages.entries()) {
      const [recipient, text, parts, conversation, carrierId] = chunkRow(place, 2, 1 + (place % 2));
      expect(message).toMatchObject({
        id: (batch.first_message_id as number) + place,
        company_id: 1,
        user_id: 10,
        sender: 'Sender',
        recipient,
        text,
        parts,
        conversation,
        carrier_id: carrierId,
        cost_center: 'cc',
        created_at: 5_000,
        expires_at: 5_000 + hourMs,
        status: status.QUEUED,
        stage: stage.waiting,
        lane: lane.bulk,
        charge: charge.reserved,
        unread: 1,
        version: 1,
      });
    }
    expect(await used()).toEqual([10, 10, 0]);
    expect(await given.store.read(listUsage, null)).toEqual([
      { user_id: 10, cost_center: 'cc', month: '1970-01', messages: 5, parts: 10 },
    ]);
  });

  test('[BATCH-2] A small batch is done before a large one that came earlier, while the large one goes on', async () => {
    await putBatch(given.store, { id: 1, count: 20 });
    await advanceAll(given.store, 5_000, 6);
    await putBatch(given.store, { id: 2, count: 2 });
    await advanceAll(given.store, 5_000, 6);
    expect(await batchRow(given.store, 2)).toMatchObject({ code: 0 });
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 2, next_chunk: 7 });
  });

  test('[BATCH-2] The oldest batch is always among those that may be next, however many are less advanced', async () => {
    await putBatch(given.store, { id: 1, count: 20 });
    await advanceAll(given.store, 5_000, 6);
    for (let id = 2; id < 10; id++) await putBatch(given.store, { id });
    const listed = await given.store.read(listUnderWay, { now: 5_000, limit: 3 });
    expect(listed.map(({ id }) => id)).toEqual([2, 3, 4, 1]);
  });

  test.each([12, 14] as const)(
    '[BATCH-5] A fault found at intake ends the batch with code %i and its reason',
    async (code) => {
      await putBatch(given.store, { id: 1, failure: { code, reason: 'found at intake' } });
      await putBatch(given.store, { id: 2, count: 0, chunks: 0, failure: { code, reason: 'no chunks' } });
      await advanceAll(given.store, 5_000);
      expect(await batchRow(given.store, 1)).toMatchObject({
        code,
        reason: 'found at intake',
        stored: 0,
        clearing: 0,
      });
      expect(await batchRow(given.store, 2)).toMatchObject({ code, reason: 'no chunks', clearing: 0 });
      expect(await used()).toEqual([0, 0, 0]);
    },
  );

  test.each([
    [
      'the user is inactive',
      () => given.store.write(putUser, { ...user, active: false }),
      /first is no longer active/,
    ],
    [
      'the company is inactive',
      () => given.store.write(putCompany, { id: 1, name: 'Company', active: false }),
      /company/,
    ],
    ['the user lost the role', () => given.store.write(putUser, { ...user, roles: ['jobs'] }), /role send/],
    ['the user is gone', () => given.store.write(removeUser, 10), /no longer exists/],
  ])('[BATCH-5] A batch ends with code 13 when %s', async (_, change, reason) => {
    await putBatch(given.store, { id: 1 });
    await change();
    await advanceAll(given.store, 5_000);
    const batch = await batchRow(given.store, 1);
    expect(batch).toMatchObject({ code: 13, stored: 0, expanded: 0, first_message_id: null });
    expect(batch.reason).toMatch(reason);
    expect(await given.store.read(listBatchMessages, 1)).toEqual([]);
  });

  test.each(['user 10', 'company 1'])(
    '[BATCH-5] [SEND-19] The quota of the %s covers a whole batch or none of it',
    async (holder) => {
      await given.store.write(grantQuota, { [holder]: 10 });
      await putBatch(given.store, { id: 1, partsOfEach: 3 });
      await putBatch(given.store, { id: 2, partsOfEach: 2 });
      await advanceAll(given.store, 5_000);
      expect(await batchRow(given.store, 1)).toMatchObject({ code: 11, stored: 0 });
      expect(await batchRow(given.store, 2)).toMatchObject({ code: 0 });
      expect(await used()).toEqual([10, 10, 0]);
      expect(await given.store.read(listBatchMessages, 1)).toEqual([]);
    },
  );

  test('[BATCH-5] [CONV-11] A company’s daily limit covers a whole batch or none of it, and its limit per minute does not apply', async () => {
    await given.store.write(limitCompany, { id: 1, perMinute: 2, perDay: 15 });
    for (const id of [1, 2]) await putBatch(given.store, { id, partsOfEach: 2 });
    await putBatch(given.store, { id: 3, partsOfEach: 4 });
    await advanceAll(given.store, 5_000);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 0 });
    expect(await batchRow(given.store, 2)).toMatchObject({
      code: 11,
      stored: 0,
      reason: storedReason({
        sentence: 'batch_parts_left',
        holder: 'company',
        most: 15,
        left: 5,
        parts: 10,
      }),
    });
    expect(await batchRow(given.store, 3)).toMatchObject({
      code: 11,
      reason: storedReason({ sentence: 'batch_parts_never', holder: 'company', most: 15, parts: 20 }),
    });
    await putBatch(given.store, { id: 4, partsOfEach: 2 });
    await advanceAll(given.store, 5_000 + 24 * 3_600_000);
    expect(await batchRow(given.store, 4)).toMatchObject({ code: 0 });
    await given.store.write(limitCompany, { id: 1 });
  });

  test('[BATCH-3] [BATCH-5] Two nodes working at the same time make each step once, and do not grant the same quota twice', async () => {
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : given.store;
    await given.store.write(grantQuota, { 'company 1': 30 });
    for (const id of [1, 2, 3]) await putBatch(given.store, { id, count: 15, userId: id === 2 ? 11 : 10 });
    const node = async (store: typeof other) => {
      const passed: unknown[] = [];
      for (let idle = 0; idle < 20; ) {
        const keys = await store.read(listUnderWay, { now: 5_000, limit: 10 });
        if (keys.length === 0) idle += 20;
        for (const key of keys) {
          const step = await store.write(advanceBatch, { ...key, now: 5_000 });
          if (step.kind === 'passed') passed.push(key);
        }
      }
    };
    await Promise.all([node(given.store), node(other), node(given.store)]);
    const codes = [];
    for (const id of [1, 2, 3]) {
      const { code, first_message_id: first } = await batchRow(given.store, id);
      const messages = await given.store.read(listBatchMessages, id);
      codes.push(code);
      expect(messages.map((message) => message.id - (first ?? 0))).toEqual(
        code === 0 ? Array.from({ length: 15 }, (_, place) => place) : [],
      );
      expect(new Set(messages.map(({ recipient }) => recipient)).size).toBe(messages.length);
    }
    expect(codes.sort()).toEqual([0, 0, 11]);
    expect((await used())[0]).toBe(30);
  });

  test('[BATCH-5] A batch that ends because of an unexpected error has code 10, and its unsent messages are cancelled', async () => {
    await putBatch(given.store, { id: 1, partsOfEach: 2 });
    await advanceAll(given.store, 5_000, 3);
    const ending = { companyId: 1, id: 1, now: 6_000, reason: 'it broke' };
    expect(await given.store.write(failBatch, ending)).toBe(true);
    expect(await given.store.write(failBatch, ending)).toBe(false);
    await advanceAll(given.store, 6_000);
    expect(await batchRow(given.store, 1)).toMatchObject({
      code: 10,
      reason: 'it broke',
      stored: 0,
      clearing: 0,
    });
    const messages = await given.store.read(listBatchMessages, 1);
    expect(messages.map((message) => message.status)).toEqual([status.DELETED, status.DELETED]);
    expect(await used()).toEqual([0, 0, 0]);
    expect(await given.store.read(listUsage, null)).toMatchObject([{ messages: 0, parts: 0 }]);
  });

  test('[BATCH-3] Chunks that hold more than was accepted make no messages with ids that belong to others', async () => {
    await putBatch(given.store, { id: 1, messages: 3 });
    await expect(advanceAll(given.store, 5_000)).rejects.toThrow('chunk 1 of 3 brings it to 4 of 3 messages');
    expect(await given.store.read(listBatchMessages, 1)).toHaveLength(2);
  });
});
