/** Tests what the audit log says about sending: each act of a person once, batches and starts of anybody, and no program. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { jsonPath, listPath } from '../harness/batch-calls.ts';
import { type BrowserSession, beginSession } from '../harness/browser-session.ts';
import { eachEngine } from '../harness/engines.ts';
import { startJobPath } from '../harness/jobs.ts';
import { inAnHour, recipient, sendPath } from '../harness/messaging.ts';

const nurses = [70, 71].map(recipient);
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send, jobs, companyAdmin], systemUser: jobs }
      - { username: bob, password: "bob's long password", roles: [send], quotaParts: 12 }
    systemUsers: [{ username: jobs, callback: { type: NONE } }]
    savedJobs:
      - { id: 71, owner: jobs, name: Night alarm, type: MonitoredMessage, message: "Come tonight?", recipients: { numbers: ["${nurses.join('", "')}"] } }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim], simulated: true }
numbers:
  - { number: "46731230001", rentedBy: bob }
  - { number: "46731239001", pool: true }
`;
const rented = '46731230001';
const text = 'Can you take a shift?';
const soon = inAnHour();
const [first, second] = [1, 2].map(recipient) as [string, string];

eachEngine('sending in the audit log', (engine) => {
  let app: WholeApp;
  let ofAlice: BrowserSession;
  let ofBob: BrowserSession;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
    [ofAlice, ofBob] = [await beginSession(app, alice), await beginSession(app, bob)];
  });
  afterAll(() => app?.close());

  interface Entry {
    readonly act: string;
    readonly object: string;
    readonly username?: string;
    readonly channel: string;
    readonly details?: string;
  }

  /** The entries that the work adds to the log, in the order in which they were written. */
  async function entriesOf(work: () => Promise<unknown>): Promise<readonly Entry[]> {
    const all = async (): Promise<readonly Entry[]> =>
      (await ofAlice.get('/api/v1/audit', { limit: 200 })).body.entries;
    const before = await all();
    await work();
    const after = await all();
    return after.slice(0, after.length - before.length).reverse();
  }

  const told = (entries: readonly Entry[]) =>
    entries.map(({ act, username, channel, details }) => [act, username, channel, details]);

  test('[PORT-7] What a person sends in the portal is in the audit log once, with how many and when, but neither text nor numbers', async () => {
    const send = (body: object, headers = {}) =>
      ofBob.post('/api/v1/send', { to: [first, second], message: text, ...body }, headers);
    const later = { scheduletime: soon };
    let ids: string[] = [];
    const entries = await entriesOf(async () => {
      const key = { 'idempotency-key': 'once' };
      const sent = [await send({ to: [first], twoway: true }), await send(later, key)];
      expect((await send(later, key)).body).toEqual(sent[1]?.body);
      ids = sent.map(({ body }) => body.accepted[0].id);
      // Refused, so that nothing was done: no number, no text, and more than the quota.
      expect((await send({ to: ['12'] })).body.code).toBe('nothing_queued');
      expect((await send({ message: '' })).body.code).toBe('no_text');
      expect((await send({ to: Array.from({ length: 10 }, (_, n) => recipient(20 + n)) })).body.code).toBe(
        'quota_exceeded',
      );
    });
    expect(told(entries)).toEqual([
      ['message.send', 'bob', 'portal', '1 SMS'],
      ['message.send', 'bob', 'portal', `2 SMS, scheduled for ${soon}`],
    ]);
    expect(entries.map(({ object }) => object)).toEqual(ids);
    expect((await ofBob.get(`/api/v1/sendings/${ids[1]}`)).body).toMatchObject({ id: ids[1], messages: 2 });
    const logged = JSON.stringify(entries);
    for (const hidden of [first, second, text]) expect(logged).not.toContain(hidden);
    const [, sending = ''] = ids;
    const { entries: found } = (
      await ofAlice.get('/api/v1/audit', { object: sending, act: 'sent' }, { 'accept-language': 'sv' })
    ).body;
    expect(found).toMatchObject([{ details: `2 sms, schemalagt till ${soon}` }]);
    const { text: csv } = await ofAlice.get('/api/v1/audit.csv', { act: 'message.send', language: 'sv' });
    expect(csv).toContain(`bob,portalen,skickade sms,${ids[0]},1 sms`);
  });

  test('[PORT-7] What a program sends is not in the audit log, and what a command sends for a user is', async () => {
    const entries = await entriesOf(async () => {
      for (const path of [sendPath, '/api/v1/send'])
        expect((await app.as(alice).post(path, { to: [first], message: text })).status).toBe(200);
      const command = await app.run('send', first, '--message', text, '--user', 'alice');
      expect(command.exitCode).toBe(0);
    });
    expect(told(entries)).toEqual([['message.send', 'alice', 'command', '1 SMS']]);
  });

  test('[PORT-7] A batch is in the audit log, whoever makes it, and one that is refused or repeated is not', async () => {
    const batch = [{ t: first }, { t: second }];
    let ids: readonly string[] = [];
    const entries = await entriesOf(async () => {
      const key = { 'idempotency-key': 'batch' };
      const named = { message: text, batch, name: 'Autumn', scheduletime: soon };
      const made = [
        await app.as(alice).post(jsonPath, { message: text, batch }, key),
        await app.as(alice).request('POST', `${listPath}?M8=Hi`, { body: first }),
        await ofAlice.post('/api/v1/batches', named),
      ];
      expect((await app.as(alice).post(jsonPath, { message: text, batch }, key)).body).toEqual(made[0]?.body);
      expect((await app.as(alice).post(jsonPath, { message: text, batch: [{ t: '12' }] })).status).toBe(400);
      ids = made.map(({ body }) => body.batchid);
    });
    expect(told(entries)).toEqual([
      ['batch.make', 'alice', 'api', '2 SMS'],
      ['batch.make', 'alice', 'api', '1 SMS'],
      ['batch.make', 'alice', 'portal', `Autumn, 2 SMS, scheduled for ${soon}`],
    ]);
    expect(entries.map(({ object }) => object)).toEqual(ids);
  });

  test('[PORT-7] The start of a saved job is in the audit log, whoever starts it, and one that fails or is repeated is not', async () => {
    const runs: string[] = [];
    const entries = await entriesOf(async () => {
      const start = (body: object = {}, headers = {}) => ofAlice.post('/api/v1/jobs/71/start', body, headers);
      runs.push(String((await app.as(alice).post(startJobPath, { jobid: 71 })).body.runtimeid));
      const scheduled = { jobname: 'Later', scheduledstart: soon };
      const key = { 'idempotency-key': 'start' };
      const { body } = await start(scheduled, key);
      expect((await start(scheduled, key)).body).toEqual(body);
      runs.push(body.id);
      expect((await start({ message: ' ' })).body.code).toBe('not_started');
      expect((await app.as(alice).post(startJobPath, { jobid: 99 })).body.code).toBe('unknown_job');
      for (const id of runs) expect((await ofAlice.post(`/api/v1/runs/${id}/cancel`)).status).toBe(200);
    });
    expect(told(entries)).toEqual([
      ['run.start', 'alice', 'api', 'Night alarm, 2 people'],
      ['run.start', 'alice', 'portal', `Later, 2 people, scheduled for ${soon}`],
      ['run.cancel', 'alice', 'portal', undefined],
      ['run.cancel', 'alice', 'portal', undefined],
    ]);
    expect(entries.map(({ object }) => object)).toEqual([...runs, ...runs]);
  });

  test('[PORT-7] A reply in a conversation is in the audit log under who wrote it, but not what a program of the user replies', async () => {
    const phone = recipient(9);
    const wrote = await app
      .as(bob)
      .post(`/api/v1/simulator/phones/${phone}/answer`, { text: 'Hello', to: rented });
    expect(wrote.status).toBe(200);
    const [{ id }] = (await ofBob.get('/api/v1/conversations', { search: phone })).body.conversations;
    const sent: string[] = [];
    const entries = await entriesOf(async () => {
      for (const caller of [ofBob, ofAlice, app.as(bob)]) {
        const { status, body } = await caller.post(`/api/v1/conversations/${id}/reply`, { message: text });
        expect([status, body.code]).toEqual([200, undefined]);
        sent.push(body.id);
      }
    });
    expect(told(entries)).toEqual([
      ['conversation.reply', 'bob', 'portal', `as ${sent[0]}`],
      ['conversation.reply', 'alice', 'portal', `for bob, as ${sent[1]}`],
    ]);
  });

  test('[PORT-7] A number in the name of a batch is no longer in the audit log once its person is erased', async () => {
    const phone = recipient(10);
    const made = await ofAlice.post('/api/v1/batches', {
      message: text,
      name: `To ${phone}`,
      batch: [{ t: first }],
    });
    const details = async () =>
      (await ofAlice.get('/api/v1/audit', { object: made.body.batchid })).body.entries[0].details as string;
    expect(await details()).toBe(`To ${phone}, 1 SMS`);
    expect((await ofAlice.post(`/api/v1/people/${phone}/erase`, {})).status).toBe(200);
    await until(async () => !(await details()).includes(phone));
    expect(await details()).toMatch(/^To .+, 1 SMS$/);
  });
});
