import { beforeAll, beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { clearDelivery } from '../../test/harness/delivery-verbs.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { callerOf } from '../../test/harness/messaging-room.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { readIncoming } from '../messages/incoming/incoming.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import { purgeOldRuns } from './purge-runs.ts';
import { listReadyRuns } from './run-store.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

eachStore('runs of saved jobs in the store', (engine) => {
  let fresh: FreshStore;
  let room: JobsRoom;
  const clock = { time: start, now: () => clock.time };

  beforeAll(async () => {
    fresh = await engine.openFreshStore();
    await fillStore(fresh.store);
    room = new JobsRoom(fresh.store, clock);
  });
  beforeEach(async () => {
    clock.time = start;
    await fresh.store.write(clearDelivery, null);
    await fresh.store.write(putPool, ['4610001', '4610002', '4610003', '4610004']);
  });

  const ready = () => fresh.store.read(listReadyRuns, { now: clock.now(), limit: 100 });
  async function incoming(): Promise<readonly string[]> {
    const query = { id: undefined, maxnum: 1_000, markasread: true, getoriginal: false, latest: false };
    const { incoming: unread } = await readIncoming(fresh.store, callerOf(10), query);
    return unread.map(({ from, message, conversation }) => `${from} ${conversation} ${message}`);
  }

  test('[JOB-3] [JOB-14] what is answered to a run that is gone is an SMS to its user, and nothing waits for the run', async () => {
    await room.start({ id: 1, people: 2 });
    const recipient = (await room.texts(1)).find(({ place }) => place === 1)?.from ?? '';
    clock.time += 61 * minuteMs;
    await room.proceed(1);
    await room.answer(1, 0, 'Yes');
    await room.proceed(1);
    // One comes just before the run is removed, another a while after.
    await room.answer(1, 0, 'Is it too late?');
    clock.time += 30 * dayMs;
    expect(await purgeOldRuns(fresh.store, { before: clock.time - dayMs }, () => false)).toBe(1);
    expect(await incoming()).toEqual([`${phoneAt(0)} 1 Is it too late?`]);
    await fresh.store.write(storeIncoming, {
      ...{ id: 77, sender: phoneAt(1), recipient, text: 'Yes', receivedAt: clock.time },
    });
    expect(await ready()).toEqual([1]);
    await room.proceed(1);
    expect(await incoming()).toEqual([`${phoneAt(1)} 1 Yes`]);
    expect(await ready()).toEqual([]);
  });

  test('[JOB-6] an answer that is stored twice, since nobody knew whether it was, is taken in once', async () => {
    await room.start({ id: 2, people: 2 });
    const [question] = await room.texts(2);
    const sms = {
      id: 88,
      sender: phoneAt(0),
      recipient: question?.from ?? '',
      text: 'Yes',
      receivedAt: start,
    };
    await fresh.store.write(storeIncoming, sms);
    await room.proceed(2);
    await fresh.store.write(storeIncoming, sms);
    expect(await ready()).toEqual([]);
    await room.proceed(2);
    expect(await room.textsTo(2, 0)).toEqual(['Can you come?', 'Night: thank you, you are on.']);
    expect((await room.read(2)).people[0]).toMatchObject({ replies: 1, state: 'yes' });
  });

  test('[JOB-6] [SEND-16] the last part of an answer that comes once more is known, before and after it was taken in', async () => {
    await room.start({ id: 3, people: 1 });
    expect(await room.answer(3, 0, 'Yes, gla', { part: 1, parts: 2 })).toBe(false);
    const last = { part: 2, parts: 2 };
    expect(await room.answer(3, 0, 'dly', last)).toBe(true);
    expect(await room.answer(3, 0, 'dly', last)).toBe(true);
    await room.proceed(3);
    expect(await room.answer(3, 0, 'dly', last)).toBe(true);
    expect(await ready()).toEqual([]);
    expect((await room.read(3)).people[0]).toMatchObject({ replies: 1, state: 'yes' });
  });
});
