import { expect, test } from 'vitest';
import { putCompany } from '../../test/harness/account-verbs.ts';
import { fillStore } from '../../test/harness/delivery-store.ts';
import { mailsOfRun } from '../../test/harness/job-verbs.ts';
import { JobsRoom } from '../../test/harness/jobs-room.ts';
import { putPool } from '../../test/harness/lease-verbs.ts';
import { clearOutgoing, listOutgoing } from '../../test/harness/outbox-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { byUser } from '../audit/audit-log.ts';
import { answerLinkSecret } from '../jobs/job-mail.ts';
import { steer } from '../jobs/steer.ts';
import { Ids } from '../storage/ids.ts';
import { theNode } from '../storage/verb.ts';
import type { Incident } from './incident.ts';
import type { FoundReceiver } from './receiver.ts';
import { tellMore, tellResolved } from './wake-people.ts';

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
});
