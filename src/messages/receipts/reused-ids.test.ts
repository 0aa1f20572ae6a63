import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryStore, enterNodes, findMessage, range } from '../../../test/harness/delivery-store.ts';
import { clearDelivery, listUnmatched } from '../../../test/harness/delivery-verbs.ts';
import { anna, bert, ForgetfulSmsc } from '../../../test/harness/forgetful-smsc.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { status } from '../message.ts';
import { longAgoMs, parkedWorthMs } from './receipt.ts';
import { takeReceipts } from './take-receipts.ts';

const { SENT, DELIVERED, UNDELIVERABLE, ACCEPTED } = status;
const minuteMs = 60_000;
const unnamed = { recipient: undefined };

eachStore('receipts of a carrier that begins its ids anew', (engine) => {
  const given = deliveryStore(engine);
  const begin = () => new ForgetfulSmsc(() => given.store);

  test('[DLV-5] When ids are reused, an early receipt is for the newer message, though an older one to that number waits', async () => {
    for (const fields of [{}, unnamed]) {
      await given.store.write(clearDelivery, null);
      await enterNodes(given.store);
      const smsc = begin();
      await smsc.take(1);
      smsc.restart(minuteMs);
      const newer = await smsc.submit(2);
      await smsc.tell(newer, UNDELIVERABLE, fields);
      expect(await smsc.statusesOf(1)).toEqual([SENT]);
      const cameAt = smsc.now;
      await smsc.pass(100);
      await smsc.answer(newer);
      expect(await smsc.statusesOf(1, 2)).toEqual([SENT, UNDELIVERABLE]);
      expect(await findMessage(given.store, 2)).toMatchObject({
        changed_at: cameAt,
        version: 3,
        stage: null,
      });
      expect(await smsc.parked()).toEqual([]);
    }
  });

  test('[DLV-5] [DLV-7] A receipt whose id has another form is not held for an older message to another number', async () => {
    const smsc = begin();
    await smsc.answer(await smsc.submit(1, { recipient: bert }), () => '10');
    smsc.now += minuteMs;
    await smsc.answer(await smsc.submit(2, { recipient: anna }), () => 'a');
    // More messages than are examined for a single receipt.
    for (const id of range(3, 160)) await smsc.submit(id, { recipient: String(46_701_000_000 + id) });
    const observer = { receipts: () => undefined, unreadableReceipt: () => undefined };
    const fields = { carrierMessageId: '10', recipient: anna, status: DELIVERED, errorCode: null };
    const taking = { store: given.store, clock: { now: () => smsc.now }, observer };
    await takeReceipts(taking, { id: 1, name: 'north' }, [{ ...fields, otherIds: () => ['a', '0a', '16'] }]);
    expect(await smsc.statusesOf(1, 2)).toEqual([SENT, DELIVERED]);
    expect(await smsc.parked()).toEqual([]);
  });

  test('[DLV-5] [STAT-6] An early receipt is for the newer message, though it repeats the status of an older one to that number', async () => {
    const smsc = begin();
    await smsc.tell(await smsc.take(1));
    smsc.restart(minuteMs);
    const newer = await smsc.submit(2);
    await smsc.tell(newer);
    await smsc.pass(1_000);
    await smsc.answer(newer);
    expect(await smsc.statusesOf(1, 2)).toEqual([DELIVERED, DELIVERED]);
    expect(await smsc.parked()).toEqual([]);
  });

  test('[DLV-5] [STAT-7] Early receipts for a message of several parts are for the newer one, though an older one of several waits', async () => {
    const smsc = begin();
    await smsc.take(1, { parts: 3 });
    smsc.restart(minuteMs);
    const newer = await smsc.submit(2, { parts: 2 });
    await smsc.tell(newer, ACCEPTED);
    await smsc.tell(newer);
    await smsc.answer(newer);
    expect(await smsc.statusesOf(1, 2)).toEqual([SENT, DELIVERED]);
    expect(await smsc.parked()).toEqual([]);
  });

  test('[DLV-5] An early receipt with its id in another form is for the newer message', async () => {
    const smsc = begin();
    const older = await smsc.submit(1);
    await smsc.answer(older, (number) => `000${number}`);
    smsc.restart(minuteMs);
    const newer = await smsc.submit(2);
    const fields = { carrierMessageId: '0x1', otherIds: ['01', '0001', '001'] };
    await smsc.tell(newer, DELIVERED, fields);
    await smsc.answer(newer, (number) => `000${number}`);
    await smsc.pass(1_000);
    expect(await smsc.statusesOf(1, 2)).toEqual([SENT, DELIVERED]);
    // When two waiting messages have the same form of the id, the latest is meant again.
    smsc.restart(minuteMs);
    const third = await smsc.submit(3);
    await smsc.answer(third, (number) => `000${number}`);
    await smsc.tell(third, UNDELIVERABLE, fields);
    expect(await smsc.statusesOf(1, 2, 3)).toEqual([SENT, DELIVERED, UNDELIVERABLE]);
    expect(await smsc.parked()).toEqual([]);
  });

  test('[DLV-5] A late receipt is for the old message once those in flight to its number are answered under other ids', async () => {
    for (const fields of [{}, { recipient: '0701740601' }, unnamed]) {
      await given.store.write(clearDelivery, null);
      await enterNodes(given.store);
      const smsc = begin();
      const old = await smsc.take(1);
      await smsc.pass(minuteMs);
      const other = await smsc.submit(2);
      await smsc.tell(old, ACCEPTED, fields);
      await smsc.tell(old, DELIVERED, { ...fields, receivedAt: smsc.now + 1 });
      const cameAt = smsc.now + 1;
      await smsc.pass(600);
      expect(await smsc.statusesOf(1)).toEqual([SENT]);
      await smsc.answer(other);
      // The receipt does not wait for a message that was sent after it arrived.
      await smsc.submit(3);
      await smsc.pass(4_000);
      expect(await smsc.statusesOf(1, 2)).toEqual([DELIVERED, SENT]);
      expect(await findMessage(given.store, 1)).toMatchObject({ changed_at: cameAt, version: 4 });
      expect(await smsc.parked()).toEqual([]);
    }
  });

  test('[DLV-5] A late receipt counts at once while nothing to its number is in flight, as does any receipt soon after its answer', async () => {
    const smsc = begin();
    const [quick, late] = [await smsc.take(1), await smsc.take(2)];
    await smsc.pass(longAgoMs);
    const [toAnna] = [await smsc.submit(3), await smsc.submit(4, { recipient: bert })];
    await smsc.tell(quick);
    expect(await smsc.statusesOf(1)).toEqual([DELIVERED]);
    await smsc.answer(toAnna);
    await smsc.pass(minuteMs);
    await smsc.tell(late);
    expect(await smsc.statusesOf(2)).toEqual([DELIVERED]);
    expect(await smsc.parked()).toEqual([]);
  });

  test('[DLV-5] [DLV-8] With very many messages in flight, a late receipt counts a second later, unless one of them is to its number', async () => {
    const smsc = begin();
    const [toAnna, toBert] = [await smsc.take(1), await smsc.take(2, { recipient: bert })];
    await smsc.pass(minuteMs);
    for (const id of range(3, 160)) await smsc.submit(id, { recipient: `4670${1_000_000 + id}` });
    const toBertToo = await smsc.submit(161, { recipient: bert });
    await smsc.tell(toAnna);
    await smsc.tell(toBert);
    expect(await smsc.parked()).toEqual(['1', '2']);
    await smsc.pass(1_000);
    expect(await smsc.statusesOf(1, 2)).toEqual([DELIVERED, SENT]);
    await smsc.answer(toBertToo);
    await smsc.pass(4_000);
    expect(await smsc.statusesOf(2)).toEqual([DELIVERED]);
  });

  test('[DLV-5] A held receipt is not lost, even if the carrier never answers or nothing runs for long', async () => {
    const smsc = begin();
    const [first, second] = [await smsc.take(1), await smsc.take(2)];
    await smsc.pass(minuteMs);
    await smsc.submit(3);
    await smsc.tell(first);
    await smsc.pass(2 * minuteMs, 60);
    await smsc.tell(second);
    expect(await smsc.statusesOf(1, 2)).toEqual([SENT, SENT]);
    await smsc.pass(2.1 * minuteMs, 60);
    expect(await smsc.statusesOf(1, 2)).toEqual([DELIVERED, SENT]);
    await smsc.pass(parkedWorthMs);
    expect(await smsc.statusesOf(1, 2)).toEqual([DELIVERED, DELIVERED]);
    expect(await smsc.parked()).toEqual([]);
    expect(await given.store.read(listUnmatched, null)).toEqual([]);
  });

  test('[DLV-5] [STAT-6] The parked repetition of an older receipt is not for a newer message that went out after it came', async () => {
    const smsc = begin();
    const older = await smsc.take(1);
    await smsc.tell(older, UNDELIVERABLE);
    await smsc.pass(parkedWorthMs + 1);
    await smsc.tell(older, UNDELIVERABLE);
    expect(await smsc.parked()).toEqual(['1']);
    smsc.restart(minuteMs);
    const newer = await smsc.take(2);
    await smsc.pass(minuteMs, 60);
    expect(await smsc.statusesOf(2)).toEqual([SENT]);
    await smsc.tell(newer);
    await smsc.pass(parkedWorthMs);
    expect(await smsc.statusesOf(1, 2)).toEqual([UNDELIVERABLE, DELIVERED]);
    expect(await smsc.parked()).toEqual([]);
  });

  test('[DLV-5] [STAT-6] The repetition of a newer message’s receipt is not for an older message that waits', async () => {
    for (const [together, fields] of [
      [true, {}],
      [false, {}],
      [true, { carrierMessageId: '0x1', otherIds: ['1'] }],
    ] as const) {
      await given.store.write(clearDelivery, null);
      await enterNodes(given.store);
      const smsc = begin();
      await smsc.take(1);
      smsc.restart(minuteMs);
      const newer = await smsc.submit(2);
      await smsc.tell(newer, DELIVERED, fields);
      smsc.now += 1;
      if (together) await smsc.tell(newer, DELIVERED, fields);
      await smsc.answer(newer);
      if (!together) await smsc.tell(newer, DELIVERED, fields);
      await smsc.pass(1_000);
      expect(await smsc.statusesOf(1, 2)).toEqual([SENT, DELIVERED]);
      expect(await smsc.parked()).toEqual([]);
    }
  });

  test('[DLV-5] A message that waited long and went out last counts as the newest, whatever its id', async () => {
    const smsc = begin();
    await smsc.take(2);
    smsc.restart(minuteMs);
    await smsc.tell(await smsc.take(1));
    expect(await smsc.statusesOf(1, 2)).toEqual([DELIVERED, SENT]);
  });

  test('[DLV-5] [STAT-6] In any order of events, no message takes the receipt of another that can be told apart from it', async () => {
    const kind = fc.constantFrom(
      ...(['submit', 'submit', 'answer', 'answer', 'tell', 'tell', 'tell', 'tell again'] as const),
      ...(['pass', 'pass', 'pass long', 'restart', 'restart'] as const),
    );
    const steps = fc.array(fc.tuple(kind, fc.nat(20), fc.boolean()), { minLength: 8, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (acts, named) => {
        await given.store.write(clearDelivery, null);
        await enterNodes(given.store);
        await expectOwnReceipts(begin(), acts, named);
      }),
      { numRuns: engine.name === 'sqlite' ? 60 : 20 },
    );
  }, 300_000);
});

