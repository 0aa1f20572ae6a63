import { expect, test } from 'vitest';
import { type Engine, eachStore } from '../../../test/harness/stores.ts';
import { findEarlier } from '../../messages/idempotency.ts';
import { listVisibleBatches } from '../management/visible-batch.ts';
import { failBatch } from '../steps/advance-store.ts';
import { acceptBatch, type BatchAcceptance, beginBatch, discardBatch, storeChunk } from './accept-store.ts';

const acceptance: BatchAcceptance = {
  companyId: 1,
  id: 7,
  userId: 10,
  by: { channel: 'portal', username: 'first' },
  now: 2_000,
  conversation: 'c',
  sender: 's',
  name: '',
  scheduledAt: null,
  costCenter: '',
  validityMinutes: 60,
  category: null,
  messages: 2,
  parts: 2,
  duplicates: 0,
  chunks: 1,
  failure: null,
  idempotency: null,
};
const chunk = { companyId: 1, batchId: 7, chunk: 0, messages: 2, finished: '[]' };

eachStore('taking a batch in', (engine: Engine) => {
  test('[BATCH-2] A batch is accepted once, and takes no chunk after that', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(beginBatch, { companyId: 1, id: 7, userId: 10, now: 1_000 });
    expect(await store.write(storeChunk, chunk)).toBe(true);
    expect(await store.write(acceptBatch, acceptance)).toEqual({ kind: 'accepted' });
    expect(await store.write(acceptBatch, acceptance)).toEqual({ kind: 'gone' });
    expect(await store.write(storeChunk, { ...chunk, chunk: 1 })).toBe(false);
    expect(await store.write(discardBatch, { companyId: 1, id: 7 })).toBe(0);
  });

  test('[BATCH-3] An abandoned batch upload is removed in steps, and nothing can be added to it', async () => {
    const { store } = await engine.openFreshStore();
    await store.write(beginBatch, { companyId: 1, id: 7, userId: 10, now: 1_000 });
    for (let index = 0; index < 45; index++) await store.write(storeChunk, { ...chunk, chunk: index });
    const removed: number[] = [];
    do removed.push(await store.write(discardBatch, { companyId: 1, id: 7 }));
    while (removed.at(-1) !== 0);
    expect(removed).toEqual([20, 20, 5, 0]);
    expect(await store.write(storeChunk, { ...chunk, chunk: 45 })).toBe(false);
    expect(await store.write(acceptBatch, acceptance)).toEqual({ kind: 'gone' });
  });

  test('[BATCH-10] Of two batches with the same idempotency key, the second gets the response to the first and is not accepted', async () => {
    const { store } = await engine.openFreshStore();
    const now = 2_000;
    const idempotency = { key: 'k', requestHash: 'h', now, answer: '{"batchid":"7"}', expiresAt: 9_000 };
    for (const id of [7, 8, 9]) await store.write(beginBatch, { companyId: 1, id, userId: 10, now });
    expect(await store.write(acceptBatch, { ...acceptance, idempotency })).toEqual({ kind: 'accepted' });
    expect(await store.write(acceptBatch, { ...acceptance, id: 8, idempotency })).toEqual({
      kind: 'repeated',
      answer: '{"batchid":"7"}',
    });
    const other = { ...acceptance, id: 9, idempotency: { ...idempotency, requestHash: 'other' } };
    expect(await store.write(acceptBatch, other)).toEqual({ kind: 'idempotencyMismatch' });
    expect(await store.write(storeChunk, { ...chunk, batchId: 8 })).toBe(true);
    const asked = { companyId: 1, userId: 10, key: 'k', requestHash: 'h', now };
    expect(await store.read(findEarlier, asked)).toMatchObject({ kind: 'repeated' });
  });

  test('[BATCH-4] Failed messages of a batch are resent once, and again if that resend failed before it began', async () => {
    const { store } = await engine.openFreshStore();
    const now = 2_000;
    for (const id of [7, 8, 9, 10]) await store.write(beginBatch, { companyId: 1, id, userId: 10, now });
    await store.write(acceptBatch, acceptance);
    const resend = (id: number, after: number, until: number) => {
      const idempotency = { key: `${id}`, requestHash: 'h', now, answer: '{}', expiresAt: 9_000 };
      const resent = { from: 7, after, until };
      return store.write(acceptBatch, { ...acceptance, id, idempotency, resent });
    };
    const resentUntil = async () => {
      const query = { companyId: 1, userId: 10, before: null, limit: 10, callerId: 10 };
      return (await store.read(listVisibleBatches, query)).at(-1)?.resentUntil;
    };
    expect(await Promise.all([resend(8, 0, 1_500), resend(9, 0, 1_600)])).toEqual([
      { kind: 'accepted' },
      { kind: 'resentMeanwhile' },
    ]);
    const asked = { companyId: 1, userId: 10, key: '9', requestHash: 'h', now };
    expect(await store.read(findEarlier, asked)).toBeNull();
    expect(await resentUntil()).toBe(1_500);
    expect(await resend(10, 1_500, 1_700)).toEqual({ kind: 'accepted' });
    expect(await resentUntil()).toBe(1_700);
    await store.write(failBatch, { companyId: 1, id: 10, now, reason: 'x' });
    expect(await resentUntil()).toBe(1_500);
    expect(await resend(9, 1_500, 1_800)).toEqual({ kind: 'accepted' });
  });
});
