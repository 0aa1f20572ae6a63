import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryStore, enterNodes, findMessage } from '../../../test/harness/delivery-store.ts';
import {
  clearDelivery,
  listParked,
  listParts,
  listUnmatched,
  putMessages,
  putParts,
} from '../../../test/harness/delivery-verbs.ts';
import { anna, bert, ForgetfulSmsc } from '../../../test/harness/forgetful-smsc.ts';
import { awaiting, inFlight } from '../../../test/harness/numbered-receipts.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { recordOutcomes } from '../dispatch/store.ts';
import { mayBecome, status } from '../message.ts';
import { parkedWorthMs } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { takeReceipts } from './take-receipts.ts';

const { SENT, ACCEPTED, DELIVERED, REJECTED, UNDELIVERABLE, UNKNOWN } = status;

interface Report {
  readonly part?: number;
  readonly recipient?: string;
}

eachStore('receipts that contradict each other', (engine) => {
  const given = deliveryStore(engine);
  const observer = { receipts: () => undefined, unreadableReceipt: () => undefined };
  const carrier = { id: 1, name: 'carrier 1' };

  /** Takes a receipt under the id of a part; the response may have another form of it. */
  const tell = (code: number, now: number, { part = 1, recipient }: Report = {}) =>
    takeReceipts({ store: given.store, observer, clock: { now: () => now } }, carrier, [
      {
        carrierMessageId: `c${part}`,
        otherIds: () => [`x${part}`],
        recipient,
        status: code,
        errorCode: null,
      },
    ]);
  const sweep = (now: number) => given.store.write(retryParkedReceipts, { now, limit: 100 });
  const parked = async () => (await given.store.read(listParked, null)).map(({ at }) => at);

  test('[STAT-6] [DLV-5] Of contradicting receipts the first counts, although the carrier’s answer was stored before it was tried', async () => {
    for (const answered of ['c1', 'x1']) {
      for (const laterMs of [0, 1, 500]) {
        await given.store.write(clearDelivery, null);
        await given.store.write(putMessages, [{ id: 1, ...awaiting }]);
        await tell(DELIVERED, 2_100);
        expect(await parked()).toEqual([2_100]);
        await given.store.write(putParts, [{ messageId: 1, carrierMessageId: answered }]);
        await tell(UNDELIVERABLE, 2_100 + laterMs);
        expect(await findMessage(given.store, 1), `${answered} ${laterMs}`).toMatchObject({
          status: DELIVERED,
          changed_at: 2_100,
        });
        await sweep(2_600 + parkedWorthMs);
        expect(await parked()).toEqual([]);
        expect(await given.store.read(listUnmatched, null)).toEqual([]);
      }
    }
  });

  test('[STAT-6] [STAT-7] Of contradicting receipts the first for each part counts', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting, parts: 2 }]);
    await tell(UNDELIVERABLE, 2_100, { part: 2 });
    await given.store.write(
      putParts,
      [1, 2].map((part) => ({ messageId: 1, part, parts: 2, carrierMessageId: `c${part}` })),
    );
    await tell(DELIVERED, 2_200, { part: 1 });
    await tell(DELIVERED, 2_200, { part: 2 });
    const parts = await given.store.read(listParts, null);
    expect(parts.map((part) => part.status)).toEqual([DELIVERED, UNDELIVERABLE]);
    expect(await findMessage(given.store, 1)).toMatchObject({ status: UNDELIVERABLE, changed_at: 2_100 });
  });

  test('[STAT-6] A receipt that is due sooner does not go before an earlier one that is now rarely tried', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting }]);
    await tell(DELIVERED, 2_100);
    await sweep(2_600);
    await tell(UNDELIVERABLE, 2_700);
    await given.store.write(putParts, [{ messageId: 1, carrierMessageId: 'x1' }]);
    expect(await sweep(3_200)).toMatchObject({ tried: 1 });
    expect(await findMessage(given.store, 1)).toMatchObject({ status: DELIVERED, changed_at: 2_100 });
  });

  test('[STAT-6] A receipt that came before the node stood still is applied before a receipt that comes when the node is back', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting }]);
    await given.store.write(putParts, [{ messageId: 1, carrierMessageId: 'c1' }]);
    const smsc = new ForgetfulSmsc(() => given.store);
    smsc.now = 2_100 + 60_000;
    // The receipt is held for a message to the same number, like all late receipts.
    const other = await smsc.submit(2, { recipient: '46701740600' });
    await tell(DELIVERED, smsc.now);
    expect((await findMessage(given.store, 1)).status).toBe(SENT);
    await smsc.answer(other, () => 'y');
    const back = smsc.now + parkedWorthMs + 1;
    await tell(UNDELIVERABLE, back);
    expect((await findMessage(given.store, 1)).status).toBe(SENT);
    await sweep(back + 500);
    expect(await findMessage(given.store, 1)).toMatchObject({ status: DELIVERED, changed_at: smsc.now });
  });

  test('[STAT-6] [DLV-5] Of receipts held for messages in flight, the first counts once nothing is in flight any more', async () => {
    const smsc = new ForgetfulSmsc(() => given.store);
    const old = await smsc.take(1);
    await smsc.pass(60_000);
    const other = await smsc.submit(2);
    await smsc.tell(old);
    const cameAt = smsc.now;
    await smsc.answer(other);
    smsc.now += 100;
    await smsc.tell(old, UNDELIVERABLE);
    expect(await findMessage(given.store, 1)).toMatchObject({ status: DELIVERED, changed_at: cameAt });
  });

  test('[DLV-5] A receipt that names another number holds up no other receipt', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting, recipient: bert }]);
    await tell(UNDELIVERABLE, 2_100, { recipient: anna });
    await given.store.write(putParts, [{ messageId: 1, carrierMessageId: 'c1' }]);
    await tell(DELIVERED, 2_200, { recipient: bert });
    expect((await findMessage(given.store, 1)).status).toBe(DELIVERED);
    expect(await parked()).toEqual([2_100]);
  });

  test('[STAT-6] [DLV-5] However receipts are parked, missed and swept, each part becomes what its receipts report in their order', async () => {
    const codes = fc.constantFrom(ACCEPTED, UNKNOWN, DELIVERED, UNDELIVERABLE, REJECTED);
    const receipts = fc.record({
      code: codes,
      part: fc.integer({ min: 1, max: 2 }),
      afterMs: fc.constantFrom(0, 1, 400, 700, 4_000),
      early: fc.boolean(),
      swept: fc.boolean(),
    });
    const scene = fc.record({
      reports: fc.array(receipts, { minLength: 2, maxLength: 5 }),
      /** Whether the transactions of the response and of the early receipts missed each other. */
      missed: fc.boolean(),
      form: fc.constantFrom('c', 'x'),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ reports, missed, form }) => {
        await given.store.write(clearDelivery, null);
        await enterNodes(given.store);
        const outcome = await inFlight(given.store, 2);
        const taken = outcome.taken.map((one) => ({ ...one, carrierMessageId: `${form}${one.part}` }));
        const expected = new Map([1, 2].map((part) => [part, SENT]));
        let now = 2_100;
        const bring = async (early: boolean) => {
          for (const one of reports.filter((other) => other.early === early)) {
            now += one.afterMs;
            await tell(one.code, now, { part: one.part });
            const before = { status: expected.get(one.part) ?? SENT, expiredByTimer: false };
            if (mayBecome(before, one.code)) expected.set(one.part, one.code);
            if (one.swept) await sweep(now);
          }
        };
        await bring(true);
        await given.store.write(recordOutcomes, { ...outcome, taken: missed ? [] : taken });
        if (missed) {
          const parts = taken.map((one) => ({ ...one, parts: 2 }));
          await given.store.write(putParts, parts);
        }
        await bring(false);
        for (now += 500; (await sweep(now)).tried > 0; now += 500);
        await sweep(now + 240_000);
        const parts = await given.store.read(listParts, null);
        expect(parts.map((one) => one.status)).toEqual([...expected.values()]);
      }),
      { numRuns: 60 },
    );
  });
});
