/** Alerts on a whole server: who is woken, how often, and how it ends. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../harness/api-client.ts';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { answer, jobsProvisioning, phoneOf, runOf, sentBy } from '../harness/jobs.ts';
import { query } from '../harness/messaging.ts';

const admin = { username: 'ada', password: "ada's long password" };
const erin = { username: 'erin', password: "erin's long password" };
const receivers = `
    alertReceivers:
      - { name: ops, source: alertmanager, user: alice, start: 71, text: "{{alertname}} {{host}}" }
      - { name: storm, source: alertmanager, user: alice, start: 71 }
      - { name: many, source: alertmanager, user: alice, start: 71 }
      - { name: taken, source: alertmanager, user: alice, start: 71, acknowledge: { url: "http://127.0.0.1:9" } }
      - { name: sms, source: alertmanager, user: alice, send: { numbers: ["${phoneOf(20)}", "${phoneOf(21)}"] } }
      - { name: own, source: alertmanager, user: alice, start: 71 }
      - { name: broken, source: alertmanager, user: alice, start: 73 }
      - { name: ended, source: alertmanager, user: alice, start: 71 }
      - { name: crashed, source: alertmanager, user: alice, start: 71 }
      - { name: poor, source: alertmanager, user: dave, start: 71 }
      - { name: nodes, source: alertmanager, user: alice, start: 71 }
    systemUsers:`;
const neighbours = `
  - name: Neighbours
    defaultSender: Neighbours
    users:
      - { username: erin, password: "erin's long password", roles: [send, jobs, companyAdmin] }
carriers:`;
const provisioning = jobsProvisioning({
  jobs: [
    `{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Can you come? YES or NO", recipients: { numbers: ["${phoneOf(20)}", "${phoneOf(21)}"] }, responseGoal: 1 }`,
    '{ id: 73, owner: nordic-jobs, name: Of nobody, type: Call, message: "Come?", recipients: { tagFilter: "role:nobody" } }',
  ],
})
  .replace('\n    systemUsers:', receivers)
  .replace(
    '    users:\n',
    '    users:\n      - { username: ada, password: "ada\'s long password", roles: [companyAdmin] }\n',
  )
  .replace('\ncarriers:', neighbours);

interface PostedAlert {
  readonly name: string;
  readonly status?: 'firing' | 'resolved';
  readonly labels?: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly fingerprint?: string | undefined;
}

function bodyOf(alerts: readonly PostedAlert[]) {
  return {
    version: '4',
    groupKey: '{}:{}',
    status: 'firing',
    alerts: alerts.map(
      ({ name, status = 'firing', labels = {}, startsAt = '2026-01-01T03:00:00Z', ...given }) => ({
        status,
        labels: { alertname: name, ...labels },
        annotations: {},
        startsAt,
        endsAt: '0001-01-01T00:00:00Z',
        generatorURL: '',
        fingerprint: 'fingerprint' in given ? given.fingerprint : `${name}-${JSON.stringify(labels)}`,
      }),
    ),
  };
}

const post = (client: ApiClient, receiver: string, alerts: readonly PostedAlert[]) =>
  client.post(`/api/v1/alerts/${receiver}`, bodyOf(alerts));

eachEngine('alerts', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  // biome-ignore lint/suspicious/noExplicitAny: a test reads from it what it expects there.
  const incidentsOf = async (receiver: string, state?: string): Promise<any[]> =>
    (await app.as(admin).get('/api/v1/incidents', { receiver, ...(state && { state }) })).body.incidents;
  const isOpen = async (receiver: string) => (await incidentsOf(receiver, 'open')).length === 1;
  const textsTo = async (runId: number, n: number) =>
    (await sentBy(app, runId)).filter(({ to }) => to === phoneOf(n)).map(({ text }) => text);

  test('[ALERT-1] [ALERT-2] An alert starts one run, however often it is repeated, and its end ends the run and tells those who were asked', async () => {
    const client = app.as(alice);
    const disk = { name: 'DiskFull', labels: { host: 'db1' } };
    expect((await post(client, 'ops', [disk])).body).toEqual({ accepted: 1, ignored: 0, leftOut: 0 });
    await until(() => isOpen('ops'));
    for (let times = 0; times < 3; times++) expect((await post(client, 'ops', [disk])).status).toBe(200);
    const [incident, ...others] = await incidentsOf('ops');
    expect(others).toEqual([]);
    const runId = Number(incident.runId);
    expect(await textsTo(runId, 20)).toEqual(['DiskFull db1\nCan you come? YES or NO']);
    const { body } = await app.as(admin).get(`/api/v1/incidents/${incident.id}`);
    expect(body).toMatchObject({
      receiver: 'ops',
      alerts: 1,
      firing: 1,
      message: 'DiskFull db1\nCan you come? YES or NO',
      list: [{ state: 'firing', times: 4, labels: { host: 'db1' }, title: expect.any(String) }],
    });
    // One who said NO is not told how it ended.
    await answer(app, runId, phoneOf(21), 'No');
    await until(async () => (await textsTo(runId, 21)).length === 2);
    expect((await post(client, 'ops', [{ ...disk, status: 'resolved' }])).body).toMatchObject({
      accepted: 1,
    });
    await until(async () => (await incidentsOf('ops', 'ended')).length === 1);
    await until(async () => (await textsTo(runId, 20)).length === 2);
    expect((await textsTo(runId, 20))[1]).toBe('Resolved: DiskFull db1');
    expect(await runOf(app, runId)).toMatchObject({ phase: 'ended', outcome: 'CANCELED' });
    expect(await textsTo(runId, 21)).toHaveLength(2);
    expect((await post(client, 'ops', [{ ...disk, status: 'resolved' }])).body).toMatchObject({ ignored: 1 });
  });

  test('[ALERT-2] A storm of 10,000 alerts in one post is one run, and one line says how many', async () => {
    const alerts = Array.from({ length: 10_000 }, (_, index) => ({
      name: 'Down',
      labels: { host: `h${index}` },
    }));
    expect((await post(app.as(alice), 'storm', alerts)).body).toMatchObject({ accepted: 10_000 });
    await until(() => isOpen('storm'));
    const [incident, ...others] = await incidentsOf('storm');
    expect([others, incident.alerts, incident.firing]).toEqual([[], 10_000, 10_000]);
    expect(incident.message).toContain('(and 9999 more)');
  });

  test('[ALERT-2] A storm in many posts is one run too', async () => {
    const posts = Array.from({ length: 20 }, (_, at) =>
      Array.from({ length: 50 }, (_, index) => ({ name: 'Down', labels: { host: `h${at * 50 + index}` } })),
    );
    await Promise.all(posts.map((alerts) => post(app.as(alice), 'many', alerts)));
    await until(async () => (await incidentsOf('many'))[0]?.alerts === 1_000);
    expect(await incidentsOf('many')).toHaveLength(1);
  });

  test('[ALERT-3] A YES is kept as the acknowledgement, with the name of who gave it, and is to be told to the source', async () => {
    await post(app.as(alice), 'taken', [{ name: 'Slow' }]);
    await until(() => isOpen('taken'));
    const [incident] = await incidentsOf('taken');
    await answer(app, Number(incident.runId), phoneOf(20), 'Yes');
    await until(async () => (await incidentsOf('taken'))[0].acknowledgedBy !== undefined);
    expect((await incidentsOf('taken'))[0]).toMatchObject({ acknowledgedBy: 'Person 20' });
    const { body } = await app.as(admin).get(`/api/v1/incidents/${incident.id}`);
    expect(body.acknowledgements).toHaveLength(1);
  });

  test('[ALERT-1] A receiver without a job sends SMS, and tells the same people when it is over', async () => {
    const client = app.as(alice);
    await post(client, 'sms', [{ name: 'Hot' }]);
    await until(() => isOpen('sms'));
    await post(client, 'sms', [{ name: 'Hot', status: 'resolved' }]);
    await until(async () => (await incidentsOf('sms', 'ended')).length === 1);
    const rows = await query(app, "SELECT recipient, text FROM messages WHERE text LIKE '%Hot%' ORDER BY id");
    expect(rows.map(({ recipient, text }) => `${recipient} ${text}`)).toEqual([
      `${phoneOf(20)} Hot`,
      `${phoneOf(21)} Hot`,
      `${phoneOf(20)} Resolved: Hot`,
      `${phoneOf(21)} Resolved: Hot`,
    ]);
  });

  test('[ALERT-2] Alerts about this service itself wake nobody', async () => {
    const own = { name: 'CarillonStoreSlow', labels: { application: 'carillon' } };
    expect((await post(app.as(alice), 'own', [own])).body).toEqual({ accepted: 0, ignored: 1, leftOut: 0 });
    expect(await incidentsOf('own')).toEqual([]);
  });

  test('[ALERT-1] An alert that can wake nobody is shown with the reason', async () => {
    await post(app.as(alice), 'broken', [{ name: 'Down' }]);
    await until(async () => (await incidentsOf('broken', 'failed')).length === 1);
    const [incident] = await incidentsOf('broken');
    expect(incident.reason).toEqual(expect.any(String));
    expect(incident.runId).toBeUndefined();
  });

  test('[ALERT-2] A run that a node has started just before it stops ends with its alerts, and people are told', async () => {
    await post(app.as(alice), 'crashed', [{ name: 'Split' }]);
    await until(() => isOpen('crashed'));
    const [{ id, runId }] = await incidentsOf('crashed');
    // The node stops before it keeps what it has started.
    await query(
      app,
      `UPDATE incidents SET state = 0, run_id = NULL, message = '', attempts = 1, due_at = NULL WHERE id = ${id}`,
    );
    await post(app.as(alice), 'crashed', [{ name: 'Split', status: 'resolved' }]);
    await until(async () => (await incidentsOf('crashed', 'ended')).length === 1);
    expect((await incidentsOf('crashed'))[0].runId).toBe(runId);
    await until(async () => (await runOf(app, Number(runId))).outcome === 'CANCELED');
    await until(async () => (await textsTo(Number(runId), 20)).includes('Resolved: Split'));
  });

  test('[ALERT-1] A start that the quota forbids is tried again, and wakes people when the quota allows it', async () => {
    await query(app, "UPDATE users SET quota_parts = 0 WHERE username = 'dave'");
    await post(app.as(admin), 'poor', [{ name: 'Late' }]);
    await until(async () => (await incidentsOf('poor', 'opening'))[0]?.reason !== undefined);
    await query(app, "UPDATE users SET quota_parts = NULL WHERE username = 'dave'");
    await until(() => isOpen('poor'));
    const [incident] = await incidentsOf('poor');
    expect(await textsTo(Number(incident.runId), 20)).toEqual(['Late\nCan you come? YES or NO']);
  });

  test('[ALERT-2] The run of a receiver that is removed asks nobody any longer', async () => {
    const receiver = { name: 'short', source: 'alertmanager', user: 'alice', start: '71' };
    const made = await app.as(admin).post('/api/v1/alertreceivers', receiver);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await post(app.as(alice), 'short', [{ name: 'Gone' }]);
    await until(() => isOpen('short'));
    const [{ id, runId }] = await incidentsOf('short');
    const { status } = await app.as(admin).request('DELETE', '/api/v1/alertreceivers/short');
    expect(status).toBe(200);
    const stateOf = async () => (await app.as(admin).get(`/api/v1/incidents/${id}`)).body.state;
    await until(async () => (await stateOf()) === 'ended');
    await until(async () => (await runOf(app, Number(runId))).outcome === 'CANCELED');
    // The run itself tells those who were asked.
    await until(async () => (await textsTo(Number(runId), 20)).length === 2);
    expect((await textsTo(Number(runId), 20))[1]).toContain('called off');
  });

  test.runIf(engine === 'postgres')('[ALERT-2] Two nodes start one run for one alert', async () => {
    const other = await startWholeApp({ engine, besides: app });
    try {
      const alert = [{ name: 'Twice' }];
      const posts = [app, other, app, other].map((node) => post(node.as(alice), 'nodes', alert));
      expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await until(() => isOpen('nodes'));
      expect(await incidentsOf('nodes')).toHaveLength(1);
      const started = await query(app, "SELECT id FROM job_runs WHERE run LIKE '%Twice%'");
      expect(started).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test('[ALERT-2] Somebody ends an incident whose source is gone', async () => {
    await post(app.as(alice), 'ended', [{ name: 'Gone' }]);
    await until(() => isOpen('ended'));
    const [incident] = await incidentsOf('ended');
    const end = `/api/v1/incidents/${incident.id}/end`;
    expect((await app.as(bob).post(end)).status).toBe(404);
    expect((await app.as(admin).post(end)).body).toEqual({ id: incident.id });
    await until(async () => (await incidentsOf('ended', 'ended')).length === 1);
    expect((await incidentsOf('ended'))[0]).toMatchObject({ endedBy: 'ada', firing: 0 });
    expect((await app.as(admin).post(end)).body.code).toBe('incident_ended');
  });

  test('[ALERT-1] [ALERT-4] A receiver is for its company alone, and a key for one receiver posts to that one and does nothing else', async () => {
    expect((await post(app.as(erin), 'ops', [{ name: 'Down' }])).status).toBe(404);
    expect((await post(app.as(alice), 'unknown', [{ name: 'Down' }])).status).toBe(404);
    const made = await app.as(alice).post('/api/v1/apikeys', { name: 'prometheus', scopes: ['alerts:ops'] });
    expect(made.body.scopes).toEqual(['alerts:ops']);
    const key = app.as({ key: String(made.body.apiKey) });
    expect((await post(key, 'ops', [])).status).toBe(200);
    const other = await post(key, 'storm', []);
    expect([other.status, other.body.code]).toEqual([403, 'scope_missing']);
    for (const path of ['/api/v1/incidents', '/api/v1/messages', '/api/v1/jobs'])
      expect((await key.get(path)).body.code).toBe('scope_missing');
    expect((await key.post('/api/v1/send', { to: [phoneOf(20)], message: 'x' })).status).toBe(403);
  });

  test('[ALERT-1] A receiver is not set up with a pointer that can find nothing', async () => {
    const receiver = { name: 'astray', source: 'generic', user: 'alice', start: '71' };
    const set = (pointers: object) => app.as(admin).post('/api/v1/alertreceivers', { ...receiver, pointers });
    const { status, body } = await set({ title: 'title', labels: '/a~2', state: '/a~1b/~0' });
    expect([status, body.errors]).toMatchObject([
      400,
      [
        {
          field: 'pointers.title',
          error: expect.stringContaining('“title” is not a JSON pointer (RFC 6901): it begins with /'),
        },
        { field: 'pointers.labels' },
      ],
    ]);
  });

  test('[ALERT-1] A body of another program is refused, and says what was expected', async () => {
    const { status, body } = await app.as(alice).post('/api/v1/alerts/ops', { heartbeat: {}, monitor: {} });
    expect(status).toBe(400);
    expect(body.message ?? body.error ?? JSON.stringify(body)).toContain('alertmanager');
  });
});
