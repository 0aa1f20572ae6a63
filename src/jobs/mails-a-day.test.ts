import { beforeEach, expect, test } from 'vitest';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { mailsOfRun } from '../../test/harness/job-verbs.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { listOutgoing } from '../../test/harness/outbox-verbs.ts';
import { limitCompany } from '../../test/harness/quota-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import { storedReason } from '../foundation/sentences.ts';
import type { Store } from '../storage/store.ts';
import { theNode } from '../storage/verb.ts';
import { answerLinkSecret } from './job-mail.ts';
import type { JobTypeSettings } from './job-type.ts';
import { readMailsLeft } from './mails-store.ts';
import { steer } from './steer.ts';

const noon = Date.parse('2026-06-15T12:00:00Z');
const dayMs = 24 * 60 * 60_000;

eachStore('e-mails of jobs in a day', (engine) => {
  const secret = answerLinkSecret('a secret of the tests, long enough to be one');
  const clock = { time: noon, now: () => clock.time };
  let store: Store;
  let room: JobsRoom;

  beforeEach(async () => {
    clock.time = noon;
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    await store.write(putPool, ['4610001']);
    const mail = { baseUrl: 'https://sms.example', domain: 'sms.example', secret };
    room = new JobsRoom(store, clock, { mail });
  });

  async function ask(run: number, people: number, settings: Partial<JobTypeSettings> = {}): Promise<void> {
    const emails = Array.from({ length: people }, (_, place) => `p${place}@care.example`);
    await room.start({ id: run, people, emails: { ...emails }, settings });
    await room.settle(run);
  }

  const queued = async () => (await store.read(listOutgoing, null)).map(({ message_id }) => message_id);
  const statesOf = async (run: number) => (await room.read(run)).people.map(({ state }) => state);
  const left = () => store.read(readMailsLeft, { companyId: 1, now: clock.time });
  const refusal = (limit: number) => storedReason({ sentence: 'mails_of_day', limit });

  test('[JOB-9] [CONV-15] A company sends job e-mails up to its daily limit; the people beyond that limit count as not reached, with the reason', async () => {
    await store.write(limitCompany, { id: 1, mailsPerDay: 3 });
    expect(await left()).toBe(3);
    await ask(1, 2);
    expect(await statesOf(1)).toEqual(['asked', 'asked']);
    expect(await left()).toBe(1);
    await ask(2, 3);
    expect([await left(), (await queued()).length]).toEqual([0, 3]);
    expect(await statesOf(2)).toEqual(['asked', 'unreachable', 'unreachable']);
    expect(await store.read(mailsOfRun, 2)).toMatchObject([
      { state: 'waiting', reason: null },
      { state: 'failed', reason: refusal(3) },
      { state: 'failed', reason: refusal(3) },
    ]);
    expect((await room.read(2)).run.phase).toBe('open');
  });

  test('[JOB-9] [CONV-15] Each day has its own limit of job e-mails, even if another node’s clock was ahead', async () => {
    await store.write(limitCompany, { id: 1, mailsPerDay: 2 });
    await ask(1, 2);
    clock.time += dayMs;
    expect(await left()).toBe(2);
    await ask(2, 1);
    expect(await queued()).toHaveLength(3);
    // The day that has already begun continues.
    clock.time -= dayMs;
    expect(await left()).toBe(1);
    await ask(3, 2);
    expect(await statesOf(3)).toEqual(['asked', 'unreachable']);
    clock.time += 2 * dayMs;
    await ask(4, 2);
    expect(await statesOf(4)).toEqual(['asked', 'asked']);
    // The days counted are now in the future, for whatever reason.
    clock.time -= 2 * dayMs;
    await ask(5, 2);
    expect(await statesOf(5)).toEqual(['asked', 'asked']);
  });

  test('[JOB-9] [CONV-15] A raised mail limit takes effect at once: refused e-mails use up none of the limit', async () => {
    await store.write(limitCompany, { id: 1, mailsPerDay: 1 });
    await ask(1, 4);
    expect(await queued()).toHaveLength(1);
    await store.write(limitCompany, { id: 1, mailsPerDay: 3 });
    await ask(2, 3);
    expect(await statesOf(2)).toEqual(['asked', 'asked', 'unreachable']);
  });

  test('[JOB-9] [CONV-15] A reminder that is refused leaves its person asked, and is recorded as failed', async () => {
    await store.write(limitCompany, { id: 1, mailsPerDay: 3 });
    await ask(1, 2, { reminderMinutes: 5 });
    clock.time += 6 * 60_000;
    await room.settle(1);
    expect(await statesOf(1)).toEqual(['asked', 'asked']);
    expect(await queued()).toHaveLength(3);
    expect((await store.read(mailsOfRun, 1)).map(({ state }) => state).sort()).toEqual([
      ...['failed', 'waiting', 'waiting', 'waiting'],
    ]);
  });

  test('[JOB-9] [CONV-15] A company without its own mail limit may send as many job e-mails a day as SMS parts', async () => {
    await store.write(limitCompany, { id: 1, perDay: 1 });
    await ask(1, 2);
    expect(await statesOf(1)).toEqual(['asked', 'unreachable']);
    expect((await store.read(mailsOfRun, 1))[1]).toMatchObject({ reason: refusal(1) });
    await store.write(limitCompany, { id: 1, perMinute: 1 });
    await ask(2, 3);
    expect(await statesOf(2)).toEqual(['asked', 'asked', 'asked']);
    await store.write(limitCompany, { id: 1 });
    expect(await left()).toBeNull();
    await ask(3, 4);
    expect(await queued()).toHaveLength(8);
  });

  test('[JOB-9] [CONV-15] A company with an SMS quota and no daily limit sends at most as many job e-mails a day as the quota has parts', async () => {
    await store.write(limitCompany, { id: 1, quotaParts: 2 });
    expect(await left()).toBe(2);
    await ask(1, 3);
    expect(await statesOf(1)).toEqual(['asked', 'asked', 'unreachable']);
    expect((await store.read(mailsOfRun, 1))[2]).toMatchObject({ reason: refusal(2) });
    await store.write(limitCompany, { id: 1, quotaParts: 1_000, perDay: 3 });
    expect(await left()).toBe(1);
    await store.write(limitCompany, { id: 1, quotaParts: 4, perMinute: 600 });
    expect(await left()).toBe(2);
    await store.write(limitCompany, { id: 1, quotaParts: 1, mailsPerDay: 7 });
    expect(await left()).toBe(5);
  });

  test('[JOB-9] [CONV-15] A message from the owner goes by mail to as many people as the daily mail limit still allows', async () => {
    await store.write(limitCompany, { id: 1, mailsPerDay: 4 });
    await ask(1, 3);
    const tell = { kind: 'tell', to: 'all', text: 'The door is open.' } as const;
    const act = byUser({ username: 'ada', session: undefined });
    await steer(store, clock, { runId: 1, owner: theNode(), by: act }, tell);
    await room.settle(1);
    expect(await queued()).toHaveLength(4);
    const states = (await store.read(mailsOfRun, 1)).filter(({ isQuestion }) => !isQuestion);
    expect(states.map(({ state }) => state).sort()).toEqual(['failed', 'failed', 'waiting']);
  });
});
