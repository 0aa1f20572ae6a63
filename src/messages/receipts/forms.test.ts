import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deliveryStore, findMessage } from '../../../test/harness/delivery-store.ts';
import {
  clearDelivery,
  listParked,
  putMessages,
  putParts,
  type TestMessage,
} from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { type MessageIdRule, receiptIds } from '../../wire/smpp/message-id.ts';
import { stage, status } from '../message.ts';
import { agrees, parkedWorthMs, type StoredReceipt } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { recordReceipts } from './store.ts';

const awaiting = { stage: stage.awaitingReceipt, status: status.SENT, dueAt: 9_000, attempts: 1 };
const anna = '46701740601';
const bert = '46701740602';

type Changes = Partial<StoredReceipt>;

/** A receipt, with all forms of its id, from a carrier with this rule. */
function receipt(written: string, changes: Changes = {}, rule: MessageIdRule = 'auto'): StoredReceipt {
  const { otherIds, ...ids } = receiptIds([written], rule);
  const defaults = { carrierId: 1, status: status.DELIVERED, errorCode: null, receivedAt: 2_000 };
  return { ...defaults, ...ids, otherIds: otherIds(), ...changes };
}

/** A receipt without other forms of its id, from a carrier that has none. */
function plain(carrierMessageId: string, changes: Changes = {}): StoredReceipt {
  const defaults = { carrierId: 1, status: status.DELIVERED, errorCode: null, receivedAt: 2_000 };
  return { ...defaults, carrierMessageId, ...changes };
}

