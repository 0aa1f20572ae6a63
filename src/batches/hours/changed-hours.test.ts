import { expect, test } from 'vitest';
import { removeCompany } from '../../../test/harness/account-verbs.ts';
import { pause } from '../../../test/harness/awake.ts';
import { advanceAll, batchRow, putBatch } from '../../../test/harness/batches.ts';
import { putMessages } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { day, hourMs, minuteMs, sendHoursRoom } from '../../../test/harness/send-hours.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { lane, stage, status } from '../../messages/message.ts';
import { releaseDue } from '../../messages/upkeep/due-store.ts';
import { waitsUntil } from '../reading/waiting.ts';

const { waiting, scheduled } = stage;
const five = (at: number) => new Array(5).fill(at);

eachStore('batches of companies whose send hours change', (engine) => {
  const room = sendHoursRoom(engine);
  const release = () => room.store.write(releaseDue, { now: room.now, limit: 500 });
  const isOpenAt = async (time: string) => {
    room.at(time);
    await release();
    return (await room.stages()).every((at) => at === waiting);
  };

  test('[BATCH-5] Messages left by a removed company are sent in the morning, not at night', async () => {
    await room.inLine('2026-01-15T20:00:00Z');
    expect(await room.sweep()).toBe(5);
    await room.store.write(removeCompany, 1);
    await room.closed.read();
    room.now += hourMs;
    expect(await room.sweep()).toBe(0);
    expect(await isOpenAt('2026-01-16T05:59:59Z')).toBe(false);
    expect(await isOpenAt('2026-01-16T06:00:00Z')).toBe(true);
    expect((await room.claim()).messages).toHaveLength(5);
  });

  test('[BATCH-5] Delayed messages follow the new send hours when these change to `drop`, and are not dropped', async () => {
    await room.inLine('2026-01-15T20:00:00Z');
    await room.sweep();
    await room.keep({ ...day, from: '09:00', batch: 'drop' });
    expect(await room.sweep()).toBe(5);
    expect(await isOpenAt('2026-01-16T06:00:00Z')).toBe(false);
    expect(await room.sweep()).toBe(0);
    expect(await isOpenAt('2026-01-16T08:00:00Z')).toBe(true);
    expect(await room.sweep()).toBe(0);
    expect(await room.counts()).toEqual({ [status.QUEUED]: 5 });
    expect((await room.claim()).messages).toHaveLength(5);
  });

  test('[BATCH-5] With `drop`, a sweep that began before the send hours drops nothing once they have opened', async () => {
    await room.keep({ ...day, batch: 'drop' });
    await room.inLine('2026-01-15T20:00:00Z', { validityMinutes: 24 * 60 });
    room.at('2026-01-16T05:59:59Z');
    const store = new FaultyStore(room.store);
    const letGo = store.holdAnswers('batches.findWaitingBulk', 1);
    const sweeping = room.hours(store).sweep(room.now);
    room.at('2026-01-16T06:00:00Z');
    letGo();
    expect(await sweeping).toBe(0);
    expect(await room.stages()).toEqual(five(waiting));
    expect(await room.counts()).toEqual({ [status.QUEUED]: 5 });
  });

  test('[BATCH-5] Send hours in a time zone unknown to a node hold messages, drop nothing, and hold up no other company', async () => {
    const unknown = { ...day, zone: 'Mars/Base', batch: 'drop' } as const;
    await room.inLine('2026-01-15T12:00:00Z');
    await room.keep(unknown);
    await room.store.write(putMessages, [
      { id: 5, expiresAt: room.now + hourMs },
      { id: 6, companyId: 2, userId: 20, lane: lane.bulk, expiresAt: room.now + hourMs },
    ]);
    expect((await room.claim(4)).messages.map(({ id }) => id)).toEqual([5, 6]);
    await room.sweep();
    expect(await room.stages()).toEqual(five(scheduled));
    room.now += minuteMs;
    const before = room.closed.at(room.now);
    expect(await room.sweep()).toBe(0);
    room.now += minuteMs;
    expect(room.closed.at(room.now)).toBe(before);
    expect(await room.counts()).toEqual({ [status.QUEUED]: 5 });
    expect(room.lines.filter((line) => line.includes('zone'))).toHaveLength(1);
    // Another node may know the zone.
    await room.keep({ ...day, from: '14:00', batch: 'delay' });
    expect(await room.sweep()).toBe(5);
    await room.keep(unknown);
    expect(await room.sweep()).toBe(0);
    expect(await isOpenAt('2026-01-15T13:00:00Z')).toBe(true);
    expect((await room.claim()).messages).toEqual([]);
    await room.keep(day);
    await room.sweep();
    await release();
    expect((await room.claim()).messages).toHaveLength(5);
  });

  test('[BATCH-5] A clock that runs ahead for a moment drops nothing; messages are dropped when the hours really end', async () => {
    await room.keep({ ...day, batch: 'drop' });
    await room.inLine('2026-01-15T12:00:00Z', { validityMinutes: 24 * 60 });
    expect(room.closed.at(room.now)).toEqual([]);
    room.at('2026-01-15T23:00:00Z');
    room.putAheadMs = 11 * hourMs;
    expect((await room.claim(2)).held).toBe(2);
    expect(await room.sweep()).toBe(3);
    expect(await room.stages()).toEqual(five(scheduled));
    room.at('2026-01-15T12:01:00Z');
    room.putAheadMs = 0;
    expect(await room.sweep()).toBe(5);
    await release();
    expect(await room.stages()).toEqual(five(waiting));
    room.at('2026-01-15T20:00:00Z');
    expect(await room.sweep()).toBe(5);
    expect(await room.counts()).toEqual({ [status.DELETED]: 5 });
  });

  test('[BATCH-5] A batch of a company with an unknown time zone waits at code 3 or 2 and does not end', async () => {
    const sendHours = { ...day, zone: 'Mars/Base', batch: 'drop' } as const;
    room.at('2026-01-15T12:00:00Z');
    await putBatch(room.store, { id: 1 });
    await advanceAll(room.store, room.now, 3);
    expect(await batchRow(room.store, 1)).toMatchObject({ code: 2 });
    await room.keep(sendHours);
    await putBatch(room.store, { id: 2 });
    await advanceAll(room.store, room.now);
    const notBefore = room.now + minuteMs;
    expect(await batchRow(room.store, 1)).toMatchObject({ code: 2, not_before: notBefore });
    expect(await batchRow(room.store, 2)).toMatchObject({ code: 3, not_before: notBefore });
    const shown = { code: 3, sendHours: JSON.stringify(sendHours), counts: [] } as const;
    expect(waitsUntil(shown, room.now)).toBeUndefined();
    await room.keep(day);
    await advanceAll(room.store, notBefore);
    for (const id of [1, 2]) expect(await batchRow(room.store, id)).toMatchObject({ code: 0 });
  });

  test('[BATCH-5] [RUN-4] Where no company has send hours, a node looks for held messages only once', async () => {
    await room.keep();
    const store = new FaultyStore(room.store);
    const hours = room.hours(store);
    hours.start();
    await pause(2_200);
    await hours.stop();
    expect(store.calls).toEqual(['batches.listHeld']);
  });

  test('[BATCH-5] A change to one company’s send hours leaves those of another in force', async () => {
    room.at('2026-01-15T20:00:00Z');
    const closed = room.closed.at(room.now);
    expect(closed).toMatchObject([{ companyIds: [1], drops: false }]);
    await room.keep(undefined, 2);
    expect(room.closed.at(room.now)).toBe(closed);
    await room.keep(day, 2);
    expect(room.closed.at(room.now)).toMatchObject([{ companyIds: [1, 2] }]);
  });
});
