import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { putRuns } from '../../../test/harness/job-verbs.ts';
import { JobsRoom } from '../../../test/harness/jobs-room.ts';
import { putPool } from '../../../test/harness/lease-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { byUser } from '../../audit/audit-log.ts';
import type { Store } from '../../storage/store.ts';
import { theNode } from '../../storage/verb.ts';
import type { Phase, Task } from '../run/run.ts';
import { steer } from '../steer.ts';
import { concernsRuns, listPeopleOfRun, listScheduledRuns, listVisibleRuns } from './runs.ts';

eachStore('runs that wait for their start', (engine) => {
  test('[JOB-3] [PORT-4] The scheduled runs of a user are listed, however many others are due before them', async () => {
    const { store } = await engine.openFreshStore();
    const others = Array.from({ length: 300 }, (_, index) => ({
      id: 1 + index,
      userId: index < 150 ? 10 : 11,
      phase: index < 150 ? 'open' : 'scheduled',
      dueAt: 1_000 + index,
    }));
    await store.write(putRuns, [...others, { id: 301, userId: 10, phase: 'scheduled', dueAt: 9_000 }]);
    const idsOf = async (userId: number | null) =>
      (await store.read(listScheduledRuns, { companyId: 1, userId, limit: 200 })).map(({ id }) => id);
    expect(await idsOf(10)).toEqual([301]);
    expect(await idsOf(null)).toHaveLength(151);
  });
});

eachStore('runs in lists', (engine) => {
  const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
  let store: Store;
  let room: JobsRoom;

  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await store.write(putPool, ['4610001', '4610002', '4610003']);
    room = new JobsRoom(store, clock);
  });

  const tasks: readonly Task[] = [
    {
      name: 'nurse',
      goal: 1,
      levels: [
        { name: 'near', afterMinutes: 0 },
        { name: 'far', afterMinutes: 30 },
      ],
      opened: 0,
      waveAt: null,
    },
  ];
  const listed = async (
    among: readonly Phase[] | null,
    savedJob: number | null,
    before = 1_000,
    limit = 9,
  ) => {
    const query = { visible: { companyId: 1, userId: null }, among, savedJob, before, limit };
    return (await store.read(listVisibleRuns, query)).map(({ run }) => run.id);
  };

  test('[JOB-8] [PORT-9] Runs are listed by their phases and their saved job, page by page, the latest first', async () => {
    for (const id of [1, 2, 3]) await room.start({ id, people: 1 });
    await room.start({ id: 4, people: 1, startsIn: 5 });
    await room.answer(2, 0, 'No');
    await room.settle(2);
    expect(await listed(null, null)).toEqual([4, 3, 2, 1]);
    expect(await listed(['open'], null)).toEqual([3, 1]);
    expect(await listed(['scheduled', 'finished'], null)).toEqual([4, 2]);
    expect(await listed(['scheduled', 'finished'], null, 4)).toEqual([2]);
    expect(await listed(['open', 'finished', 'ended'], 71, 1_000, 2)).toEqual([3, 2]);
    expect(await listed(null, 71, 3)).toEqual([2, 1]);
    expect(await listed(null, 72)).toEqual([]);
  });

  test('[JOB-8] [PORT-9] Each run in a list has its people by state, its places, and whether it lacks people', async () => {
    await room.start({ id: 1, people: 3, tasks, candidacies: (place) => [[0, place === 2 ? 1 : 0]] });
    const tally = async () => {
      const query = { visible: { companyId: 1, userId: null }, among: null, savedJob: null };
      return (await store.read(listVisibleRuns, { ...query, before: 9, limit: 1 }))[0]?.tally;
    };
    expect(await tally()).toMatchObject({
      people: { waiting: 1, asked: 2, yes: 0 },
      held: [0],
      short: false,
      nextLevelAt: clock.time + 30 * 60_000,
      nextLevelPeople: 1,
      canAsk: 1,
    });
    await room.answer(1, 0, 'Yes');
    await room.settle(1);
    // The other question had not left yet, and was withdrawn.
    expect(await tally()).toMatchObject({ people: { waiting: 2, asked: 0, yes: 1 }, held: [1], canAsk: 0 });
  });

  test('[JOB-8] [JOB-10] The people of a run are listed by state, with their last answer and the SMS that asked them', async () => {
    await room.start({ id: 1, people: 5 });
    await room.answer(1, 0, 'Yes!');
    await room.answer(1, 1, `What time? ${'x'.repeat(600)}`);
    await room.answer(1, 2, 'No');
    await room.answer(1, 3, 'Yes');
    await room.settle(1);
    clock.time += 1_000;
    await room.answer(1, 3, '?');
    await room.answer(1, 4, 'Maybe');
    await room.settle(1);
    const query = { runId: 1, companyId: 1, among: null, isUnclear: false, after: -1, limit: 9 };
    const all = await store.read(listPeopleOfRun, query);
    const questions = (await room.texts(1)).filter(({ text }) => text === 'Can you come?');
    expect(all.map(({ messageId, status }) => [messageId, status])).toEqual(
      questions.map(({ id }) => [id, 'QUEUED']),
    );
    const shown = all.map(({ person: { state, answer } }) => [
      state,
      answer?.meaning,
      answer?.text?.slice(0, 10),
    ]);
    expect(shown).toEqual([
      ['yes', 'yes', 'Yes!'],
      ['asked', 'comment', 'What time?'],
      ['no', 'no', 'No'],
      // Asking where one stands is no answer.
      ['yes', 'yes', 'Yes'],
      ['asked', 'comment', 'Maybe'],
    ]);
    expect(all[1]?.person.answer?.text).toHaveLength(500);
    expect([all[3], all[4]].map((one) => one?.person.answer?.at)).toEqual([clock.time - 1_000, clock.time]);
    const placesOf = async (values: Partial<Parameters<(typeof listPeopleOfRun)['run']>[1]>) =>
      (await store.read(listPeopleOfRun, { ...query, ...values })).map(({ person }) => person.place);
    expect(await placesOf({ among: ['yes', 'no'] })).toEqual([0, 2, 3]);
    expect(await placesOf({ among: ['yes', 'no'], after: 0, limit: 1 })).toEqual([2]);
    expect(await placesOf({ isUnclear: true })).toEqual([1, 4]);
    expect(await placesOf({ isUnclear: true, after: 1 })).toEqual([4]);
    expect(await placesOf({ isUnclear: true, among: ['yes'] })).toEqual([]);
    // Once the owner has counted the comment, it is clear.
    const by = byUser({ username: 'bob', session: undefined });
    const whom = { contactId: '1' };
    const accept = { kind: 'accept', whom, countsComment: true } as const;
    await steer(store, clock, { runId: 1, owner: theNode(), by }, accept);
    await room.settle(1);
    expect(await placesOf({ isUnclear: true })).toEqual([4]);
    const [, counted] = await store.read(listPeopleOfRun, query);
    expect(counted?.person).toMatchObject({ state: 'yes', answer: { meaning: 'yes' } });
    expect(counted?.person.answer?.text).toMatch(/^What time/);
  });

  test('[JOB-8] [PORT-4] A message concerns runs if it is a question of a run that goes on', async () => {
    const ask = (messageIds: readonly number[], companyId = 1) =>
      store.read(concernsRuns, { companyId, messageIds });
    expect(await ask([1])).toBe(false);
    await room.start({ id: 1, people: 2 });
    const ids = (await room.texts(1)).map(({ id }) => id);
    expect(await ask([999_999, ...ids])).toBe(true);
    expect(await ask([999_999])).toBe(false);
    expect(await ask(ids, 2)).toBe(false);
  });
});
