import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { JobsRoom, phoneAt } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { callerOf } from '../../test/harness/messaging-room.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import type { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { theCaller } from '../storage/verb.ts';
import { keepAdvanced } from './proceed.ts';
import { readRecord } from './record.ts';
import { type Steering, steer } from './steer.ts';

const minuteMs = 60_000;

eachStore('acts of the owners of runs', (engine) => {
  const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
  let store: Store;
  let room: JobsRoom;

  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await store.write(putPool, ['4610001', '4610002']);
    room = new JobsRoom(store, clock);
  });

  const act = (steering: Steering, idempotencyKey?: string, username = 'ada') => {
    const by = byUser({ username, session: undefined });
    return steer(store, clock, { runId: 1, owner: theCaller(callerOf(10)), by, idempotencyKey }, steering);
  };
  const refused = (steering: Steering, key?: string) =>
    act(steering, key).then(
      () => undefined,
      ({ code, message }: ServiceError) => `${code}: ${message}`,
    );
  const entriesOf = async (kind: string) => {
    const record = await store.read(readRecord, { runId: 1, owner: theCaller(callerOf(10)) });
    return record?.entries.filter((entry) => entry.kind === kind) ?? [];
  };

  test('[JOB-8] [SEND-14] An act that is repeated with its key is done once, even after the run has ended', async () => {
    await room.start({ id: 1, people: 1 });
    const { expiryAt } = (await room.read(1)).run;
    const extend = { kind: 'extend', minutes: 30 } as const;
    await Promise.all([act(extend, 'one'), act(extend, 'one')]);
    await act(extend, 'one');
    await room.settle(1);
    expect((await room.read(1)).run.expiryAt).toBe((expiryAt as number) + 30 * minuteMs);
    expect(await refused({ kind: 'extend', minutes: 31 }, 'one')).toMatch(/^idempotency_mismatch: /);
    expect(await refused({ kind: 'escalate' }, 'one')).toMatch(/^idempotency_mismatch: /);
    await act({ kind: 'cancel' }, 'end');
    await room.settle(1);
    expect(await refused(extend, 'one')).toBeUndefined();
    expect(await refused({ kind: 'cancel' }, 'end')).toBeUndefined();
    expect(await refused(extend, 'two')).toBe('run_ended: Run 1 has ended (CANCELED).');
    // A refused act leaves its key free.
    expect(await refused({ kind: 'escalate' }, 'two')).toBe('run_ended: Run 1 has ended (CANCELED).');
    expect(await entriesOf('act')).toHaveLength(1);
  });

  test('[JOB-8] When two owners steer one run, both acts are done in their order, and nothing is done after an end', async () => {
    await room.start({ id: 1, people: 2 });
    await Promise.all([
      act({ kind: 'tell', to: { phone: phoneAt(0) }, text: 'Bring boots' }, undefined, 'ada'),
      act({ kind: 'accept', whom: { phone: phoneAt(1) }, countsComment: false }, undefined, 'bob'),
    ]);
    await room.settle(1);
    expect((await entriesOf('act')).map(({ by }) => by).sort()).toEqual(['ada', 'bob']);
    expect((await room.read(1)).people[1]?.state).toBe('yes');
    await act({ kind: 'cancel' });
    // The run has not processed the end yet.
    expect((await room.read(1)).run.phase).toBe('open');
    for (const late of [{ kind: 'cancel' }, { kind: 'escalate' }] as const)
      expect(await refused(late)).toBe('run_ended: Run 1 has ended (CANCELED).');
    await room.settle(1);
    expect((await room.read(1)).run).toMatchObject({ phase: 'ended', outcome: 'CANCELED' });
  });

  test('[JOB-8] A step that was computed before an act is not stored after it, so no run ends past an act that was taken', async () => {
    await room.start({ id: 1, people: 1 });
    const before = await room.read(1);
    await act({ kind: 'extend', minutes: 60 });
    const { time } = clock;
    clock.time = before.run.expiryAt as number;
    const stale = await keepAdvanced(room.sending, before, callerOf(10));
    expect(stale.kind).toBe('moved');
    await room.settle(1);
    expect((await room.read(1)).run).toMatchObject({
      phase: 'open',
      expiryAt: (before.run.expiryAt as number) + 60 * minuteMs,
    });
    clock.time = time;
  });

  test('[JOB-8] A text to one person goes to nobody else, from the number of the run, and stands in its record', async () => {
    await room.start({ id: 1, people: 3 });
    await act({ kind: 'tell', to: { phone: phoneAt(1) }, text: 'Call me' });
    await room.settle(1);
    const told = (await room.texts(1)).filter(({ text }) => text === 'Call me');
    const [question] = (await room.texts(1)).filter(({ place }) => place === 1);
    expect(told).toMatchObject([{ place: 1, from: question?.from }]);
    expect(await entriesOf('tell')).toMatchObject([{ by: 'ada', people: [1], text: 'Call me' }]);
    const stranger = { phone: '46701999999' };
    expect(await refused({ kind: 'tell', to: stranger, text: 'Hi' })).toBe(
      'not_found: 46701999999 is not one of the people of run 1.',
    );
  });

  test('[JOB-8] [JOB-9] An owner answers for a person without a phone, who is known by the contact', async () => {
    await room.start({ id: 1, people: 2, emails: { 1: 'p1@care.example' } });
    expect((await room.read(1)).people[1]).toMatchObject({ phone: null, state: 'unreachable' });
    await act({ kind: 'accept', whom: { contactId: '1' }, countsComment: false });
    await room.settle(1);
    const [, person] = (await room.read(1)).people;
    expect(person).toMatchObject({ state: 'yes', task: 0, answer: { at: clock.time, meaning: 'yes' } });
    expect(person?.answer?.text).toBeUndefined();
    expect(await refused({ kind: 'decline', whom: { contactId: '77' }, countsComment: false })).toMatch(
      /^not_found: 77 is not one of the people/,
    );
    expect(await refused({ kind: 'accept', whom: { contactId: '1' }, countsComment: true })).toMatch(
      /^not_found: 1 has not commented/,
    );
  });

  test('[JOB-7] [JOB-8] An owner counts an answer that may be meant for several runs, as the board offers', async () => {
    // With two numbers, one of them is shared by two of the runs.
    for (const id of [1, 2, 3]) await room.start({ id, people: 1 });
    const from = async (id: number) => (await room.texts(id))[0]?.from;
    const shared = await from(3);
    const other = (await from(1)) === shared ? 1 : 2;
    await room.answer(3, 0, 'Yes');
    for (const id of [1, 2, 3]) await room.settle(id);
    const asked = (await room.read(3)).people[0]?.answer === undefined ? other : 3;
    expect((await room.read(asked)).people[0]).toMatchObject({
      state: 'asked',
      answer: { meaning: 'comment', text: 'Yes' },
    });
    const steered = { runId: asked, owner: theCaller(callerOf(10)), by: byUser(callerOf(10)) };
    await steer(store, clock, steered, {
      kind: 'accept',
      whom: { phone: phoneAt(0) },
      countsComment: true,
    });
    await room.settle(asked);
    expect((await room.read(asked)).people[0]).toMatchObject({
      state: 'yes',
      answer: { meaning: 'yes', text: 'Yes' },
    });
  });
});
