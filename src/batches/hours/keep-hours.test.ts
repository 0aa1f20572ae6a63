import { beforeEach, expect, test } from 'vitest';
import { putCompany, putUser } from '../../../test/harness/account-verbs.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import { clearBatches, listBatchMessages } from '../../../test/harness/batch-verbs.ts';
import { advanceAll, batchRow, codesOf, putBatch } from '../../../test/harness/batches.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { listUsed, putMessages, putSimulator } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { claimMessages } from '../../messages/dispatch/claim.ts';
import { recordOutcomes } from '../../messages/dispatch/store.ts';
import { charge, stage, status } from '../../messages/message.ts';
import { inspectMessage } from '../../messages/operator/inspect.ts';
import { expireWaiting, releaseDue } from '../../messages/upkeep/due-store.ts';
import { abortBatch } from '../management/acting-on-batch.ts';
import { readStatusCounts } from '../reading/counts.ts';
import { ClosedCompanies } from './closed-companies.ts';
import { KeptHours } from './keep-hours.ts';
import type { SendHours } from './send-hours.ts';

const hourMs = 60 * 60 * 1_000;
const minuteMs = 60_000;
const onlyByDay = storedReason({
  sentence: 'outside_hours',
  from: '07:00',
  to: '21:00',
  zone: 'Europe/Stockholm',
});

