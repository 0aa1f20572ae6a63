/** Tests runs of saved jobs in the management API: who sees them, their state, and the actions on them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import {
  answer,
  jobsProvisioning,
  listJobsPath,
  phoneOf,
  runOf,
  sentBy,
  startJobPath,
} from '../harness/jobs.ts';
import { incomingPath, sendPath, simulateIncoming, storedOf } from '../harness/messaging.ts';

const dave = { username: 'dave', password: "dave's long password" };
const erin = { username: 'erin', password: "erin's long password" };
/** Another company, whose only job asks one person. */
const neighbours = `
  - name: Neighbours
    defaultSender: Neighbours
    systemUsers: [{ username: their-jobs }]
    users:
      - { username: erin, password: "erin's long password", roles: [send, jobs], systemUser: their-jobs }
    savedJobs:
      - { id: 1, owner: their-jobs, name: Theirs, type: MonitoredMessage, message: "Come?", recipients: { numbers: ["${phoneOf(60)}"] } }
carriers:`;
const provisioning = jobsProvisioning({
  jobs: [
    `{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Can you come? YES or NO", recipients: { tagFilter: "role:nurse" }, exclude: { numbers: ["${phoneOf(25)}"] }, responseGoal: 2 }`,
    '{ id: 72, owner: nordic-jobs, name: Extra nurse, type: QuickAssign, message: "Extra shift? YES/NO", tasks: [{ tagType: role, tagValue: nurse6, goal: 1, escalations: [{ afterMinutes: 30, tagFilter: "role:assistant", goal: 2 }] }] }',
    '{ id: 73, owner: nordic-jobs, name: Of nobody, type: Call, message: "Come?", recipients: { tagFilter: "role:nobody" } }',
    '{ id: 74, owner: nordic-jobs, name: Assistants, type: QuickAssign, message: "Come?", tasks: [{ tagType: role, tagValue: assistant, goal: 1 }] }',
  ],
}).replace('\ncarriers:', neighbours);