type Act = readonly [
  'submit' | 'answer' | 'tell' | 'tell again' | 'pass' | 'pass long' | 'restart',
  number,
  boolean,
];

/**
 * Checks that each message ends as its own receipt says. No receipt is sent for a message whose id was reused for another
 * message to the same number.
 */
async function expectOwnReceipts(smsc: ForgetfulSmsc, acts: readonly Act[], named: boolean): Promise<void> {
  type Message = Awaited<ReturnType<ForgetfulSmsc['submit']>> & {
    reported: number;
    reportedAt: number;
    open: boolean;
  };
  const messages: Message[] = [];
  const ids = (message: Message) => String(message.carrierMessageIds);
  const isLast = (message: Message) =>
    messages.findLast(
      (one) => ids(one) === ids(message) && (!named || one.recipient === message.recipient),
    ) === message;
  const pick = (some: readonly Message[], at: number) => some[at % Math.max(1, some.length)];
  const tell = (message: Message) => smsc.tell(message, message.reported, named ? {} : unnamed);
  const answerAll = async () => {
    for (const message of messages.filter(({ open }) => open)) await smsc.answer(message);
    for (const message of messages) message.open = false;
  };
  for (const [act, at, flag] of acts) {
    smsc.now += 1;
    if (act === 'submit') {
      const submission = await smsc.submit(messages.length + 1, { recipient: flag ? anna : bert });
      messages.push({ ...submission, reported: SENT, reportedAt: 0, open: true });
    } else if (act === 'answer') {
      const message = pick(
        messages.filter(({ open }) => open),
        at,
      );
      if (message === undefined) continue;
      await smsc.answer(message);
      message.open = false;
    } else if (act === 'tell') {
      const message = pick(messages.filter((one) => one.reported === SENT && isLast(one)).reverse(), at);
      if (message === undefined) continue;
      Object.assign(message, { reported: flag ? DELIVERED : UNDELIVERABLE, reportedAt: smsc.now });
      await tell(message);
    } else if (act === 'tell again') {
      const lately = smsc.now - 10 * minuteMs;
      const again = messages.filter((one) => one.reported !== SENT && isLast(one) && one.reportedAt > lately);
      const message = pick(again.reverse(), at);
      if (message !== undefined) await tell(message);
    } else if (act === 'pass') await smsc.pass(100 + at * 200);
    else if (act === 'pass long') await smsc.pass(at * 15_000, 20);
    else {
      await answerAll();
      smsc.restart(longAgoMs + 1 + at * 20_000);
    }
  }
  await answerAll();
  await smsc.pass(20 * minuteMs, 200);
  const ends = await smsc.statusesOf(...messages.map(({ id }) => id));
  expect(ends).toEqual(messages.map(({ reported }) => reported));
  expect(await smsc.parked()).toEqual([]);
}
