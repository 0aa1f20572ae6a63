import { expect, test } from 'vitest';
import { deliveryStore, enterNodes, findMessage } from '../../../test/harness/delivery-store.ts';
import {
  clearDelivery,
  listParked,
  listUnmatched,
  putMessages,
  putParts,
} from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Receipt } from '../../carriers/carrier.ts';
import type { Store } from '../../storage/store.ts';
import { type MessageIdRule, receiptIds } from '../../wire/smpp/message-id.ts';
import { claimMessages } from '../dispatch/claim.ts';
import { recordOutcomes } from '../dispatch/store.ts';
import { stage, status } from '../message.ts';
import { parkedWorthMs } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { takeReceipts, takeUnreadableReceipt } from './take-receipts.ts';
import { reportUnmatched } from './unmatched.ts';

const anna = '46701740601';
const bert = '46701740602';
const carrier = { id: 1, name: 'carrier 1' };

eachStore('receipts that come before the answer to their submission', (engine) => {
  const given = deliveryStore(engine);
  const counted: string[] = [];
  const observer = {
    receipts: () => undefined,
    unreadableReceipt: (name: string) => counted.push(name),
  };

  interface Telling {
    readonly now?: number;
    readonly store?: Store;
  }
  const tell = (receipts: readonly Receipt[], { now = 2_000, store = given.store }: Telling = {}) =>
    takeReceipts({ store, observer, clock: { now: () => now } }, carrier, receipts);
  const receipt = (id: string, changes: Partial<Receipt> = {}, rule: MessageIdRule = 'auto'): Receipt => ({
    ...receiptIds([id], rule),
    status: status.DELIVERED,
    errorCode: null,
    ...changes,
  });

  /** Puts a message in flight at node 7. */
  async function inFlight(id: number, recipient = anna, parts = 1): Promise<void> {
    await given.store.write(putMessages, [{ id, recipient, parts }]);
    await given.store.write(claimMessages, { carrierId: 1, nodeId: 7, room: 1, bulkFloor: 0, now: 1_500 });
  }
  /** Records the carrier's response to the message. */
  const answer = (id: number, carrierMessageIds: readonly string[], store = given.store, now = 2_500) =>
    store.write(recordOutcomes, {
      nodeId: 7,
      carrierId: 1,
      now,
      advances: [
        {
          companyId: 1,
          id,
          attempts: 1,
          status: status.SENT,
          stage: stage.awaitingReceipt,
          dueAt: 9_000_000,
          handedOver: true,
          inDoubt: false,
          expiredByTimer: false,
          reason: null,
        },
      ],
      taken: carrierMessageIds.map((carrierMessageId, index) => ({
        companyId: 1,
        messageId: id,
        part: index + 1,
        parts: carrierMessageIds.length,
        carrierMessageId,
        submittedAt: null,
        answeredAt: now,
      })),
    });
  const sweep = (now: number) => given.store.write(retryParkedReceipts, { now, limit: 100 });
  const statusOf = async (id: number) => (await findMessage(given.store, id)).status;
  const parked = async () => (await given.store.read(listParked, null)).map(({ id }) => id);
  const unmatched = () => given.store.read(listUnmatched, null);

  test('[DLV-5] A receipt before the carrier’s answer finds its message in any form of its id, once, however often it came', async () => {
    for (const [reported, answered, rule] of [
      ['x', 'x', 'auto'],
      ['1715004', '001A2B3C', 'auto'],
      ['1a2b3c', '1715004', 'auto'],
      ['1715004', '1a2b3c', 'hexToDecimal'],
      ['1715004', '001A2B3C', 'hexToDecimal'],
      ['24378', '5F3A', 'hexToDecimal'],
      ['24378', '00005f3a', 'hexToDecimal'],
      ['1A2B3C', '0001715004', 'decimalToHex'],
    ] as const) {
      await given.store.write(clearDelivery, null);
      await enterNodes(given.store);
      await inFlight(1);
      const early = receipt(reported, { recipient: anna }, rule);
      await tell([early, early]);
      await tell([early], { now: 2_100 });
      expect((await parked()).length, `${reported} ${answered}`).toBe(3);
      await answer(1, [answered]);
      // The exact id and the form that the rule gives are found with the response; any other form is found within a second.
      if (answered !== reported && rule === 'auto') await sweep(3_000);
      expect(await findMessage(given.store, 1), `${reported} ${answered}`).toMatchObject({
        status: status.DELIVERED,
        changed_at: 2_000,
        stage: null,
        version: 3,
      });
      expect(await parked()).toEqual([]);
    }
  });

  test('[DLV-5] A receipt before the carrier’s answer finds its message after a restart, and from another node', async () => {
    await inFlight(1);
    await tell([receipt('1715004')]);
    const store = await given.fresh.reopen();
    const node = engine.name === 'postgres' ? await given.fresh.openAnother() : store;
    await answer(1, ['1A2B3C'], node);
    await node.write(retryParkedReceipts, { now: 3_000, limit: 100 });
    expect(await statusOf(1)).toBe(status.DELIVERED);
    expect(await parked()).toEqual([]);
  });

  test('[DLV-5] A receipt before the carrier’s answer does not go to a message with the same id to another number', async () => {
    await inFlight(1, bert);
    await tell([receipt('x', { recipient: anna })]);
    await answer(1, ['x']);
    expect(await statusOf(1)).toBe(status.SENT);
    expect(await parked()).toEqual(['x']);
    await inFlight(2, anna);
    await answer(2, ['x']);
    expect([await statusOf(1), await statusOf(2)]).toEqual([status.SENT, status.DELIVERED]);
  });

  test('[DLV-5] [STAT-7] Receipts for parts that come before and after the answer together complete the message', async () => {
    await inFlight(1, anna, 3);
    await tell([receipt('171', { recipient: anna }), receipt('172', { recipient: anna })]);
    await answer(1, ['ab', 'ac', 'ad']);
    await sweep(2_550);
    expect(await parked()).toEqual([]);
    expect(await statusOf(1)).toBe(status.SENT);
    await tell([receipt('172', { recipient: anna }), receipt('173', { recipient: anna })], { now: 2_600 });
    expect(await statusOf(1)).toBe(status.DELIVERED);
    expect(await parked()).toEqual([]);
  });

  test('[DLV-5] A receipt missed by a carrier’s answer that is stored at the same moment is tried again soon', async () => {
    await given.store.write(putMessages, [{ id: 1, status: status.SENT, stage: stage.awaitingReceipt }]);
    await tell([receipt('1715004')]);
    await given.store.write(putParts, [{ messageId: 1, carrierMessageId: '1a2b3c' }]);
    expect(await sweep(2_499)).toMatchObject({ tried: 0 });
    expect(await sweep(2_500)).toMatchObject({ tried: 1 });
    expect(await statusOf(1)).toBe(status.DELIVERED);
    expect(await parked()).toEqual([]);
  });

  test('[DLV-5] [DLV-8] A receipt that belongs to no message is tried five times in all, and then kept for the operator', async () => {
    const receipts = Array.from({ length: 250 }, (_, index) => receipt(`n${index}`, { recipient: anna }));
    await tell(receipts);
    let tried = 0;
    let kept = 0;
    for (let now = 2_000; now < 2_000 + 2 * parkedWorthMs; now += 1_000) {
      for (;;) {
        const swept = await sweep(now);
        tried += swept.tried;
        for (const { count } of swept.unmatched) kept += count;
        if (swept.tried === 0) break;
      }
    }
    expect([tried, kept]).toEqual([1_250, 250]);
    expect(await parked()).toEqual([]);
    expect(await unmatched()).toHaveLength(250);
  }, 300_000);

  test('[DLV-5] A receipt kept for the operator has everything that it reported', async () => {
    const reported = { recipient: anna, status: status.UNDELIVERABLE, errorCode: '27' };
    await tell([receipt('255', reported, 'auto')]);
    expect(await sweep(2_000 + parkedWorthMs)).toEqual({
      tried: 1,
      unmatched: [{ carrierId: 1, count: 1 }],
    });
    const [kept, ...others] = await unmatched();
    expect(others).toEqual([]);
    expect(kept).toMatchObject({
      carrier_id: 1,
      carrier_message_id: '255',
      recipient: anna,
      status: status.UNDELIVERABLE,
      error_code: '27',
      text: null,
      received_at: 2_000,
    });
    expect(JSON.parse(kept?.other_ids ?? '')).toEqual(['ff', '597']);
  });

  test('[DLV-5] A late receipt for a message that has ended is not kept for the operator', async () => {
    await inFlight(1);
    await answer(1, ['x']);
    await tell([receipt('x', { recipient: anna })]);
    await tell([receipt('x', { recipient: anna, status: status.UNDELIVERABLE })], { now: 3_000 });
    expect(await parked()).toEqual(['x']);
    await sweep(3_000 + parkedWorthMs);
    expect(await parked()).toEqual([]);
    expect(await unmatched()).toEqual([]);
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.DELIVERED, version: 3 });
  });

  test('[DLV-5] A receipt parked long ago goes to no message that has its id now', async () => {
    await tell([receipt('x'), receipt('1715004')]);
    await inFlight(1);
    const late = 2_000 + parkedWorthMs;
    await answer(1, ['x'], given.store, late);
    await inFlight(2);
    await answer(2, ['1a2b3c'], given.store, late);
    await sweep(late);
    expect([await statusOf(1), await statusOf(2)]).toEqual([status.SENT, status.SENT]);
    expect((await unmatched()).map((one) => one.carrier_message_id).sort()).toEqual(['1715004', 'x']);
  });

  test('[DLV-5] A clock that is set back does not lose parked receipts or make them be tried forever', async () => {
    const tomorrow = 24 * 60 * 60 * 1_000;
    await tell([receipt('x')], { now: tomorrow });
    expect(await sweep(3_000)).toMatchObject({ tried: 1 });
    expect(await sweep(3_001)).toMatchObject({ tried: 0 });
    await inFlight(1);
    await answer(1, ['x'], given.store, 4_000);
    expect(await statusOf(1)).toBe(status.DELIVERED);
  });

  test('[DLV-5] A receipt that cannot be read is kept with its text, and counted', async () => {
    counted.length = 0;
    const taking = { store: given.store, observer, clock: { now: () => 2_000 } };
    await takeUnreadableReceipt(taking, carrier, { text: 'It is there.', carrierMessageId: 'x' });
    await takeUnreadableReceipt(taking, carrier, { text: 'y'.repeat(5_000), recipient: anna });
    expect(counted).toEqual(['carrier 1', 'carrier 1']);
    const kept = await unmatched();
    expect(kept).toMatchObject([
      { carrier_message_id: 'x', status: null, text: 'It is there.', received_at: 2_000 },
      { carrier_message_id: null, recipient: anna, text: 'y'.repeat(1_000) },
    ]);
  });

  test('[DLV-5] The operator sees unmatched receipts, the latest first, and which id rule would have helped', async () => {
    const ids = [4_711, 65_535, 1_234_567, 900_001];
    await given.store.write(
      putMessages,
      ids.map((id) => ({ id, recipient: anna, status: status.SENT, stage: stage.awaitingReceipt })),
    );
    await given.store.write(
      putParts,
      ids.map((id) => ({ messageId: id, carrierMessageId: id.toString(16) })),
    );
    await tell(ids.map((id) => receipt(String(id), { recipient: anna }, 'text')));
    await sweep(2_000 + parkedWorthMs);
    const taking = { store: given.store, observer, clock: { now: () => 3_000 } };
    await takeUnreadableReceipt(taking, carrier, { text: 'It is there.' });
    const query = { carrier: null, limit: 3 };
    const report = await given.store.read(reportUnmatched, query);
    expect(report?.receipts).toHaveLength(3);
    expect(report?.receipts[0]).toMatchObject({ carrier: 'carrier 1', status: null, text: 'It is there.' });
    const idRules = [{ carrier: 'carrier 1', rule: 'hexToDecimal', matching: 4, of: 4 }];
    expect(report?.idRules).toEqual(idRules);
    const ofCarrier = await given.store.read(reportUnmatched, { carrier: 'carrier 1', limit: 100 });
    expect(ofCarrier?.receipts).toHaveLength(5);
    expect(ofCarrier?.idRules).toEqual(idRules);
    expect(await given.store.read(reportUnmatched, { carrier: 'nobody', limit: 100 })).toBeNull();
  });
});