eachEngine('runs through the management API', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  test('[JOB-8] [JOB-14] [PORT-4] The management API shows and controls a run, and the audit log records each action', async () => {
    const client = app.as(alice);
    const { runtimeid } = (await client.post(startJobPath, { jobid: 71 })).body;
    const path = `/api/v1/runs/${runtimeid}`;
    const [latest] = (await client.get('/api/v1/runs', { limit: 1 })).body.runs;
    expect(latest).toMatchObject({
      id: String(runtimeid),
      name: 'Night alarm',
      phase: 'open',
      username: 'alice',
    });
    const page = (await client.get(`${path}/people`, { limit: 2 })).body;
    const rest = (await client.get(`${path}/people`, { after: page.next })).body;
    expect([page.people.length, rest.people.length, rest.next]).toEqual([2, 3, undefined]);
    const { phone } = page.people[0];
    expect((await client.post(`${path}/accept`, { phone: `+${phone}` })).body).toEqual({
      id: String(runtimeid),
    });
    const readRun = async () => (await client.get(path)).body;
    await until(async () => (await readRun()).people.yes === 1);
    expect((await readRun()).tasks).toMatchObject([{ found: 1, goal: 2, levelsOpen: 1 }]);
    const { entries } = (await client.get(`${path}/timeline`)).body;
    expect(entries.map(({ what, by }: { what: string; by?: string }) => [what, by])).toEqual([
      ...[
        ['act', 'alice'],
        ['ask', undefined],
      ],
      ['start', 'alice'],
    ]);
    for (const stranger of [bob, erin])
      expect((await app.as(stranger).get(path)).status, stranger.username).toBe(404);
    expect((await client.post(`${path}/tell`, { message: ' ' })).status).toBe(400);
    expect((await client.post(`${path}/accept`, { phone: '46701999999' })).status).toBe(404);
    expect((await client.post(`${path}/cancel`)).status).toBe(200);
    await until(async () => (await readRun()).outcome === 'CANCELED');
    const acts = (await app.run('audit', '--json')).stdout;
    for (const act of ['run.accept', 'run.cancel']) expect(acts).toContain(act);
  });

  test('[JOB-6] [INC-2] A run goes on after a crash, and an answer to a message still reaches the user who sent it', async () => {
    const client = app.as(alice);
    const { runtimeid } = (await client.post(startJobPath, { jobid: 74 })).body;
    await until(async () => (await sentBy(app, runtimeid)).length === 4);
    const asked = { to: [phoneOf(70)], message: 'Can you come?', twoway: true, conversation: 'old' };
    const [message] = await storedOf(app, await client.post(sendPath, asked));
    await app.kill();
    await app.restart();
    await answer(app, runtimeid, phoneOf(30), 'Yes');
    await until(async () => (await runOf(app, runtimeid)).outcome === 'GOAL_REACHED');
    const texts = async () => (await sentBy(app, runtimeid)).filter(({ to }) => to === phoneOf(30));
    await until(async () => (await texts()).length === 2);
    expect((await texts())[1]?.text).toContain('you are on');
    const late = { to: message?.sender, from: phoneOf(70), text: 'at last' };
    await simulateIncoming(app, late);
    const { incoming } = (await client.post(incomingPath, {})).body;
    expect(incoming).toMatchObject([{ resptoid: message?.id, conversation: 'old', message: 'at last' }]);
  });

  test('[JOB-1] [JOB-3] [JOB-13] The management API lists saved jobs, rehearses them, and starts one once per idempotency key', async () => {
    const client = app.as(alice);
    const listed = (await client.get('/api/v1/jobs', { limit: 2 })).body;
    expect(listed.jobs.map(({ id }: { id: string }) => id)).toEqual(['74', '72']);
    expect((await client.get('/api/v1/jobs', { after: listed.next })).body.jobs).toMatchObject([
      { id: '71' },
      { id: '73', name: 'Of nobody', type: 'Call' },
    ]);
    const legacy = (await client.get(listJobsPath, 'T=Call')).body;
    expect(legacy).toEqual({ savedJobs: [{ id: 73, name: 'Of nobody', type: 'Call' }] });
    expect((await app.as(bob).get('/api/v1/jobs')).body.jobs).toEqual([]);
    expect((await app.as(bob).get('/api/v1/jobs/71')).body.code).toBe('unknown_job');
    expect((await client.get('/api/v1/jobs/72')).body).toMatchObject({
      name: 'Extra nurse',
      settings: { generic: 'GMA', expiryMinutes: 60, tellUnneeded: true },
      tasks: [{ tagValue: 'nurse6', goal: 1, escalations: [{ afterMinutes: 30, goal: 2 }] }],
    });
    const { types } = (await client.get('/api/v1/jobtypes')).body;
    expect(types.map(({ name }: { name: string }) => name)).toEqual([
      ...['QuickAssign', 'MonitoredMessage', 'GroundHandling', 'Call'],
    ]);

    const rehearsed = (await client.post('/api/v1/jobs/72/rehearse', { message: 'Tonight?' })).body;
    expect(rehearsed).toMatchObject({
      job: 'Extra nurse',
      message: 'Tonight?',
      peopleCount: 5,
      leftOutCount: 0,
      partsFirst: 1,
      partsAll: 5,
      tasks: [{ goal: 1, canBeMet: true, levels: [{ people: 1 }, { afterMinutes: 30, people: 4 }] }],
    });
    expect(rehearsed.quotaLeft).toBeUndefined();
    const ofDave = await app.as(dave).post('/api/v1/jobs/72/rehearse');
    expect(ofDave.body.quotaLeft).toBe(2);
    expect(rehearsed.people[0]).toMatchObject({ phone: phoneOf(6), level: 1, askedAtOnce: true });
    const before = (await client.get('/api/v1/runs', { limit: 1 })).body.runs[0].id;

    const start = (key: string, id: number, body: object = { jobname: 'Ward 8' }) =>
      client.post(`/api/v1/jobs/${id}/start`, body, { 'idempotency-key': key });
    const [first, second] = await Promise.all([start('once', 72), start('once', 72)]);
    expect([first.status, second.body]).toEqual([201, first.body]);
    expect(first.headers.get('location')).toBe(`/api/v1/runs/${first.body.id}`);
    expect((await start('once', 72)).body).toEqual(first.body);
    const runs = (await client.get('/api/v1/runs')).body.runs;
    expect(runs.findIndex(({ id }: { id: string }) => id === before)).toBe(1);
    expect(runs[0]).toMatchObject({ id: first.body.id, name: 'Ward 8', savedJob: 72, phase: 'open' });
    expect((await start('once', 72, {})).body.code).toBe('idempotency_mismatch');
    const later = { scheduledstart: new Date(Date.now() + 3_600_000).toISOString() };
    const waits = await start('later', 71, later);
    expect((await start('later', 71, later)).body).toEqual(waits.body);
    expect((await client.get(`/api/v1/runs/${waits.body.id}`)).body.phase).toBe('scheduled');

    // A start that came to nothing may be tried again.
    for (let tries = 0; tries < 2; tries += 1)
      expect((await start('nobody', 73, {})).body).toMatchObject({ code: 'not_started' });
    expect((await start('nobody', 72, { tonumbers: ['1'] })).body.code).toBe('not_for_job_type');
    const run = `/api/v1/runs/${first.body.id}`;
    expect((await client.post(`${run}/tell`, { message: 'Hi', to: 'everybody' })).status).toBe(400);
  });
});
