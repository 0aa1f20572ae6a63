import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  clearDelivery,
  listMessages,
  type MessageRow,
  putMessages,
  putParts,
  type TestMessage,
} from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { combineParts, isFinal, stage, status } from '../message.ts';
import { takeStatusesById } from '../status.ts';
import type { StoredReceipt } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { recordReceipts } from './store.ts';

function receipt(carrierMessageId: string, code: number, receivedAt = 2_000): StoredReceipt {
  return { carrierId: 1, carrierMessageId, status: code, errorCode: null, receivedAt };
}

eachStore('receipts', (engine) => {
  let store: Store;
  let nextId = 1;
  beforeAll(async () => {
    store = (await engine.openFreshStore()).store;
  });

  /** Stores a message that has been read. */
  async function put(message: TestMessage): Promise<number> {
    await store.write(putMessages, [message]);
    await store.write(takeStatusesById, { companyId: 1, userId: 10, ids: [message.id] });
    return message.id;
  }
  /** Stores a message that waits for the receipts of its parts; their ids at the carrier are `<id>/<part>`. */
  async function sent(parts: number, taken = parts): Promise<number> {
    const id = await put({ id: nextId++, status: status.SENT, stage: stage.awaitingReceipt, parts });
    for (let part = 1; part <= taken; part++) await take(id, part, parts);
    return id;
  }
  const take = (messageId: number, part: number, parts: number) =>
    store.write(putParts, [{ messageId, part, parts, carrierMessageId: `${messageId}/${part}` }]);
  const tell = (...receipts: readonly StoredReceipt[]) => store.write(recordReceipts, receipts);
  const find = async (id: number) =>
    (await store.read(listMessages, null)).find((message) => message.id === id) as MessageRow;

  test('[STAT-3] [STAT-6] A status change sets its time, raises the version and makes the status unread', async () => {
    const id = await sent(1);
    await tell(receipt(`${id}/1`, status.DELIVERED, 2_345));
    expect(await find(id)).toMatchObject({
      status: status.DELIVERED,
      changed_at: 2_345,
      version: 2,
      unread: 1,
      stage: null,
      due_at: null,
    });
  });

  test('[STAT-6] A receipt that changes nothing leaves its message as it was', async () => {
    const id = await sent(1);
    await tell(receipt(`${id}/1`, status.UNDELIVERABLE));
    const before = await find(id);
    await tell(receipt(`${id}/1`, status.UNDELIVERABLE, 3_000));
    await tell(receipt(`${id}/1`, status.DELIVERED, 3_000), receipt(`${id}/1`, status.ACCEPTED, 3_001));
    expect(await find(id)).toEqual(before);
  });

  test('[STAT-6] Several receipts for one message in one set count in the order in which they came', async () => {
    const id = await sent(1);
    await tell(
      receipt(`${id}/1`, status.ACCEPTED, 2_000),
      receipt(`${id}/1`, status.ABSENTSUBSCRIBER, 2_001),
      receipt(`${id}/1`, status.DELIVERED, 2_002),
    );
    expect(await find(id)).toMatchObject({ status: status.ABSENTSUBSCRIBER, changed_at: 2_001, version: 3 });
  });

  test('[STAT-6] A message that is ACCEPTED or UNKNOWN goes on waiting for a final receipt', async () => {
    for (const unclear of [status.ACCEPTED, status.UNKNOWN]) {
      const id = await sent(1);
      await tell(receipt(`${id}/1`, unclear));
      expect(await find(id)).toMatchObject({ status: unclear, stage: stage.awaitingReceipt });
      await tell(receipt(`${id}/1`, status.DELIVERED));
      expect(await find(id)).toMatchObject({ status: status.DELIVERED, stage: null });
    }
  });

  test('[STAT-6] A message that our own timer made EXPIRED may still become DELIVERED, and nothing else', async () => {
    for (const [expiredByTimer, reported, end] of [
      [1, status.DELIVERED, status.DELIVERED],
      [1, status.UNDELIVERABLE, status.EXPIRED],
      [1, status.ACCEPTED, status.EXPIRED],
      [0, status.DELIVERED, status.EXPIRED],
    ] as const) {
      const id = await put({ id: nextId++, status: status.EXPIRED, expiredByTimer, stage: null });
      await take(id, 1, 1);
      await tell(receipt(`${id}/1`, reported));
      expect((await find(id)).status).toBe(end);
    }
    const id = await put({ id: nextId++, status: status.EXPIRED, expiredByTimer: 1, stage: null });
    await take(id, 1, 1);
    await tell(receipt(`${id}/1`, status.DELIVERED));
    await tell(receipt(`${id}/1`, status.EXPIRED));
    expect((await find(id)).status).toBe(status.DELIVERED);
  });

  test('[STAT-7] A multipart message is DELIVERED when its last part is', async () => {
    const id = await sent(3);
    await tell(receipt(`${id}/2`, status.DELIVERED), receipt(`${id}/1`, status.DELIVERED));
    expect(await find(id)).toMatchObject({ status: status.SENT, version: 1, unread: 0 });
    await tell(receipt(`${id}/2`, status.DELIVERED));
    expect((await find(id)).status).toBe(status.SENT);
    await tell(receipt(`${id}/3`, status.DELIVERED, 2_500));
    expect(await find(id)).toMatchObject({ status: status.DELIVERED, changed_at: 2_500, stage: null });
  });

  test('[STAT-7] A multipart message fails with the first part that fails, whatever the others become', async () => {
    const id = await sent(3);
    await tell(receipt(`${id}/1`, status.DELIVERED), receipt(`${id}/3`, status.ABSENTSUBSCRIBER));
    expect(await find(id)).toMatchObject({ status: status.ABSENTSUBSCRIBER, stage: null });
    await tell(receipt(`${id}/2`, status.REJECTED));
    expect((await find(id)).status).toBe(status.ABSENTSUBSCRIBER);
  });

  test('[STAT-7] Parts that the carrier has not taken yet count as open', async () => {
    const id = await sent(3, 2);
    await tell(receipt(`${id}/1`, status.DELIVERED), receipt(`${id}/2`, status.DELIVERED));
    expect((await find(id)).status).toBe(status.SENT);
    await take(id, 3, 3);
    await tell(receipt(`${id}/3`, status.DELIVERED));
    expect((await find(id)).status).toBe(status.DELIVERED);
  });

  test('[STAT-6] A receipt that comes before its submission is known is parked, and finds its message later', async () => {
    const sweep = (now: number) => store.write(retryParkedReceipts, { now, limit: 100 });
    await store.write(clearDelivery, null);
    const id = await sent(1, 0);
    await tell(receipt(`${id}/1`, status.ACCEPTED, 2_000), receipt(`${id}/1`, status.DELIVERED, 2_001));
    expect((await find(id)).status).toBe(status.SENT);
    expect(await sweep(3_000)).toEqual({ tried: 2, unmatched: [] });
    expect((await find(id)).status).toBe(status.SENT);
    await take(id, 1, 1);
    expect(await sweep(3_000)).toMatchObject({ tried: 0 });
    expect(await sweep(33_000)).toEqual({ tried: 2, unmatched: [] });
    expect(await find(id)).toMatchObject({ status: status.DELIVERED, changed_at: 2_001 });
    expect(await sweep(24 * 60 * 60 * 1_000)).toMatchObject({ tried: 0 });
  });

  test('[STAT-6] [STAT-7] However receipts are ordered and grouped, the final status is that of the parts', async () => {
    const ends = [status.DELIVERED, status.UNDELIVERABLE, status.ACCEPTED, status.UNKNOWN];
    const part = fc.constantFrom(...ends);
    const runs = fc
      .array(part, { minLength: 1, maxLength: 5 })
      .chain((codes) =>
        fc.tuple(
          fc.constant(codes),
          fc.shuffledSubarray([...codes.keys()], { minLength: codes.length }),
          fc.array(fc.boolean(), { minLength: codes.length, maxLength: codes.length }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(runs, async ([codes, order, together]) => {
        const id = await sent(codes.length);
        const sets: StoredReceipt[][] = [];
        for (const [place, index] of order.entries()) {
          const one = receipt(`${id}/${index + 1}`, codes[index] as number, 2_000 + place);
          const last = sets.at(-1);
          if (together[place] && last !== undefined) last.push(one);
          else sets.push([one]);
        }
        for (const set of sets) await tell(...set);
        const found = await find(id);
        expect(found.status).toBe(combineParts(codes));
        expect(found.stage === null).toBe(isFinal(found.status));
      }),
      { numRuns: 40 },
    );
  });
});
