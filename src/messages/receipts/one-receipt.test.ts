/** Tests a carrier that sends one receipt for all parts of a message, under the id of any of them. */
import { beforeEach, expect, test } from 'vitest';
import { deliveryStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import {
  listParked,
  listParts,
  putMessages,
  putParts,
  putSimulator,
} from '../../../test/harness/delivery-verbs.ts';
import { awaiting, receipt } from '../../../test/harness/numbered-receipts.ts';
import { ended, part, record, retrying, sent } from '../../../test/harness/outcomes.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { claimMessages } from '../dispatch/claim.ts';
import { recordOutcomes } from '../dispatch/store.ts';
import { combineParts, isFinal, stage, status } from '../message.ts';
import { inspectMessage } from '../operator/inspect.ts';
import type { Advance, OutcomeRecord } from '../outcome.ts';
import { releaseDue } from '../upkeep/due-store.ts';
import type { StoredReceipt } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { recordReceipts } from './store.ts';

const { SENT, DELIVERED, ACCEPTED, UNKNOWN, REJECTED, ABSENTSUBSCRIBER, UNDELIVERABLE } = status;

eachStore('one receipt for a message', (engine) => {
  const given = deliveryStore(engine);

  const set = (receiptsPerMessage: 'part' | 'one', id = 1) =>
    given.store.write(putSimulator, { id, settings: { receiptsPerMessage } });
  beforeEach(() => set('one'));

  /** Stores a message that waits for its receipt; its parts have the ids `c<id>/<part>`. */
  async function awaits(id: number, parts: number, carrierId = 1): Promise<void> {
    await given.store.write(putMessages, [{ id, ...awaiting, parts, carrierId }]);
    await given.store.write(
      putParts,
      range(1, parts).map((number) => ({
        messageId: id,
        part: number,
        parts,
        carrierId,
        carrierMessageId: `c${id}/${number}`,
      })),
    );
  }
  const tell = (...receipts: readonly StoredReceipt[]) => given.store.write(recordReceipts, receipts);
  const statusOf = async (id: number) => (await findMessage(given.store, id)).status;
  const partsOf = async (id: number) =>
    (await given.store.read(listParts, null)).filter((one) => one.message_id === id).map((one) => one.status);

  /** The next claim of a message, followed by the carrier's response. */
  const claim = (now = 5_000) =>
    given.store.write(claimMessages, { carrierId: 1, nodeId: 7, room: 10, bulkFloor: 0, now });
  const answer = (advance: Advance, taken: OutcomeRecord['taken'], now = 6_000) =>
    given.store.write(recordOutcomes, { ...record(7), now, advances: [advance], taken });
  async function claimAgain(): Promise<void> {
    await given.store.write(releaseDue, { now: 8_000, limit: 10 });
    await claim(8_000);
  }

  test('[DLV-5] [STAT-7] One receipt for a message stands for all parts, whichever part has its id', async () => {
    for (const number of [1, 2, 3]) {
      await awaits(number, 3);
      await tell({ ...receipt(`c${number}/${number}`, DELIVERED, 2_300), errorCode: '000' });
      expect(await findMessage(given.store, number)).toMatchObject({
        status: DELIVERED,
        stage: null,
        due_at: null,
        changed_at: 2_300,
        version: 2,
        unread: 1,
      });
      expect(await partsOf(number)).toEqual([DELIVERED, DELIVERED, DELIVERED]);
    }
  });

  test('[DLV-5] [STAT-7] One receipt of failure counts for all parts, with its code, and its text is kept once', async () => {
    await awaits(1, 2);
    const text = 'id:c1/2 stat:UNDELIV err:027';
    await tell({ ...receipt('c1/2', ABSENTSUBSCRIBER), errorCode: '027', text });
    expect(await findMessage(given.store, 1)).toMatchObject({
      status: ABSENTSUBSCRIBER,
      stage: null,
      reason: "the carrier's code is 027",
    });
    const inspected = await given.store.read(inspectMessage, 1);
    expect(inspected?.taken.map((one) => [one.status, one.errorCode, one.receipt])).toEqual([
      [ABSENTSUBSCRIBER, '027', null],
      [ABSENTSUBSCRIBER, '027', text],
    ]);
  });

  test('[DLV-5] [STAT-6] One receipt that is not final counts for all parts too, and the final one may have another id', async () => {
    for (const [id, code] of [
      [1, ACCEPTED],
      [2, UNKNOWN],
    ] as const) {
      await awaits(id, 3);
      await tell(receipt(`c${id}/1`, code));
      expect(await statusOf(id)).toBe(code);
      expect(await partsOf(id)).toEqual([code, code, code]);
      await tell(receipt(`c${id}/3`, DELIVERED));
      expect(await statusOf(id)).toBe(DELIVERED);
    }
    await awaits(3, 2);
    await tell(receipt('c3/1', SENT));
    expect([await statusOf(3), await partsOf(3)]).toEqual([SENT, [SENT, SENT]]);
    await tell(receipt('c3/1', ACCEPTED), receipt('c3/2', DELIVERED));
    expect(await statusOf(3)).toBe(DELIVERED);
  });

  test('[DLV-5] [STAT-6] One receipt that is repeated, or followed by one for each part, changes nothing more', async () => {
    const contradictory = (id: number) => [
      receipt(`c${id}/2`, DELIVERED, 2_100),
      receipt(`c${id}/2`, DELIVERED, 2_100),
      receipt(`c${id}/1`, DELIVERED, 2_101),
      receipt(`c${id}/3`, UNDELIVERABLE, 2_102),
    ];
    await awaits(1, 3);
    for (const one of contradictory(1)) await tell(one);
    await awaits(2, 3);
    await tell(...contradictory(2));
    await awaits(3, 3);
    await tell(...contradictory(3).map((one) => ({ ...one, otherIds: [`x${one.carrierMessageId}`] })));
    for (const id of [1, 2, 3]) {
      expect(await findMessage(given.store, id)).toMatchObject({
        status: DELIVERED,
        changed_at: 2_100,
        version: 2,
      });
      expect(await partsOf(id)).toEqual([DELIVERED, DELIVERED, DELIVERED]);
    }
    await awaits(4, 2);
    await tell(receipt('c4/2', UNDELIVERABLE));
    await tell(receipt('c4/1', DELIVERED));
    expect([await statusOf(4), await partsOf(4)]).toEqual([UNDELIVERABLE, [UNDELIVERABLE, UNDELIVERABLE]]);
  });

  test('[DLV-5] [STAT-7] One receipt stands for a message only if the carrier is set so; by default each part has its own receipt', async () => {
    await given.store.write(putSimulator, { id: 2 });
    await set('part', 3);
    for (const carrierId of [2, 3]) {
      await awaits(carrierId, 2, carrierId);
      await tell({ ...receipt(`c${carrierId}/2`, DELIVERED), carrierId });
      expect([await statusOf(carrierId), await partsOf(carrierId)]).toEqual([SENT, [SENT, DELIVERED]]);
      await tell({ ...receipt(`c${carrierId}/1`, DELIVERED), carrierId });
      expect(await statusOf(carrierId)).toBe(DELIVERED);
    }
    // Both carriers use the same ids, but only the message of the reporting carrier changes.
    await awaits(1, 2);
    await tell({ ...receipt('c1/1', DELIVERED), carrierId: 2 });
    expect(await partsOf(1)).toEqual([SENT, SENT]);
  });

  test('[DLV-5] [STAT-7] One receipt that comes before the carrier’s answers is parked, and then stands for all parts that these report', async () => {
    await set('part');
    await given.store.write(putMessages, [{ id: 1, parts: 3 }]);
    await claim();
    await tell(receipt('c1/3', DELIVERED, 5_100), receipt('c1/3', DELIVERED, 5_101));
    await tell(receipt('c1/1', UNDELIVERABLE, 5_102));
    expect(await given.store.read(listParked, null)).toHaveLength(3);
    // Parked receipts count according to the setting that the carrier has when they are matched.
    await set('one');
    await answer(sent(1), [part(1, 1, 3), part(1, 2, 3), part(1, 3, 3)]);
    expect(await findMessage(given.store, 1)).toMatchObject({ status: DELIVERED, changed_at: 5_100 });
    expect(await partsOf(1)).toEqual([DELIVERED, DELIVERED, DELIVERED]);
  });

  test('[DLV-5] [STAT-7] One receipt under another form of its id finds all parts at the sweep', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await claim();
    await tell({ ...receipt('1715004', DELIVERED, 5_100), otherIds: ['1a2b3c'] });
    await answer(sent(1), [part(1, 1, 2), part(1, 2, 2, '1A2B3C')]);
    expect(await statusOf(1)).toBe(SENT);
    await given.store.write(retryParkedReceipts, { now: 5_700, limit: 10 });
    expect([await statusOf(1), await partsOf(1)]).toEqual([DELIVERED, [DELIVERED, DELIVERED]]);
  });

  test('[DLV-5] [STAT-7] One receipt long after the answers waits for messages in flight, and then stands for all parts', async () => {
    await awaits(1, 2);
    await given.store.write(putMessages, [{ id: 2 }]);
    await claim(99_000);
    await tell(receipt('c1/2', DELIVERED, 100_000));
    expect(await partsOf(1)).toEqual([SENT, SENT]);
    await answer(sent(2), [part(2)], 100_100);
    await given.store.write(retryParkedReceipts, { now: 100_500, limit: 10 });
    expect([await statusOf(1), await statusOf(2)]).toEqual([DELIVERED, SENT]);
  });

  test('[DLV-5] [STAT-7] One receipt leaves a message refused if one of its parts was refused', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 3 }]);
    await claim();
    await answer({ ...ended(1, REJECTED), handedOver: true }, [part(1, 1, 3), part(1, 3, 3)]);
    await tell(receipt('c1/3', DELIVERED));
    expect(await findMessage(given.store, 1)).toMatchObject({ status: REJECTED, stage: null });
    expect(await partsOf(1)).toEqual([DELIVERED, DELIVERED]);
  });

  test.each(['throttled', 'in doubt'])(
    '[DLV-3] [DLV-5] [STAT-7] One receipt does not end a message with a part that is %s, and stands for that part once it is taken',
    async (reason) => {
      const again = { ...retrying(1), handedOver: true, inDoubt: reason === 'in doubt', reason };
      await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
      await claim();
      await answer(again, [part(1, 1, 2)]);
      await tell(receipt('c1/1', DELIVERED, 6_100));
      expect(await findMessage(given.store, 1)).toMatchObject({
        status: status.QUEUED,
        stage: stage.retrying,
      });
      await claimAgain();
      await answer({ ...sent(1), attempts: 2 }, [part(1, 2, 2)], 8_100);
      expect(await findMessage(given.store, 1)).toMatchObject({
        status: DELIVERED,
        stage: null,
        due_at: null,
        changed_at: 8_100,
      });
      expect(await partsOf(1)).toEqual([DELIVERED, DELIVERED]);
      await tell(receipt('c1/2', UNDELIVERABLE, 8_200));
      expect([await statusOf(1), await partsOf(1)]).toEqual([DELIVERED, [DELIVERED, DELIVERED]]);
    },
  );

  test('[DLV-5] [STAT-7] One receipt stands for parts that were taken in several attempts', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 3 }]);
    await claim();
    await answer({ ...retrying(1), handedOver: true }, [part(1, 1, 3)]);
    await claimAgain();
    await answer({ ...sent(1), attempts: 2 }, [part(1, 2, 3), part(1, 3, 3)], 8_100);
    expect([await statusOf(1), await partsOf(1)]).toEqual([SENT, [SENT, SENT, SENT]]);
    await tell(receipt('c1/3', DELIVERED, 8_200));
    expect([await statusOf(1), await partsOf(1)]).toEqual([DELIVERED, [DELIVERED, DELIVERED, DELIVERED]]);
  });

  test('[DLV-5] [STAT-7] One receipt of failure ends a message with a part still to be sent, and that part is not sent', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await claim();
    await answer({ ...retrying(1), handedOver: true }, [part(1, 1, 2)]);
    await tell(receipt('c1/1', UNDELIVERABLE, 6_100));
    expect(await findMessage(given.store, 1)).toMatchObject({ status: UNDELIVERABLE, stage: null });
    await given.store.write(releaseDue, { now: 8_000, limit: 10 });
    expect(await claim(8_000)).toMatchObject({ messages: [] });
  });

  test('[DLV-3] [DLV-5] One receipt does not change a message with a part given up in doubt: it stays UNKNOWN', async () => {
    await given.store.write(putMessages, [{ id: 1, parts: 2 }]);
    await claim();
    await answer({ ...ended(1, UNKNOWN), handedOver: true, inDoubt: true }, [part(1, 1, 2)]);
    await tell(receipt('c1/1', DELIVERED, 6_100));
    expect([await statusOf(1), await partsOf(1)]).toEqual([UNKNOWN, [DELIVERED]]);
  });

  test('[DLV-5] [DLV-8] Receipts for many whole messages are recorded in one set, in any order', async () => {
    const codes = [DELIVERED, UNDELIVERABLE, ACCEPTED];
    const messages = range(1, 60);
    for (const id of messages) await awaits(id, 1 + (id % 4));
    const reports = messages.map((id) =>
      receipt(`c${id}/${1 + (id % (1 + (id % 4)))}`, codes[id % 3] as number),
    );
    await Promise.all([tell(...reports.slice(0, 30)), tell(...reports.slice(30).reverse())]);
    for (const id of messages) {
      const code = codes[id % 3] as number;
      expect(await findMessage(given.store, id), `message ${id}`).toMatchObject({
        status: code,
        stage: isFinal(code) ? null : stage.awaitingReceipt,
      });
      if (id % 4 > 0) expect(combineParts(await partsOf(id))).toBe(code);
    }
  });
});
