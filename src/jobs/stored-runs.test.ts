import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import type { Store } from '../storage/store.ts';
import { companyTypes } from './company-type.ts';
import { readRuns } from './stored-runs.ts';

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

  test('[JOB-7] Each answer is matched against the runs that waited when it arrived, whatever arrives with it', async () => {
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

  test('[JOB-2] A scheduled run has the settings that its type has by then, unless that type now asks in the other way', async () => {
    const by = { companyId: 1, scopeId: 1, username: 'first', session: undefined, now: start };
    const key = 'Some';
    const given = { generic: 'GMM', reserve: 3 } as const;
    await store.write(companyTypes.create, { ...by, name: key, values: {}, more: given });
    await room.start({ id: 1, people: 1, startsIn: 5 });
    const settings = async () => (await room.read(1)).run.settings;
    expect(await settings()).toMatchObject(given);
    const change = { ...by, key, ifMatch: undefined, rename: undefined, values: {} };
    await store.write(companyTypes.change, { ...change, more: { generic: 'GMA', reserve: 4 } });
    expect(await settings()).toMatchObject({ generic: 'GMM' });
  });

  test('[JOB-7] [JOB-10] STOP is a NO to all runs that wait on the number, and one of these runs replies to it', async () => {
    for (const id of [1, 2, 3]) await room.start({ id, people: 2 });
    await room.answer(3, 0, 'STOP');
    for (const id of [3, 1, 2]) await room.settle(id);
    const results: unknown[] = [];
    for (const id of [1, 2, 3]) {
      const { people } = await room.read(id);
      const answers = (await room.textsTo(id, 0)).filter((text) => text.includes('will not count on you'));
      results.push([people.map(({ state }) => state), answers.length]);
    }
    expect(results.map((one) => JSON.stringify(one)).sort()).toEqual([
      '[["no","asked"],0]',
      '[["no","asked"],0]',
      '[["no","asked"],1]',
    ]);
  });

  test('[JOB-7] An answer that waits for its run code goes on waiting when an earlier SMS is stored again', async () => {
    for (const id of [1, 2]) await room.start({ id, people: 1 });
    const [{ from: recipient = '' } = {}] = await room.texts(1);
    const sms = (id: number, text: string) =>
      store.write(storeIncoming, { id, sender: phoneAt(0), recipient, text, receivedAt: clock.time });
    const settle = async () => {
      for (const id of [1, 2]) await room.settle(id);
    };
    await sms(91, 'Yes');
    await settle();
    await sms(92, '61');
    await settle();
    await sms(93, 'No');
    await settle();
    await sms(92, '61');
    await sms(94, '62');
    await settle();
    const states = await Promise.all([1, 2].map(async (id) => (await room.read(id)).people[0]?.state));
    expect(states).toEqual(['yes', 'no']);
  });
});
