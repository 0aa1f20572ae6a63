/** Tests opting out through a whole server: the policy by a call, STOP by SMS, and what becomes of calls and batches then. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command } from '../../src/app/control.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  acceptedOf,
  inAnHour,
  incomingPath,
  sendPath,
  storedMessages,
  whenAllAre,
} from '../harness/messaging.ts';

const rented = '46731230001';
const [ann, bo, cleo] = ['46701740551', '46701740552', '46701740550'];
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    quotaParts: 1000
    users:
      - { username: alice, password: "alice's long password", roles: [send, companyAdmin, jobs], systemUser: jobs }
    systemUsers: [{ username: jobs, id: 900 }]
    jobTypes: [{ name: Alarm, generic: GMM }, { name: Rescue, generic: GMM, category: essential }]
    savedJobs:
      - { id: 71, owner: jobs, name: Night, type: Alarm, message: "Can you come?", recipients: { numbers: ["+${ann}", "+${bo}"] } }
      - { id: 72, owner: jobs, name: Fire, type: Rescue, message: "Can you come?", recipients: { numbers: ["+${ann}"] } }
carriers: [{ name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }]
routes: [{ name: all, prefix: "", carriers: [sim] }]
numbers: [{ number: "${rented}", rentedBy: alice }, { number: "46731239001", pool: true }]
`;

describe('opting out', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const client = () => app.as(alice);
  const arrive = (from: string, text: string) =>
    command(app.env.CARILLON_DATA as string, 'simulate-incoming', { to: rented, from, text });
  const policy = (optOuts: string) => client().patch('/api/v1/company', { optOuts });
  const messagesTo = async (to: string) =>
    (await storedMessages(app)).filter(({ recipient }) => recipient === to);

  test('[OPT-1] [OPT-2] A person who answers STOP gets a confirmation and nothing more, not even what waits, until START', async () => {
    expect((await policy('essentialPasses')).body).toMatchObject({ optOuts: 'essentialPasses' });
    const waiting = await client().post(sendPath, {
      to: [ann],
      message: 'Tomorrow',
      scheduletime: inAnHour(),
    });
    const [scheduled] = acceptedOf(waiting);
    await arrive(ann, 'Stop.');
    expect((await client().post(incomingPath, {})).body.incoming).toMatchObject([
      { from: ann, to: rented, message: 'Stop.' },
    ]);
    await until(async () => (await messagesTo(ann)).some(({ sender }) => sender === rented));
    const confirmation = (await messagesTo(ann)).find(({ sender }) => sender === rented);
    expect((await client().get(`/api/v1/messages/${confirmation?.id}`)).body).toMatchObject({
      category: 'essential',
      message:
        'Nordic Care: you will get only essential SMS from us. Send START to this number to get all again.',
    });
    await whenAllAre(client(), [String(confirmation?.id)], 'DELIVERED');
    const refused = await client().post(sendPath, { to: [ann], message: 'Hello' });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { code: 'nothing_queued', rejected: [ann], errors: [{ code: 'opted_out' }] },
    ]);
    const partly = await client().get(sendPath, `T=${ann},${bo}&M8=Hello&category=marketing`);
    expect(partly.body).toMatchObject({ accepted: [{ to: bo }], rejected: [ann] });
    const essential = await client().post(sendPath, { to: [ann], message: 'Fire', category: 'essential' });
    expect(essential.status).toBe(200);
    const preview = await client().post('/api/v1/send/preview', { to: [ann, bo], message: 'Hello' });
    expect(preview.body).toMatchObject({
      accepted: 1,
      recipients: [{ to: ann, code: 'opted_out' }, { to: bo }],
    });
    const soon = new Date(Date.now() + 1_000).toISOString();
    const moved = await client().patch(`/api/v1/scheduled/${scheduled?.id}`, { scheduleTime: soon });
    expect(moved.status).toBe(200);
    await whenAllAre(client(), [scheduled?.id ?? ''], 'REJECTED');
    expect((await client().get(`/api/v1/messages/${scheduled?.id}`)).body.why).toContain('opted out');
  });

  test('[OPT-2] [OPT-3] An SMS that may mean an opt-out is on the page of its number, and in the export with its decision', async () => {
    await policy('honour');
    const number = '46701740688';
    await arrive(number, 'please stop sending me this');
    const page = async () => (await client().get(`/api/v1/people/${number}`)).body.nearMisses;
    const [marked] = await page();
    expect(marked).toEqual({ id: expect.any(String), time: expect.any(String) });
    const exported = async () => {
      const { text } = await client().get(`/api/v1/people/${number}/export`);
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return lines.filter(({ kind }) => kind === 'nearMiss');
    };
    const line = { id: marked.id, to: rented, text: 'please stop sending me this' };
    expect(await exported()).toMatchObject([line]);
    const settle = `/api/v1/optouts/nearmisses/${marked.id}/settle`;
    expect((await client().post(settle, { optsOut: true })).status).toBe(200);
    expect(await page()).toEqual([{ ...marked, optsOut: true }]);
    expect(await exported()).toMatchObject([{ ...line, settledBy: 'alice', optsOut: true }]);
  });

  test('[OPT-1] In a batch, messages to people who have opted out are REJECTED, and the quota is given back', async () => {
    await policy('honour');
    await arrive(cleo, 'AVSLUTA');
    const left = async () =>
      (await client().post('/api/v1/send/preview', { to: [bo], message: 'x' })).body.quotaLeft;
    await until(async () => (await messagesTo(cleo)).length === 1);
    const before = await left();
    const batch = [{ t: bo }, { t: cleo }];
    const asked = { message: 'News', category: 'marketing', batch };
    const checked = await client().post('/api/v1/batches/preview', asked);
    expect(checked.body).toMatchObject({ messages: 2, optedOut: 1 });
    const { body } = await client().post('/api/v1/batches', {
      message: 'News',
      category: 'marketing',
      batch,
    });
    const statuses = async () =>
      (await storedMessages(app)).flatMap(({ id, text }) => (text === 'News' ? [id] : []));
    expect(body.batchstatuscode).toBe(1);
    await until(async () => (await statuses()).length === 2);
    const shown = async () => {
      const ids = await statuses();
      return Promise.all(ids.map(async (id) => (await client().get(`/api/v1/messages/${id}`)).body));
    };
    await until(async () =>
      (await shown()).every(({ status }) => status === 'DELIVERED' || status === 'REJECTED'),
    );
    expect((await shown()).map(({ to, status, category }) => [to, status, category]).sort()).toEqual([
      [cleo, 'REJECTED', 'marketing'],
      [bo, 'DELIVERED', 'marketing'],
    ]);
    expect(await left()).toBe(before - 1);
  });

  test('[OPT-1] [JOB-13] The rehearsal of a job says who has opted out, unless its type is essential', async () => {
    const rehearse = async (jobId: string) =>
      (await client().post(`/api/v1/jobs/${jobId}/rehearse`, {})).body;
    const { people } = await rehearse('71');
    expect(people.map(({ phone, why = '' }: { phone: string; why?: string }) => [phone, why])).toEqual([
      [ann, 'opted_out'],
      [bo, ''],
    ]);
    await policy('essentialPasses');
    expect((await rehearse('72')).people).toMatchObject([{ phone: ann, askedAtOnce: true, parts: 1 }]);
  });
});
