import { expect, test } from 'vitest';
import { putCompany, putUser } from '../../test/harness/account-verbs.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { listMessages } from '../../test/harness/delivery-verbs.ts';
import { mailsOfRun } from '../../test/harness/job-verbs.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { clearOutgoing, listOutgoing } from '../../test/harness/outbox-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { type Caller, findCaller } from '../accounts/caller.ts';
import { byUser } from '../audit/audit-log.ts';
import { answerLinkSecret } from '../jobs/job-mail.ts';
import { steer } from '../jobs/steer.ts';
import { repeatableOf } from '../messages/idempotency.ts';
import { plainRequest } from '../messages/sending/parameters.ts';
import { send } from '../messages/sending/send.ts';
import { Ids } from '../storage/ids.ts';
import { theNode } from '../storage/verb.ts';
import type { Incident } from './incident.ts';
import type { FoundReceiver } from './receiver.ts';
import { tellMore, tellResolved, wakePeople } from './wake-people.ts';

const noon = Date.parse('2026-06-15T12:00:00Z');
const minuteMs = 60_000;

eachStore('those who were woken by e-mail', (engine) => {
  test('[ALERT-2] [JOB-9] Who was asked by e-mail hears by e-mail, once, how it goes on after the run has ended, unless they said NO', async () => {
    const clock = { time: noon, now: () => clock.time };
    const { store } = await engine.openFreshStore();
    await fillStore(store);
    await store.write(putCompany, { id: 1, name: 'Company', defaultSender: 'Care' });
    await store.write(putPool, ['4610001']);
    const secret = answerLinkSecret('a secret of the tests, long enough to be one');
    const mail = { baseUrl: 'https://sms.example', domain: 'sms.example', secret };
    const room = new JobsRoom(store, clock, { mail });
    const emails = { 1: 'holds@care.example', 2: 'silent@care.example', 3: 'no@care.example' };
    await room.start({ id: 1, people: 4, emails, settings: { expiryMinutes: 60 } });
    await room.settle(1);
    const act = (kind: 'accept' | 'decline', contactId: string) =>
      steer(
        store,
        clock,
        { runId: 1, owner: theNode(), by: byUser({ username: 'alice', session: undefined }) },
        { kind, whom: { contactId }, countsComment: false },
      );
    await act('accept', '1');
    await act('decline', '3');
    await room.settle(1);
    clock.time += 61 * minuteMs;
    await room.settle(1);
    expect((await room.read(1)).run).toMatchObject({ phase: 'ended', outcome: 'EXPIRED' });

    const first = { title: 'Disk full', labels: {} } as Incident['first'];
    const incident = { id: 9, companyId: 1, userId: 10, receiver: 'ops', runId: 1, first, alerts: 1 };
    const matter = {
      incident: { ...incident, action: { start: 71 }, acknowledgedAt: null } as Incident,
      receiver: { name: 'ops', settings: { text: '' } } as FoundReceiver,
    };
    const starting = { sending: room.sending, ids: new Ids(store, 'jobRun', 1), wake: () => undefined };
    const queued = async () => (await store.read(listOutgoing, null)).length;
    await store.write(clearOutgoing, null);
    expect(await tellResolved(starting, matter)).toMatchObject({ kind: 'woken' });
    expect(await queued()).toBe(2);
    // An act that is tried again sends no e-mail again, even if the relay has taken the first.
    await store.write(clearOutgoing, null);
    expect(await tellResolved(starting, matter)).toMatchObject({ kind: 'woken' });
    expect(await queued()).toBe(0);
    const told = (await store.read(mailsOfRun, 1)).filter(({ text }) => text.startsWith('Resolved: '));
    expect(told).toMatchObject([
      { place: 1, state: 'waiting', text: 'Resolved: Disk full' },
      { place: 2, state: 'waiting', text: 'Resolved: Disk full' },
    ]);

    // Once somebody has taken care, only that person hears of more.
    const taken = { ...matter.incident, acknowledgedAt: clock.time, untold: 1, grownAt: 0, untoldAt: 0 };
    await tellMore(starting, { ...matter, incident: taken });
    expect(await queued()).toBe(1);
  });

  test('[ALERT-2] People are woken and told once, also if a program of the acting user has sent with keys that read like those of the incident', async () => {
    const clock = { time: noon, now: () => clock.time };
    const { store } = await engine.openFreshStore();
    await fillStore(store);
    await store.write(putCompany, { id: 1, name: 'Company', defaultSender: 'Care' });
    await store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    const { sending } = new JobsRoom(store, clock);
    const starting = { sending, ids: new Ids(store, 'jobRun', 1), wake: () => undefined };
    const caller = (await findCaller(store, 10)) as Caller;
    const request = { ...plainRequest, to: ['46701740620'], message: 'Other' };
    for (const key of ['incident 9 wake', 'incident 9 more 2', 'incident 9 resolved'])
      await send(sending, caller, request, key);
    const first = { title: 'Disk full', labels: {} } as Incident['first'];
    const incidentOf = (id: number) =>
      ({
        id,
        companyId: 1,
        userId: 10,
        receiver: 'ops',
        first,
        runId: null,
        alerts: 2,
        untold: 1,
        leftOut: 0,
        firing: 1,
        action: { send: { numbers: ['46701740621'], groups: [] } },
        grownAt: 0,
      }) as unknown as Incident;
    const receiver = { name: 'ops', settings: { text: '' } } as FoundReceiver;
    const woken = await wakePeople(starting, { incident: incidentOf(9), receiver });
    expect(woken).toMatchObject({ kind: 'woken', messages: 1 });
    expect(await wakePeople(starting, { incident: incidentOf(9), receiver })).toEqual(woken);
    const incident = { ...incidentOf(9), ...(woken as { messageId: number; messages: number }) };
    for (const tell of [tellMore, tellResolved])
      expect(await tell(starting, { incident, receiver })).toMatchObject({ kind: 'woken' });
    const texts = async () => (await store.read(listMessages, null)).map(({ text }) => text);
    expect(await texts()).toEqual([
      ...['Other', 'Other', 'Other'],
      ...['Disk full', '1 more: Disk full', 'Resolved: Disk full (and 1 more)'],
    ]);
    // An earlier build has woken people, and stopped before it kept that.
    const repeatable = repeatableOf('incident 10 wake', { incident: 10 }, clock.time);
    const before = await send(sending, caller, request, undefined, { repeatable });
    expect(await wakePeople(starting, { incident: incidentOf(10), receiver })).toMatchObject({
      messageId: Number(before.accepted[0]?.id),
    });
  });
});