eachStore('receipts whose ids and numbers vary', (engine) => {
  const given = deliveryStore(engine);

  /** Stores messages that wait for the receipt of their only part, whose id at the carrier is given. */
  async function sent(ids: Readonly<Record<number, string>>, changes: Partial<TestMessage> = {}) {
    const entries = Object.entries(ids).map(([id, carrierMessageId]) => ({
      id: Number(id),
      carrierMessageId,
    }));
    await given.store.write(
      putMessages,
      entries.map(({ id }) => ({ id, ...awaiting, ...changes })),
    );
    await given.store.write(
      putParts,
      entries.map(({ id, carrierMessageId }) => ({ messageId: id, carrierMessageId })),
    );
  }
  const tell = (...receipts: readonly StoredReceipt[]) => given.store.write(recordReceipts, receipts);
  const sweep = (now: number) => given.store.write(retryParkedReceipts, { now, limit: 100 });
  const statusOf = async (id: number) => (await findMessage(given.store, id)).status;
  const parked = async () => (await given.store.read(listParked, null)).map(({ id }) => id);

  test('[DLV-5] A receipt finds its message by a hexadecimal or decimal id, with other leading zeros or in another letter case', async () => {
    for (const [answered, reported, rule] of [
      ['1A2B3C', '1715004', 'auto'],
      ['001A2B3C', '1715004', 'auto'],
      ['1715004', '1a2b3c', 'auto'],
      ['0001715004', '1a2b3c', 'auto'],
      ['0000004711', '4711', 'auto'],
      ['4711', '0000004711', 'text'],
      ['abc', 'ABC', 'text'],
      ['1a2b3c', '1715004', 'hexToDecimal'],
      ['1A2B3C', '1715004', 'hexToDecimal'],
      ['1715004', '1a2b3c', 'decimalToHex'],
      ['F'.repeat(32), String(2n ** 128n - 1n), 'hexToDecimal'],
      ['7D6F4C4E-93A1-4B6F', '7d6f4c4e-93a1-4b6f', 'auto'],
    ] as const) {
      await given.store.write(clearDelivery, null);
      await sent({ 1: answered });
      await tell(receipt(reported, {}, rule));
      expect(await statusOf(1), `${answered} ${reported}`).toBe(status.DELIVERED);
      expect(await parked()).toEqual([]);
    }
  });

  test('[DLV-5] A receipt finds its message with leading zeros of any width, on either side, under every id rule', async () => {
    const number = 0x1a2b3c;
    const [hex, decimal] = [number.toString(16), String(number)];
    const pairs: readonly (readonly [MessageIdRule, string, string])[] = [
      ...(['auto', 'hexToDecimal'] as const).map((rule) => [rule, hex, decimal] as const),
      ...(['auto', 'decimalToHex'] as const).map((rule) => [rule, decimal, hex] as const),
      ...(['auto', 'text'] as const).flatMap((rule) => [hex, decimal].map((id) => [rule, id, id] as const)),
    ];
    const width = fc.integer({ min: 1, max: 64 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pairs),
        fc.tuple(width, width, fc.boolean()),
        async ([rule, answered, reported], [before, after, isUpper]) => {
          await given.store.write(clearDelivery, null);
          const padded = answered.padStart(before, '0');
          await sent({ 1: isUpper ? padded.toUpperCase() : padded });
          await tell(receipt(reported.padStart(after, '0'), {}, rule));
          expect(await statusOf(1)).toBe(status.DELIVERED);
          expect(await parked()).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('[DLV-5] The exact id of a receipt counts before all its other forms', async () => {
    await sent({ 1: '10', 2: 'a', 3: '16' });
    await tell(receipt('10'));
    expect([await statusOf(1), await statusOf(2), await statusOf(3)]).toEqual([2, 1, 1]);
  });

  test('[DLV-5] Under an id rule that converts, a receipt’s id does not match as it is written', async () => {
    await sent({ 1: '10', 2: 'a' });
    await tell(receipt('10', {}, 'hexToDecimal'));
    expect([await statusOf(1), await statusOf(2)]).toEqual([1, 2]);
  });

  test('[DLV-5] A receipt that fits two parts by other forms of its id matches neither until one is ruled out', async () => {
    // 10 is hexadecimal a; 10 read as hexadecimal is 16.
    await sent({ 1: 'a', 2: '16' });
    await tell(receipt('10'));
    expect([await statusOf(1), await statusOf(2)]).toEqual([1, 1]);
    await tell(plain('16', { receivedAt: 2_500 }));
    await sweep(3_000);
    expect([await statusOf(1), await statusOf(2)]).toEqual([2, 2]);
    expect(await parked()).toEqual([]);
  });

  test('[DLV-5] The phone number of a receipt distinguishes parts whose ids could be confused', async () => {
    await sent({ 1: 'a' }, { recipient: anna });
    await sent({ 2: '16' }, { recipient: bert });
    await tell(receipt('10', { recipient: bert }));
    expect([await statusOf(1), await statusOf(2)]).toEqual([1, 2]);
  });

  test('[DLV-5] A receipt does not match a message to another number, even if it is the only one with that id', async () => {
    await sent({ 1: 'x' }, { recipient: anna });
    await tell(plain('x', { recipient: bert }), receipt('x', { recipient: bert }));
    expect(await statusOf(1)).toBe(status.SENT);
    expect(await parked()).toEqual(['x', 'x']);
    await tell(plain('x', { recipient: anna }));
    expect(await statusOf(1)).toBe(status.DELIVERED);
  });

  test('[DLV-5] Of several messages with one id, a receipt is for the newest to its number', async () => {
    await sent({ 1: 'x', 4: 'x' }, { recipient: bert });
    await sent({ 2: 'x', 3: 'x' }, { recipient: anna });
    await tell(plain('x', { recipient: bert }));
    expect(await Promise.all([1, 2, 3, 4].map(statusOf))).toEqual([1, 1, 1, 2]);
    await tell(plain('x', { recipient: anna, status: status.EXPIRED }));
    expect(await Promise.all([1, 2, 3, 4].map(statusOf))).toEqual([1, 1, 4, 2]);
  });

  test('[DLV-5] A receipt may give the number without country code, or as at submission', async () => {
    await sent({ 1: 'x', 2: 'y', 3: 'z' }, { recipient: anna });
    await tell(plain('x', { recipient: '0701740601' }), plain('y', { recipient: '701740601' }));
    await tell(plain('z', { recipient: '1740601' }));
    expect(await Promise.all([1, 2, 3].map(statusOf))).toEqual([2, 2, 2]);
    expect(await parked()).toEqual([]);
  });

  test.each([
    ['525562000017', '5215562000017', '5215562000018'],
    ['5215562000017', '525562000017', '525562000018'],
    ['541123456789', '5491123456789', '5491123456788'],
    ['5491123456789', '541123456789', '541123456788'],
  ])(
    '[DLV-5] [STAT-7] A receipt for a message to %s may name %s, whatever its parts, but not %s',
    async (recipient, reported, other) => {
      await sent({ 1: 'x', 2: 'y' }, { recipient });
      await given.store.write(putMessages, [{ id: 3, ...awaiting, parts: 2, recipient }]);
      const parts = [1, 2].map((part) => ({ messageId: 3, part, parts: 2, carrierMessageId: `p${part}` }));
      await given.store.write(putParts, parts);
      await tell(...['x', 'p1', 'p2'].map((id) => plain(id, { recipient: other })));
      expect(await Promise.all([1, 3].map(statusOf))).toEqual([1, 1]);
      expect(await parked()).toHaveLength(3);
      await tell(...['x', 'p1', 'p2'].map((id) => plain(id, { recipient: reported })));
      await tell(plain('y', { recipient: `00${reported}` }));
      expect(await Promise.all([1, 2, 3].map(statusOf))).toEqual([2, 2, 2]);
      expect(await parked()).toHaveLength(3);
    },
  );

  test('[STAT-6] [DLV-5] Of two receipts with a rewritten number the first counts, although the carrier’s answer was stored before it was tried', async () => {
    const recipient = '5215562000017';
    await tell(plain('x', { recipient }));
    await sent({ 1: 'x' }, { recipient: '525562000017' });
    await tell(plain('x', { recipient, status: status.UNDELIVERABLE, receivedAt: 2_100 }));
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.DELIVERED, changed_at: 2_000 });
  });

  test('[DLV-5] [STAT-6] A message that has ended does not take the early receipt of a newer message with its id', async () => {
    for (const reported of [{}, { recipient: anna }]) {
      await given.store.write(clearDelivery, null);
      await sent({ 1: 'x' }, { recipient: anna });
      await tell(plain('x', reported));
      // The id recurs a day later. It may recur within an hour, for example, if the carrier only counts to a million.
      const receivedAt = 2_000 + parkedWorthMs * 4;
      await tell(plain('x', { ...reported, receivedAt }));
      expect(await parked()).toEqual(['x']);
      await sent({ 2: 'x' }, { recipient: anna });
      await sweep(receivedAt + 1_000);
      expect(await findMessage(given.store, 2)).toMatchObject({
        status: status.DELIVERED,
        changed_at: receivedAt,
      });
      expect(await findMessage(given.store, 1)).toMatchObject({ version: 2, changed_at: 2_000 });
      expect(await parked()).toEqual([]);
    }
  });

  test('[DLV-5] An older message that still waits takes the receipt that a newer one, which has ended, cannot take', async () => {
    await sent({ 1: 'x', 2: 'x' });
    await tell(plain('x', { status: status.REJECTED }));
    await tell(plain('x', { receivedAt: 2_001 }));
    expect([await statusOf(1), await statusOf(2)]).toEqual([2, 5]);
  });

  test('[DLV-5] A receipt that is repeated or overtaken changes nothing and is not parked', async () => {
    await sent({ 1: 'x', 2: '1a2b3c' }, { recipient: anna });
    for (const receivedAt of [2_000, 2_001, 60_000]) {
      for (const code of [status.DELIVERED, status.ACCEPTED, status.UNKNOWN, status.SENT]) {
        await tell(plain('x', { recipient: anna, receivedAt, status: code }));
        await tell(receipt('1715004', { recipient: anna, receivedAt, status: code }));
      }
    }
    for (const id of [1, 2]) {
      expect(await findMessage(given.store, id)).toMatchObject({ status: 2, version: 2, changed_at: 2_000 });
    }
    expect(await parked()).toEqual([]);
  });

  test('[DLV-5] Many receipts with other forms of their ids, in one set, are applied in the order they came', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => index + 1);
    await sent(Object.fromEntries(ids.map((id) => [id, (0xabc000 + id).toString(16)])));
    const receiptsWith = (code: number, receivedAt: number) =>
      ids.map((id) => receipt(String(0xabc000 + id), { status: code, receivedAt }));
    await tell(
      ...receiptsWith(status.ACCEPTED, 2_000),
      ...receiptsWith(status.DELIVERED, 2_001),
      ...receiptsWith(status.DELIVERED, 2_001),
    );
    for (const id of ids) {
      expect(await findMessage(given.store, id)).toMatchObject({ status: 2, version: 3, changed_at: 2_001 });
    }
  });

  test('[DLV-5] Other forms of a receipt’s id are looked up only if the exact id is unknown', async () => {
    await sent({ 1: 'x', 2: 'ff' });
    const asking = (id: string, changes: Changes = {}) => plain(id, { mayHaveOtherIds: true, ...changes });
    expect(await tell(asking('x'), asking('255'), plain('nobody'))).toEqual([1]);
    expect(await parked()).toEqual(['nobody']);
    expect(await tell({ ...asking('255'), otherIds: ['ff'] })).toEqual([]);
    expect([await statusOf(1), await statusOf(2)]).toEqual([2, 2]);
  });

  test('[DLV-5] [STAT-7] Receipts match parts by other forms of their own ids, in any order and with repetitions', async () => {
    const scene = fc.record({
      order: fc.shuffledSubarray([1, 2, 3, 4, 1, 3], { minLength: 6 }),
      failing: fc.option(fc.constantFrom(1, 2, 3, 4)),
      together: fc.boolean(),
      forms: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ order, failing, together, forms }) => {
        await given.store.write(clearDelivery, null);
        await given.store.write(putMessages, [{ id: 1, ...awaiting, parts: 4, recipient: anna }]);
        const parts = [1, 2, 3, 4];
        await given.store.write(
          putParts,
          parts.map((part) => ({ messageId: 1, part, parts: 4, carrierMessageId: `AB${part}` })),
        );
        const receipts = order.map((part, index) => {
          const code = part === failing ? status.ABSENTSUBSCRIBER : status.DELIVERED;
          const id = forms ? String(Number(`0xAB${part}`)) : `AB${part}`;
          return receipt(id, { status: code, receivedAt: 2_000 + index, recipient: anna });
        });
        if (together) await tell(...receipts);
        else for (const one of receipts) await tell(one);
        expect(await statusOf(1)).toBe(failing === null ? status.DELIVERED : status.ABSENTSUBSCRIBER);
        expect(await parked()).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('[DLV-5] [STAT-7] If a carrier gives all parts of a message one id, each of its receipts counts for one part', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting, parts: 4 }]);
    const parts = [1, 2, 3, 4].map((part) => ({ messageId: 1, part, parts: 4, carrierMessageId: 'x' }));
    await given.store.write(putParts, parts);
    await tell(plain('x'), plain('x', { receivedAt: 2_001 }), plain('x', { receivedAt: 2_001 }));
    expect(await statusOf(1)).toBe(status.SENT);
    await tell(plain('x', { receivedAt: 2_002 }));
    expect(await statusOf(1)).toBe(status.DELIVERED);
  });

  test('[DLV-5] [STAT-7] A receipt does not match a part that went to another number', async () => {
    await given.store.write(putMessages, [{ id: 1, ...awaiting, parts: 2, recipient: anna }]);
    await given.store.write(putParts, [{ messageId: 1, part: 1, parts: 2, carrierMessageId: 'x' }]);
    await tell(plain('x', { recipient: bert, status: status.REJECTED }));
    expect(await statusOf(1)).toBe(status.SENT);
    expect(await parked()).toEqual(['x']);
  });
});

describe('the number of a receipt', () => {
  test('[DLV-5] The number of a receipt may be the recipient of the message, the end of it, or the sender', () => {
    const message = { recipient: anna, sender: bert };
    const agreesWith = (recipient: string) => agrees(plain('x', { recipient }), message);
    for (const number of [anna, bert, '0701740601', '00701740601', '1740601'])
      expect(agreesWith(number)).toBe(true);
    for (const number of ['740601', '46701740603', '1', '', '0']) expect(agreesWith(number)).toBe(false);
    expect(agrees(plain('x'), message)).toBe(true);
    for (const recipient of ['525562000017', '5215562000017'])
      for (const number of ['525562000017', '5215562000017', '005215562000017', '5562000017'])
        expect(agrees(plain('x', { recipient: number }), { ...message, recipient })).toBe(true);
  });
});