eachStore('batches in line when the send hours end', (engine) => {
  const given = deliveryStore(engine);
  let now = 0;
  let closed: ClosedCompanies;
  let hours: KeptHours;

  const day: SendHours = { from: '07:00', to: '21:00', zone: 'Europe/Stockholm', batch: 'delay' };
  const at = (time: string) => {
    now = Date.parse(time);
  };
  const send = async (sendHours?: SendHours) => {
    await given.store.write(putCompany, { id: 1, name: 'Company', ...(sendHours && { sendHours }) });
    await closed.read();
  };
  const claim = async (room = 100, carrierId = 1) => {
    const closedHours = closed.at(now);
    const asked = { carrierId, nodeId: 7, room, bulkFloor: Math.ceil(room / 10), closedHours, now };
    return (await given.store.write(claimMessages, asked)).messages;
  };
  const sweep = () => hours.sweep(now);
  const messages = (batchId = 1) => given.store.read(listBatchMessages, batchId);
  const stages = async (batchId = 1) => (await messages(batchId)).map((message) => message.stage);
  const used = async () => (await given.store.read(listUsed, null)).map((row) => row.used);
  const counts = async () => {
    const own = { companyId: 1, userId: 10, batchId: 1, conversation: null, afterId: 0, limit: 10 };
    const [batch] = await given.store.read(readStatusCounts, own);
    return Object.fromEntries(batch?.counts.map((count) => [count.status, count.messages]) ?? []);
  };
  const { waiting, inFlight, scheduled } = stage;

  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await given.store.write(putCompany, { id: 2, name: 'Always open' });
    await given.store.write(putUser, { id: 20, companyId: 2, username: 'other', roles: ['send'] });
    await given.store.write(putSimulator, { id: 2 });
    const log = { warn: () => undefined, info: () => undefined, error: () => undefined };
    const clock = { now: () => now };
    closed = new ClosedCompanies({ store: given.store, clock, stopwatch: { elapsed: () => now }, log });
    hours = new KeptHours({ store: given.store, clock, closed, log });
    await send(day);
  });

  /** Queues all of the batch a minute before the send hours end. */
  async function inLine(evening: string, batch: Partial<Parameters<typeof putBatch>[1]> = {}): Promise<void> {
    at(evening);
    now -= minuteMs;
    await putBatch(given.store, { id: 1, partsOfEach: 2, ...batch });
    await advanceAll(given.store, now);
    at(evening);
  }

  test.each([
    ['an evening in winter', '2026-01-15T20:00:00Z', '2026-01-16T06:00:00Z'],
    ['the night in which clocks go forward', '2026-03-28T20:00:00Z', '2026-03-29T05:00:00Z'],
    ['the night in which clocks go back', '2026-10-24T19:00:00Z', '2026-10-25T06:00:00Z'],
  ])(
    '[BATCH-5] Waiting batch messages are held until the morning when the send hours end: %s',
    async (_, evening, morning) => {
      await inLine(evening, { count: 450, chunkSize: 100 });
      expect(await sweep()).toBe(450);
      const opensAt = Date.parse(morning);
      for (const message of await messages()) {
        expect(message).toMatchObject({ status: status.QUEUED, stage: scheduled, charge: charge.reserved });
        expect(message).toMatchObject({ due_at: opensAt, expires_at: opensAt + hourMs, version: 1 });
      }
      expect(await counts()).toEqual({ [status.QUEUED]: 450 });
      expect(await used()).toEqual([900, 0, 900, 0, 0]);
      // Long after their original validity has passed.
      now = opensAt - 1;
      expect(await given.store.write(expireWaiting, { now, limit: 500 })).toBe(0);
      expect(await given.store.write(releaseDue, { now, limit: 500 })).toBe(0);
      expect(await sweep()).toBe(0);
      now = opensAt;
      expect(await given.store.write(releaseDue, { now, limit: 500 })).toBe(450);
      expect(await sweep()).toBe(0);
      expect(await claim(1_000)).toHaveLength(450);
    },
  );

  test('[BATCH-5] [BATCH-9] Once the send hours end, no batch message is sent, even before the sweep; all other messages still are', async () => {
    await inLine('2026-01-15T20:00:00Z');
    await putBatch(given.store, { id: 2, companyId: 2, userId: 20 });
    await advanceAll(given.store, now);
    await given.store.write(putMessages, [{ id: 5, expiresAt: now + hourMs }]);
    const gone = [...(await claim()), ...(await claim())].map(({ id }) => id);
    const others = (await messages(2)).map(({ id }) => id);
    expect(gone.sort((a, b) => a - b)).toEqual([5, ...others]);
    expect(await stages()).toEqual(new Array(5).fill(scheduled));
    const inspected = await given.store.read(inspectMessage, (await messages())[0]?.id ?? 0);
    expect(inspected?.attempts).toBe(0);
    expect(inspected?.timeline.entries).toMatchObject([
      { what: 'accepted', scheduledFor: undefined },
      {
        at: now,
        what: 'held',
        againAt: Date.parse('2026-01-16T06:00:00Z'),
        reason: 'the company sends only from 07:00 to 21:00 (Europe/Stockholm)',
      },
    ]);
  });

  test('[BATCH-5] Messages already with a carrier go on; those that come back from it wait for the morning', async () => {
    await inLine('2026-01-15T20:00:00Z');
    now -= 1;
    const claimed = await claim(4);
    expect(claimed).toHaveLength(2);
    now += 1;
    expect(await sweep()).toBe(3);
    expect((await stages()).sort()).toEqual([inFlight, inFlight, scheduled, scheduled, scheduled]);
    const [taken, refused] = claimed.map(({ id, attempts }) => ({
      companyId: 1,
      id,
      attempts,
      dueAt: now + 1_000,
      inDoubt: false,
      expiredByTimer: false,
      reason: null,
    }));
    await given.store.write(recordOutcomes, {
      nodeId: 7,
      carrierId: 1,
      now,
      taken: [],
      advances: [
        { ...taken!, status: status.SENT, stage: stage.awaitingReceipt, handedOver: true },
        { ...refused!, status: status.QUEUED, stage: stage.retrying, handedOver: false },
      ],
    });
    now += 2_000;
    await given.store.write(releaseDue, { now, limit: 500 });
    expect(await stages()).toContain(waiting);
    expect(await claim()).toEqual([]);
    expect((await stages()).sort()).toEqual([stage.awaitingReceipt, ...new Array(4).fill(scheduled)]);
  });

  test('[BATCH-5] Messages made from a batch after the send hours end wait for the morning from the start', async () => {
    at('2026-01-15T19:59:00Z');
    await putBatch(given.store, { id: 1 });
    await advanceAll(given.store, now, 3);
    at('2026-01-15T20:00:00Z');
    const steps = await advanceAll(given.store, now);
    expect(codesOf(steps)).toEqual([2, 0]);
    expect(steps).toMatchObject([{ carrierIds: [] }, { carrierIds: [] }]);
    expect(await stages()).toEqual([waiting, waiting, scheduled, scheduled, scheduled]);
    expect(await sweep()).toBe(2);
    const opensAt = Date.parse('2026-01-16T06:00:00Z');
    for (const message of await messages())
      expect(message).toMatchObject({ due_at: opensAt, expires_at: opensAt + hourMs });
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 0 });
    expect(await counts()).toEqual({ [status.QUEUED]: 5 });
  });

  test('[BATCH-5] A batch that arrives outside the send hours waits at code 3, or ends with 15 if it is to be dropped', async () => {
    at('2026-01-15T20:00:00Z');
    await putBatch(given.store, { id: 1 });
    await advanceAll(given.store, now, 2);
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 3, not_before: now + minuteMs });
    await send({ ...day, batch: 'drop' });
    await advanceAll(given.store, now + minuteMs);
    expect(await batchRow(given.store, 1)).toMatchObject({
      code: 15,
      reason: onlyByDay,
      stored: 0,
      clearing: 0,
    });
    await putBatch(given.store, { id: 2 });
    await advanceAll(given.store, Date.parse('2026-01-16T06:00:00Z'));
    expect(await batchRow(given.store, 2)).toMatchObject({ code: 0 });
  });

  test('[BATCH-5] [SEND-19] With `drop`, waiting messages are dropped by the sweep or by a claim, and cost nothing', async () => {
    await send({ ...day, batch: 'drop' });
    await inLine('2026-01-15T20:00:00Z');
    now -= 1;
    expect(await claim(4)).toHaveLength(2);
    now += 1;
    expect(await claim(2)).toEqual([]);
    expect(await counts()).toEqual({ [status.QUEUED]: 3, [status.DELETED]: 2 });
    expect(await sweep()).toBe(1);
    expect(await counts()).toEqual({ [status.QUEUED]: 2, [status.DELETED]: 3 });
    expect(await used()).toEqual([4, 0, 4, 0, 0]);
    for (const message of (await messages()).filter((one) => one.stage === null))
      expect(message).toMatchObject({
        charge: charge.refunded,
        unread: 1,
        version: 2,
        reason: onlyByDay,
      });
    expect(await batchRow(given.store, 1)).toMatchObject({ code: 0 });
  });

  test('[BATCH-5] [SEND-19] With `drop`, an unfinished batch ends with code 15, and its waiting messages are cancelled', async () => {
    await send({ ...day, batch: 'drop' });
    at('2026-01-15T19:59:00Z');
    await putBatch(given.store, { id: 1, partsOfEach: 2 });
    await advanceAll(given.store, now, 3);
    expect(await claim(2)).toHaveLength(1);
    at('2026-01-15T20:00:00Z');
    await advanceAll(given.store, now, 20);
    expect(await batchRow(given.store, 1)).toMatchObject({
      code: 15,
      reason: onlyByDay,
      stored: 0,
    });
    expect(await counts()).toEqual({ [status.QUEUED]: 1, [status.DELETED]: 1 });
    expect(await used()).toEqual([2, 0, 2, 0, 0]);
  });

  test('[BATCH-5] Changed send hours apply to held messages, which go sooner, later or immediately', async () => {
    await inLine('2026-01-15T20:00:00Z', { count: 250, chunkSize: 50 });
    await sweep();
    await send({ ...day, from: '09:00' });
    expect(await sweep()).toBe(250);
    const nine = Date.parse('2026-01-16T08:00:00Z');
    expect((await messages()).every((message) => message.expires_at === nine + hourMs)).toBe(true);
    // Messages that were delayed are not dropped, but follow the new hours.
    await send({ ...day, batch: 'drop' });
    expect(await sweep()).toBe(250);
    expect(await counts()).toEqual({ [status.QUEUED]: 250 });
    const seven = Date.parse('2026-01-16T06:00:00Z');
    expect((await messages()).every((message) => message.expires_at === seven + hourMs)).toBe(true);
    await send();
    expect(await sweep()).toBe(250);
    expect(await sweep()).toBe(0);
    expect(await given.store.write(releaseDue, { now, limit: 500 })).toBe(250);
    expect(await claim(1_000)).toHaveLength(250);
  });

  test('[BATCH-5] A clock that runs ahead for a moment holds messages for no longer than that moment', async () => {
    await inLine('2026-01-15T12:00:00Z', { validityMinutes: 24 * 60 });
    expect(closed.at(now)).toEqual([]);
    at('2026-01-15T23:00:00Z');
    expect(closed.at(now)).toMatchObject([{ companyIds: [1], opensAt: Date.parse('2026-01-16T06:00:00Z') }]);
    expect(closed.at(now + minuteMs)).toBe(closed.at(now));
    expect(await sweep()).toBe(5);
    at('2026-01-15T12:01:00Z');
    expect(closed.at(now)).toEqual([]);
    expect(await sweep()).toBe(5);
    await given.store.write(releaseDue, { now, limit: 500 });
    expect(await claim()).toHaveLength(5);
  });

  test('[BATCH-5] Aborting a held batch cancels its messages and refunds their quota', async () => {
    await inLine('2026-01-15T20:00:00Z');
    await sweep();
    await given.store.write(abortBatch, { id: 1, now, reason: 'aborted' });
    await advanceAll(given.store, now);
    expect(await counts()).toEqual({ [status.DELETED]: 5 });
    expect(await used()).toEqual([0, 0, 0, 0, 0]);
  });

  test('[BATCH-5] Several nodes with concurrent claims hold each message once, at each carrier', async () => {
    await inLine('2026-01-15T20:00:00Z', { count: 600, chunkSize: 100, carrierIds: [1, 2] });
    const other = engine.name === 'postgres' ? await given.fresh.openAnother() : given.store;
    const log = { warn: () => undefined, info: () => undefined };
    const second = new KeptHours({ store: other, clock: { now: () => now }, closed, log });
    const [first, again, ...claimed] = await Promise.all([
      sweep(),
      second.sweep(now),
      ...[1, 2, 1, 2].map((carrierId) => claim(40, carrierId)),
    ]);
    expect(claimed.flat()).toEqual([]);
    expect(first + again).toBeLessThanOrEqual(600);
    expect(await sweep()).toBe(0);
    const all = await messages();
    expect(all.every((message) => message.stage === scheduled)).toBe(true);
    for (const { id } of [all[0]!, all[300]!, all[599]!]) {
      const inspected = await given.store.read(inspectMessage, id);
      expect(inspected?.timeline.entries.map(({ what }) => what)).toEqual(['accepted', 'held']);
    }
  });

  test('[BATCH-5] [RUN-4] A node holds waiting batch messages on its own when the send hours end', async () => {
    await inLine('2026-01-15T20:00:00Z');
    now -= 1;
    hours.start();
    await pause(200);
    expect(await stages()).toEqual(new Array(5).fill(waiting));
    now += 1;
    await until(async () => !(await stages()).includes(waiting));
    expect(await stages()).toEqual(new Array(5).fill(scheduled));
    await hours.stop();
  });
});
