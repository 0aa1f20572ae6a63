import { beforeAll, beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { clearDelivery, grantQuota } from '../../test/harness/delivery-verbs.ts';
import { markTakenByCarrier } from '../../test/harness/job-verbs.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { callerOf } from '../../test/harness/messaging-room.ts';
import { limitCompany } from '../../test/harness/quota-verbs.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import type { ServiceError } from '../foundation/errors.ts';
import { storedReason } from '../foundation/sentences.ts';
import { listConversations } from '../messages/conversations/conversation.ts';
import { readIncoming } from '../messages/incoming/incoming.ts';
import { storeIncoming } from '../messages/incoming/store.ts';
import { theNode } from '../storage/verb.ts';
import { putAnswerByLink } from './answer-by-link.ts';
import { purgeRuns } from './purge-runs.ts';
import { readRecord } from './record.ts';
import type { Task } from './run/run.ts';
import { listReadyRuns } from './run-store.ts';
import { type Steering, steer } from './steer.ts';

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
    await fresh.store.write(limitCompany, { id: 1 });
    await fresh.store.write(putPool, ['4610001', '4610002', '4610003', '4610004']);
  });

  const ready = () => fresh.store.read(listReadyRuns, { now: clock.now(), limit: 100 });
  async function incoming(): Promise<readonly string[]> {
    const query = { id: undefined, maxnum: 1_000, markasread: true, getoriginal: false, latest: false };
    const { incoming: unread } = await readIncoming(fresh.store, callerOf(10), query);
    return unread.map(({ from, message, conversation }) => `${from} ${conversation} ${message}`);
  }

  async function unreadOf(phone: string): Promise<readonly number[]> {
    const query = { companyId: 1, userId: 10, callerId: 10, unread: false, archived: false, limit: 10 };
    const any = { assigned: undefined, prefix: undefined, phones: [phone], after: undefined };
    const { found } = await fresh.store.read(listConversations, { ...query, ...any });
    return found.map(({ unread }) => unread);
  }

  test('[JOB-3] [JOB-14] [PORT-4] An answer to a run that is gone becomes an unread incoming SMS of the run’s user, and nothing waits for the run', async () => {
    await room.start({ id: 1, people: 2 });
    const recipient = (await room.texts(1)).find(({ place }) => place === 1)?.from ?? '';
    clock.time += 61 * minuteMs;
    await room.proceed(1);
    await room.answer(1, 0, 'Yes');
    await room.proceed(1);
    expect(await unreadOf(phoneAt(0))).toEqual([0]);
    // One answer arrives just before the run is removed, another a while after.
    await room.answer(1, 0, 'Is it too late?');
    clock.time += 30 * dayMs;
    expect(await fresh.store.write(purgeRuns, { before: clock.time - dayMs })).toBe(1);
    expect(await incoming()).toEqual([`${phoneAt(0)} 1 Is it too late?`]);
    expect(await unreadOf(phoneAt(0))).toEqual([1]);
    await fresh.store.write(storeIncoming, {
      id: 77,
      sender: phoneAt(1),
      recipient,
      text: 'Yes',
      receivedAt: clock.time,
    });
    expect(await ready()).toEqual([1]);
    await room.proceed(1);
    expect(await incoming()).toEqual([`${phoneAt(1)} 1 Yes`]);
    expect(await unreadOf(phoneAt(1))).toEqual([1]);
    expect(await ready()).toEqual([]);
  });

  test('[JOB-6] An answer that is stored twice, because the first outcome was unknown, is processed once', async () => {
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

  test('[JOB-6] [SEND-16] The last part of an answer is recognised when it comes again, before and after the answer was processed', async () => {
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

  const entriesOf = (runId: number) =>
    fresh.store.read(readRecord, { runId, owner: theNode() }).then((record) => record?.entries ?? []);
  const level = (name: string, afterMinutes: number) => ({ name, afterMinutes });
  const twoLevels = (goal: number): Task[] => [
    { name: 'role:nurse', goal, levels: [level('first', 0), level('second', 10)], opened: 0, waveAt: null },
  ];
  const oneTask = (goal: number): Task[] => [
    { name: 'role:nurse', goal, levels: [level('first', 0)], opened: 0, waveAt: null },
  ];
  /** The first two people are in the first level, the others in the second. */
  const inLevels = (place: number) => [[0, place < 2 ? 0 : 1]] as const;

  test('[JOB-6] [JOB-12] The time of an answer decides whether it is too late, however many wait and whenever they are processed', async () => {
    const people = 700;
    await room.start({ id: 4, people });
    const from = new Map((await room.texts(4)).map((text) => [text.place, text.from]));
    // All answers queue while no node runs; the last two arrived after the end.
    await Promise.all(
      [...from].map(([place, recipient]) =>
        fresh.store.write(storeIncoming, {
          id: 10_000 + place,
          sender: phoneAt(place),
          recipient,
          text: 'Yes',
          receivedAt: start + (place < people - 2 ? 1_000 + place : 60 * minuteMs + place),
        }),
      ),
    );
    clock.time += 90 * minuteMs;
    await room.settle(4);
    const { run, people: after } = await room.read(4);
    expect(run).toMatchObject({ phase: 'ended', outcome: 'EXPIRED' });
    expect(after.filter(({ task }) => task === null).map(({ place }) => place)).toEqual([698, 699]);
    expect(after.filter(({ late }) => late).map(({ place }) => place)).toEqual([698, 699]);
    expect(await room.textsTo(4, 699)).toEqual([
      'Can you come?',
      'Night: thank you, but it is too late: this request has ended.',
    ]);
  });

  test('[JOB-6] A run that processes as many answers as one step can, with none left waiting, finishes at once', async () => {
    const people = 500;
    await room.start({ id: 14, people });
    const from = new Map((await room.texts(14)).map((text) => [text.place, text.from]));
    await Promise.all(
      [...from].map(([place, recipient]) =>
        fresh.store.write(storeIncoming, {
          id: 20_000 + place,
          sender: phoneAt(place),
          recipient,
          text: 'No',
          receivedAt: start + place,
        }),
      ),
    );
    clock.time += minuteMs;
    await room.settle(14);
    expect((await room.read(14)).run).toMatchObject({ phase: 'finished', outcome: 'ALL_ANSWERED' });
  });

  test('[JOB-6] When more answers wait than a step processes, the earliest get the places, by SMS and by link', async () => {
    const people = 520;
    await room.start({ id: 16, people, tasks: oneTask(2), settings: { reserve: 0 } });
    const from = (await room.texts(16)).find(({ place }) => place === 1)?.from ?? '';
    const byLink = (place: number, meaning: 'yes' | 'no', at: number) =>
      fresh.store.write(putAnswerByLink, { runId: 16, place, meaning, at, mark: `${at}` });
    for (let place = 2; place < people; place += 1)
      await byLink(place, place === 99 ? 'yes' : 'no', start + 10_000 - place);
    await byLink(100, 'yes', start + 15_000);
    const sms = { id: 30_001, sender: phoneAt(1), recipient: from, text: 'Yes', receivedAt: start + 20_000 };
    await fresh.store.write(storeIncoming, sms);
    clock.time += minuteMs;
    await room.settle(16);
    const held = (await room.read(16)).people.flatMap(({ place, task }) => (task === null ? [] : [place]));
    expect(held).toEqual([99, 100]);
    expect((await room.textsTo(16, 1)).at(-1)).toContain('all places are filled');
  });

  test('[JOB-12] Questions beyond the limit of a minute are sent in the next minute, and nobody counts as not reached', async () => {
    await room.start({ id: 5, people: 5, tasks: twoLevels(2), candidacies: inLevels });
    await fresh.store.write(limitCompany, { id: 1, perMinute: 2 });
    clock.time += 10 * minuteMs;
    await room.answer(5, 0, 'Yes');
    await room.settle(5);
    // The person who answered is notified at once; the limit decides how many of the next level are asked.
    expect(await room.textsTo(5, 0)).toHaveLength(2);
    expect((await room.read(5)).people.map(({ state }) => state)).toEqual([
      ...['yes', 'asked', 'asked', 'waiting', 'waiting'],
    ]);
    clock.time += minuteMs;
    await room.settle(5);
    expect((await room.read(5)).people.map(({ state }) => state)).toEqual([
      ...['yes', 'asked', 'asked', 'asked', 'asked'],
    ]);
    const notSent = (await entriesOf(5)).filter(({ kind }) => kind === 'notSent');
    expect(notSent).toMatchObject([
      {
        people: [3, 4],
        why: storedReason({
          sentence: 'tried_again',
          why: storedReason({ sentence: 'for_codes', codes: 'too_many_parts' }),
        }),
      },
    ]);
    expect((await room.read(5)).run.heldUntil).toBeUndefined();
  });

  test('[JOB-1] If the quota covers half of a level, half of it is asked, and the others once there is more quota', async () => {
    await room.start({ id: 6, people: 6, tasks: twoLevels(2), candidacies: inLevels });
    await fresh.store.write(grantQuota, { 'user 10': 4 });
    clock.time += 10 * minuteMs;
    await room.settle(6);
    expect((await room.read(6)).people.map(({ state }) => state)).toEqual([
      ...['asked', 'asked', 'asked', 'asked', 'waiting', 'waiting'],
    ]);
    await room.answer(6, 0, 'Yes');
    await room.settle(6);
    // His place is reserved, and he is told as soon as that can be sent.
    expect((await room.read(6)).people[0]).toMatchObject({ task: 0 });
    expect(await room.textsTo(6, 0)).toHaveLength(1);
    await fresh.store.write(grantQuota, { 'user 10': 100 });
    clock.time += 2 * minuteMs;
    await room.settle(6);
    expect((await room.read(6)).people.map(({ state }) => state)).toEqual([
      ...['yes', 'asked', 'asked', 'asked', 'asked', 'asked'],
    ]);
    expect((await room.textsTo(6, 0))[1]).toContain('you are on');
  });

  test('[JOB-12] While a limit holds a level back, answers are confirmed at once, and the level is retried on time or when the owner asks', async () => {
    await room.start({ id: 15, people: 6, tasks: twoLevels(2), candidacies: inLevels });
    await fresh.store.write(limitCompany, { id: 1, perMinute: 1 });
    clock.time += 10 * minuteMs;
    await room.settle(15);
    const states = async () => (await room.read(15)).people.slice(2).map(({ state }) => state);
    const { heldUntil } = (await room.read(15)).run;
    expect(await states()).toEqual(['asked', 'waiting', 'waiting', 'waiting']);
    // There would be room for one or two people of the level.
    await fresh.store.write(limitCompany, { id: 1, perMinute: 2 });
    await room.answer(15, 0, 'Yes');
    await room.settle(15);
    expect((await room.textsTo(15, 0)).at(-1)).toContain('you are on');
    await fresh.store.write(limitCompany, { id: 1, perMinute: 3 });
    await room.answer(15, 1, 'No');
    await room.settle(15);
    expect((await room.read(15)).run.heldUntil).toBe(heldUntil);
    expect(await states()).toEqual(['asked', 'waiting', 'waiting', 'waiting']);
    await steer(
      fresh.store,
      clock,
      { runId: 15, owner: theNode(), by: byUser({ username: 'bob', session: undefined }) },
      { kind: 'escalate' },
    );
    await room.settle(15);
    expect(await states()).toEqual(['asked', 'asked', 'waiting', 'waiting']);
    clock.time += minuteMs;
    await room.settle(15);
    expect(await states()).toEqual(['asked', 'asked', 'asked', 'asked']);
  });

  test('[JOB-8] An action that is impossible for a run is refused with an explanation', async () => {
    await room.start({ id: 8, people: 1 });
    const refused = (runId: number, act: Steering) =>
      steer(
        fresh.store,
        clock,
        { runId, owner: theNode(), by: byUser({ username: 'bob', session: undefined }) },
        act,
      ).then(
        () => undefined,
        (error: ServiceError) => `${error.code} ${error.message}`,
      );
    expect(await refused(8, { kind: 'tell', to: 'all', text: 'x'.repeat(50_000) })).toMatch(
      /^text_too_long /,
    );
    expect(await refused(8, { kind: 'tell', to: 'all', text: ' ' })).toMatch(/^no_text /);
    clock.time += 60 * minuteMs;
    expect(await refused(8, { kind: 'extend', minutes: 5 })).toMatch(/^run_ended .* has ended/);
    await room.start({ id: 9, people: 1, startsIn: 5 });
    expect(await refused(9, { kind: 'escalate' })).toMatch(/has not started yet/);
    expect(await refused(9, { kind: 'cancel' })).toBeUndefined();
    await room.settle(9);
    expect((await room.read(9)).run).toMatchObject({ phase: 'ended', outcome: 'CANCELED' });
    expect(await room.texts(9)).toEqual([]);
  });

  test('[JOB-12] A person whose second question was withdrawn like the first is not told that nobody else is needed', async () => {
    await room.start({ id: 10, people: 2, tasks: oneTask(1), settings: { reserve: 0 } });
    await fresh.store.write(markTakenByCarrier, (await room.texts(10))[0]?.id ?? 0);
    // The second person's question never reaches a carrier: it is withdrawn, asked again, and withdrawn again.
    for (const text of ['Yes', 'No', 'Yes']) {
      await room.answer(10, 0, text);
      await room.settle(10);
    }
    expect(await room.textsTo(10, 1)).toEqual(['Can you come?', 'Can you come?']);
    expect((await room.read(10)).people[1]).toMatchObject({ state: 'waiting', unneeded: false });
  });

  test('[JOB-11] A person whose number cannot be sent to counts as not reached, and the next level is asked at once', async () => {
    const phones = { 0: '4915112345678' };
    await room.start({ id: 12, people: 3, phones, tasks: twoLevels(2), candidacies: inLevels });
    expect((await room.read(12)).people.map(({ state }) => state)).toEqual(['unreachable', 'asked', 'asked']);
    const unreached = (await entriesOf(12)).filter(({ kind }) => kind === 'unreached');
    expect(unreached).toMatchObject([
      { people: [0], why: storedReason({ sentence: 'for_codes', codes: 'no_route' }) },
    ]);
  });

  test('[JOB-3] [PORT-4] [RUN-2] A comment is counted as unread once, though two nodes take it at once, and though it is stored again after that', async () => {
    // The conversations and runs of the tests before are still there.
    const [run, place] = [90, 20];
    await room.start({ id: run, people: place + 1 });
    const question = (await room.texts(run)).find((one) => one.place === place);
    const comment = { id: 78, sender: phoneAt(place), recipient: question?.from ?? '', text: 'How long?' };
    const store = () => fresh.store.write(storeIncoming, { ...comment, receivedAt: clock.now() });
    await store();
    // Stored, but not taken by the run yet.
    expect(await unreadOf(phoneAt(place))).toEqual([0]);
    await Promise.all([room.proceed(run), room.proceed(run)]);
    await store();
    await room.proceed(run);
    expect(await unreadOf(phoneAt(place))).toEqual([1]);
    expect(await incoming()).toEqual([`${phoneAt(place)} ${run} How long?`]);
  });
});
