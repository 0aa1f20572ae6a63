import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import type { Store } from '../storage/store.ts';
import { readRuns } from './read-runs-store.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;

eachStore('runs that share a number', (engine) => {
  const clock = { time: start, now: () => clock.time };
  let store: Store;
  let room: JobsRoom;

  beforeEach(async () => {
    clock.time = start;
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await store.write(putPool, ['4610001']);
    room = new JobsRoom(store, clock);
  });

  test('[JOB-7] each answer is asked about among the runs that waited when it came, whatever comes with it', async () => {
    await room.start({ id: 1, people: 1 });
    await room.start({ id: 2, people: 1 });
    const [{ from: recipient = '' } = {}] = await room.texts(1);
    const answer = (id: number, receivedAt: number) =>
      store.write(storeIncoming, { id, sender: phoneAt(0), recipient, text: 'Yes', receivedAt });
    clock.time += minuteMs;
    await answer(91, clock.time);
    clock.time += minuteMs;
    await room.start({ id: 3, people: 1 });
    await answer(92, clock.time + 1);
    const { runs } = await store.read(readRuns, [1, 2, 3]);
    const [{ choices = new Map() } = {}] = runs;
    const codesOf = (id: number) => choices.get(id)?.map(({ code }: { code: number }) => code);
    expect([codesOf(91), codesOf(92)]).toEqual([
      [61, 62],
      [61, 62, 63],
    ]);
  });
});
