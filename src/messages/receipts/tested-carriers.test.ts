/** Tests which receipts belong to the SMS by which operators try a carrier. */
import { beforeEach, expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { listParked, listUnmatched, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { operator } from '../../audit/audit-log.ts';
import { answerTest, askForTest, type CarrierTest, findTest, partOf, takeTests } from '../carrier-test.ts';
import { status } from '../message.ts';
import { parkedWorthMs, type StoredReceipt } from './receipt.ts';
import { retryParkedReceipts } from './retry-store.ts';
import { recordReceipts } from './store.ts';

const recipient = '46701740699';
const nodeId = 7;
const dayMs = 86_400_000;

eachStore('receipts of tests of carriers', (engine) => {
  const given = deliveryStore(engine);
  beforeEach(async () => {
    await given.store.write(putSimulator, { id: 2 });
  });

  async function ask(now = 1_000): Promise<CarrierTest> {
    const sms = { recipient, sender: 'Me', text: 'Hi' };
    const asked = await given.store.write(askForTest, { carrier: 'carrier 1', ...sms, by: operator, now });
    if (typeof asked === 'string') throw new Error(asked);
    return asked;
  }

  /** A test that the carrier has accepted under this id. */
  async function accepted(carrierMessageId: string): Promise<number> {
    const { id } = await ask();
    await given.store.write(takeTests, { nodeId, carrierIds: [1], now: 1_000 });
    await given.store.write(answerTest, { id, outcome: { kind: 'accepted', carrierMessageId }, now: 1_500 });
    return id;
  }

  const receipt = (carrierMessageId: string, more: Partial<StoredReceipt> = {}): StoredReceipt => ({
    carrierId: 1,
    carrierMessageId,
    status: status.DELIVERED,
    errorCode: null,
    receivedAt: 2_000,
    ...more,
  });
  const record = (...receipts: readonly StoredReceipt[]) => given.store.write(recordReceipts, receipts);
  const found = (id: number) => given.store.read(findTest, id);
  const parked = async () => (await given.store.read(listParked, null)).length;

  test('[PORT-11] A test goes to one node that has its carrier, once, and only while somebody waits for it', async () => {
    const { id } = await ask(1_000);
    await ask(2_000);
    const take = (carrierIds: readonly number[], now: number) =>
      given.store.write(takeTests, { nodeId, carrierIds, now });
    expect(await take([2], 2_000)).toEqual([]);
    const [taken, other] = await Promise.all([take([1, 2], 11_000), take([1], 11_000)]);
    const all = [...taken, ...other];
    expect(all.map(({ askedAt }) => askedAt)).toEqual([2_000]);
    expect(all.map(partOf)).toMatchObject([{ companyId: 0, parts: 1, recipient, sender: 'Me', text: 'Hi' }]);
    expect(await found(id)).toMatchObject({ nodeId: null, outcome: null });
    expect(await take([1], 11_000)).toEqual([]);
  });

  test('[PORT-11] [DLV-5] News about a test is kept until its final receipt, and no news is parked', async () => {
    const id = await accepted('00AB');
    await record(receipt('00AB', { status: status.ACCEPTED, receivedAt: 1_800 }));
    expect(await found(id)).toMatchObject({ status: status.ACCEPTED, reportedAt: 1_800 });
    await record(
      receipt('00AB', { status: status.UNDELIVERABLE, errorCode: '027' }),
      receipt('00AB', { status: status.ACCEPTED, receivedAt: 2_001 }),
    );
    const ended = { status: status.UNDELIVERABLE, errorCode: '027', reportedAt: 2_000 };
    expect(await found(id)).toMatchObject(ended);
    await record(receipt('ab', { status: status.UNDELIVERABLE, receivedAt: 30_000 }));
    expect(await found(id)).toMatchObject(ended);
    expect(await parked()).toBe(0);
  });

  test('[PORT-11] [DLV-5] A test takes no receipt of another carrier, number, status or day', async () => {
    const id = await accepted('17');
    await record(
      receipt('17', { carrierId: 2 }),
      receipt('17', { recipient: '46701740600' }),
      receipt('17', { receivedAt: 1_500 + 2 * dayMs }),
    );
    expect([await parked(), await found(id)]).toMatchObject([3, { status: null }]);
    await record(receipt('17', { recipient }));
    await record(
      receipt('17', { status: status.REJECTED }),
      receipt('17', { receivedAt: 2_000 + parkedWorthMs }),
    );
    expect([await parked(), await found(id)]).toMatchObject([5, { status: status.DELIVERED }]);
    expect(await given.store.read(listUnmatched, null)).toEqual([]);
  });

  test('[PORT-11] [DLV-5] A receipt that comes long after the answer first waits for a message whose answer is not stored yet', async () => {
    const id = await accepted('17');
    await record(receipt('17', { receivedAt: 60_000 }));
    const retry = (now: number) => given.store.write(retryParkedReceipts, { now, limit: 10 });
    for (const now of [60_500, 64_000]) await retry(now);
    expect([await parked(), await found(id)]).toMatchObject([1, { status: null }]);
    await retry(90_000);
    expect([await parked(), await found(id)]).toMatchObject([
      0,
      { status: status.DELIVERED, reportedAt: 60_000 },
    ]);
  });

  test('[PORT-11] [DLV-5] A test takes no receipt whose id may have another form, by which it is about a message', async () => {
    const id = await accepted('17');
    expect(await record(receipt('17', { mayHaveOtherIds: true }))).toEqual([0]);
    expect(await found(id)).toMatchObject({ status: null });
  });

  test('[PORT-11] [DLV-5] A receipt with another form of the id, or before the answer, finds its test', async () => {
    const hexadecimal = await accepted('ff');
    const first = receipt('255', { mayHaveOtherIds: true });
    expect(await record(first)).toEqual([0]);
    await record({ ...first, otherIds: ['ff'] });
    expect([await parked(), await found(hexadecimal)]).toMatchObject([0, { status: status.DELIVERED }]);
    await record(receipt('early', { receivedAt: 1_400 }));
    const id = await accepted('early');
    expect(await found(id)).toMatchObject({ status: null });
    await given.store.write(retryParkedReceipts, { now: 2_000, limit: 10 });
    expect([await parked(), await found(id)]).toMatchObject([
      0,
      { status: status.DELIVERED, reportedAt: 1_400 },
    ]);
  });
});
