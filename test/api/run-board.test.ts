/** Tests what a board of runs reads and does through the management API: lists, people, the record, and acts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alice, bob, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { beginSession } from '../harness/browser-session.ts';
import { eachEngine } from '../harness/engines.ts';
import { answer, jobsProvisioning, phoneOf, sentBy } from '../harness/jobs.ts';
import { incomingPath } from '../harness/messaging.ts';

const provisioning = jobsProvisioning({
  types: [
    '{ name: Shift, generic: GMA, globalTagFilter: "status:active", tellUnneeded: false, openEarly: false }',
    '{ name: Others, generic: GMA, globalTagFilter: "status:away" }',
  ],
  jobs: [
    `{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Can you come? YES or NO", recipients: { numbers: [${[20, 21, 22, 23].map((n) => `"${phoneOf(n)}"`).join(', ')}] }, responseGoal: 2 }`,
    '{ id: 72, owner: nordic-jobs, name: Extra nurse, type: Shift, message: "Extra shift?", tasks: [{ tagType: role, tagValue: nurse, goal: 1, escalations: [{ afterMinutes: 30, tagFilter: "role:assistant" }, { afterMinutes: 40, tagFilter: "role:mailnurse" }] }] }',
    '{ id: 73, owner: nordic-jobs, name: Away, type: Others, message: "Come?", tasks: [{ tagType: role, tagValue: nurse, goal: 1 }] }',
    `{ id: 74, owner: nordic-jobs, name: Open day, type: MonitoredMessage, message: "<b>Come?</b>", recipients: { numbers: ["${phoneOf(33)}"], tagFilter: "role:mailnurse" } }`,
  ],
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads from it what it expects there.
type Json = any;

eachEngine('the board of a run through the management API', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const start = async (job: number, body: object = {}): Promise<string> =>
    (await app.as(alice).post(`/api/v1/jobs/${job}/start`, body)).body.id;
  const read = async (path: string, query: Json = {}): Promise<Json> =>
    (await app.as(alice).get(`/api/v1/runs${path}`, query)).body;
  const peopleOf = async (id: string, query: Json = {}): Promise<Json[]> =>
    (await read(`/${id}/people`, query)).people;

  test('[JOB-8] [PORT-9] Lists of runs are filtered by phase and saved job, and each run has its places and its people', async () => {
    const [first, second] = [await start(71), await start(72)];
    const ids = async (query: Json) => (await read('', query)).runs.map(({ id }: Json) => id);
    expect(await ids({ savedJob: 71 })).toEqual([first]);
    expect(await ids({ phase: 'open,finished' })).toEqual([second, first]);
    expect(await ids({ phase: 'ended' })).toEqual([]);
    const page = await read('', { phase: 'open', limit: 1 });
    expect(page.runs.map(({ id }: Json) => id)).toEqual([second]);
    expect(await ids({ phase: 'open', after: page.next })).toEqual([first]);
    const { body } = await app.as(alice).get('/api/v1/runs', { phase: 'open,over' });
    expect(body).toMatchObject({ code: 'invalid_value', errors: [{ field: 'phase' }] });
    const [night] = (await read('', { savedJob: 71 })).runs;
    expect(night).toMatchObject({
      found: 0,
      goal: 2,
      people: { waiting: 0, asked: 4, unreachable: 0, yes: 0, no: 0 },
      short: false,
    });
    for (const n of [20, 21, 22])
      await app.as(alice).post(`/api/v1/runs/${first}/decline`, { phone: phoneOf(n) });
    await until(async () => (await read('', { savedJob: 71 })).runs[0].short);
    await answer(app, Number(first), phoneOf(23), 'Yes');
    await until(async () => (await read(`/${first}`)).phase === 'finished');
    // Everybody has answered, and one nurse is missing all the same.
    expect(await read(`/${first}`)).toMatchObject({ outcome: 'ALL_ANSWERED', found: 1, short: true });
    expect((await app.as(bob).get('/api/v1/runs', { savedJob: 71 })).body.runs).toEqual([]);
    for (const id of [first, second]) await app.as(alice).post(`/api/v1/runs/${id}/cancel`);
    await until(async () => (await ids({ phase: 'ended' })).length === 2);
    expect((await read('', { savedJob: 71 })).runs[0]).toMatchObject({ phase: 'ended', short: false });
  });

  test('[JOB-5] [JOB-8] A run shows when its next level opens and how many it would ask, and its people show their level', async () => {
    const id = await start(72);
    const run = await read(`/${id}`);
    expect(run).toMatchObject({ found: 0, goal: 1, nextLevelPeople: 4, canAsk: 4, short: false });
    expect(Date.parse(run.nextLevelAt) - Date.parse(run.start)).toBe(30 * 60_000);
    expect(run.tasks[0].levels).toEqual(['role:nurse', 'role:assistant', 'role:mailnurse']);
    const levels = (await peopleOf(id)).map(({ level, state }) => `${level} ${state}`);
    expect(new Set(levels)).toEqual(new Set(['1 asked', '2 waiting']));
    await app.as(alice).post(`/api/v1/runs/${id}/escalate`);
    await until(async () => (await read(`/${id}`)).people.waiting === 0);
    const next = await read(`/${id}`);
    expect(Date.parse(next.nextLevelAt) - Date.parse(run.start)).toBe(40 * 60_000);
    expect(next).toMatchObject({ nextLevelPeople: 0, canAsk: 0 });
    await answer(app, Number(id), phoneOf(30), 'Yes');
    await until(async () => (await read(`/${id}`)).found === 1);
    const reached = await read(`/${id}`);
    expect([reached.nextLevelAt, reached.nextLevelPeople]).toEqual([undefined, undefined]);
  });

  test('[PORT-4] [JOB-10] [INC-2] A YES or NO to a run leaves its conversation read, and a comment makes its conversation unread', async () => {
    const id = await start(71);
    const conversations = async (query: Json): Promise<Json[]> =>
      (await app.as(alice).get('/api/v1/conversations', query)).body.conversations;
    const unread = async () =>
      (await conversations({ unread: true })).map(({ phone, unread }) => [phone, unread]);
    await answer(app, Number(id), phoneOf(20), 'Yes, of course');
    await answer(app, Number(id), phoneOf(21), 'No');
    await answer(app, Number(id), phoneOf(22), 'When does it start?');
    await until(async () => (await unread()).length > 0);
    await until(async () => (await read(`/${id}`)).people.no === 1);
    expect(await unread()).toEqual([[phoneOf(22), 1]]);
    const listed = await Promise.all([20, 21, 22].map((n) => conversations({ search: phoneOf(n) })));
    expect(listed.flat().map(({ unread }) => unread)).toEqual([0, 0, 1]);
    // Programs have the same SMS to read.
    const { incoming } = (await app.as(alice).post(incomingPath, { markasread: false })).body;
    expect(incoming.map(({ message }: Json) => message)).toEqual(['When does it start?']);
    await app.as(alice).post(`/api/v1/conversations/${listed[2]?.[0].id}/archive`);
    expect(await unread()).toEqual([]);
    await answer(app, Number(id), phoneOf(22), 'Yes');
    await until(async () => (await read(`/${id}`)).people.yes === 2);
    await answer(app, Number(id), phoneOf(22), 'Or is it tomorrow?');
    // A comment brings a conversation back from the archive.
    await until(async () => (await unread()).length > 0);
    expect((await conversations({ search: phoneOf(22) }))[0]).toMatchObject({ unread: 1, archived: false });
    await app.as(alice).post(`/api/v1/runs/${id}/cancel`);
  });

  test('[JOB-8] [JOB-10] [JOB-14] The people of a run have their answers, what they mean, and the delivery of their question', async () => {
    const id = await start(71);
    await until(async () => (await peopleOf(id)).every(({ delivery }) => delivery === 'DELIVERED'));
    await answer(app, Number(id), phoneOf(20), 'Yes, of course');
    await answer(app, Number(id), phoneOf(21), 'When does it start?');
    await until(async () => (await peopleOf(id, { comment: true })).length === 1);
    await until(async () => (await peopleOf(id, { state: 'yes' })).length === 1);
    const [yes, unclear, silent] = await peopleOf(id);
    expect(yes).toMatchObject({ state: 'yes', level: 1, answer: 'Yes, of course', meaning: 'yes' });
    expect(unclear).toMatchObject({ state: 'asked', answer: 'When does it start?', meaning: 'comment' });
    expect(Date.parse(unclear.answered)).toBeGreaterThan(Date.parse(unclear.asked));
    expect([silent.answer, silent.meaning, silent.answered]).toEqual([undefined, undefined, undefined]);
    const question = (await sentBy(app, Number(id))).find(({ to }) => to === phoneOf(22));
    expect(silent.messageId).toBe(question?.id);
    expect((await peopleOf(id, { state: 'asked' })).map(({ phone }) => phone)).toEqual(
      [21, 22, 23].map(phoneOf),
    );
    expect(await peopleOf(id, { state: 'asked', comment: 'yes' })).toMatchObject([{ phone: phoneOf(21) }]);
    const counted = await app
      .as(alice)
      .post(`/api/v1/runs/${id}/accept`, { phone: phoneOf(21), comment: 'last' });
    expect(counted.status).toBe(200);
    await until(async () => (await peopleOf(id, { comment: true })).length === 0);
    expect((await peopleOf(id))[1]).toMatchObject({
      state: 'yes',
      answer: 'When does it start?',
      meaning: 'yes',
    });
    await app.as(alice).post(`/api/v1/runs/${id}/cancel`);
    await until(async () => (await read(`/${id}`)).phase === 'ended');
  });

  test('[JOB-8] [SEND-14] An act with a key is done once, and after the end of a run an act is refused with a clear reason', async () => {
    const id = await start(71);
    const act = (name: string, body: object, key?: string) =>
      app
        .as(alice)
        .post(`/api/v1/runs/${id}/${name}`, body, key === undefined ? {} : { 'idempotency-key': key });
    const { end } = await read(`/${id}`);
    for (let times = 0; times < 3; times += 1)
      expect((await act('extend', { minutes: 15 }, 'longer')).body).toEqual({ id });
    expect((await act('extend', { minutes: 16 }, 'longer')).body.code).toBe('idempotency_mismatch');
    const ofRun = (text: string) => async () =>
      (await sentBy(app, Number(id))).filter((one) => one.text === text);
    const [boots, coat] = [ofRun('Bring boots'), ofRun('And a coat')];
    for (let times = 0; times < 2; times += 1)
      await act('tell', { message: 'Bring boots', to: 'all' }, 'boots');
    await act('tell', { message: 'And a coat', phone: `+${phoneOf(22)}` });
    await until(async () => (await boots()).length === 4 && (await coat()).length === 1);
    expect(await coat()).toMatchObject([{ to: phoneOf(22) }]);
    expect(Date.parse((await read(`/${id}`)).end) - Date.parse(end)).toBe(15 * 60_000);
    for (const [body, code] of [
      [{ message: 'Hi', to: 'all', phone: phoneOf(22) }, 'conflicting_parameters'],
      [{ message: 'Hi', phone: phoneOf(22), contactId: '22' }, 'conflicting_parameters'],
      [{ message: 'Hi', phone: phoneOf(60) }, 'not_found'],
      [{ message: 'Hi', phone: 'x' }, 'invalid_number'],
    ] as const)
      expect((await act('tell', body)).body.code, JSON.stringify(body)).toBe(code);
    expect((await act('accept', {})).body).toMatchObject({ code: 'missing_parameter' });
    expect((await act('cancel', {}, 'end')).status).toBe(200);
    // Another owner comes too late, whether the run has processed the end or not.
    const late = await act('extend', { minutes: 5 });
    expect([late.status, late.body]).toMatchObject([
      409,
      { code: 'run_ended', error: `Run ${id} has ended (CANCELED).`, values: { sentence: 'run_ended_as' } },
    ]);
    await until(async () => (await read(`/${id}`)).phase === 'ended');
    expect((await act('cancel', {}, 'end')).status).toBe(200);
    expect((await act('escalate', {})).body.code).toBe('run_ended');
    const { people } = await read(`/${id}`);
    expect(Object.values(people as Record<string, number>).reduce((sum, one) => sum + one)).toBe(4);
  });

  test('[JOB-14] [PORT-9] The record of a run is exported as JSON, as CSV, and as a page without scripts', async () => {
    const id = await start(74);
    await until(async () => (await peopleOf(id))[0].delivery === 'DELIVERED');
    const client = app.as(alice);
    const { body } = await client.get(`/api/v1/runs/${id}/record`);
    expect(body).toMatchObject({ run: id, job: 'Open day', startedBy: 'alice', message: '<b>Come?</b>' });
    expect(body.people.map(({ email }: Json) => email)).toContain('p43@care.example');
    expect(body).toEqual(JSON.parse((await app.run('jobs', 'record', id, '--json')).stdout));
    const csv = await client.get(`/api/v1/runs/${id}/record.csv`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toContain(`run ${id}.csv`);
    const lines = csv.text.split('\n');
    expect([lines[0]?.replace('\u{feff}', ''), lines.length]).toEqual([
      'at,what,by,people,detail',
      body.timeline.length + 2,
    ]);
    const session = await beginSession(app, alice);
    const page = await session.get(`/api/v1/runs/${id}/record.html`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+';/,
    );
    expect(page.text).toBe((await app.run('jobs', 'record', id, '--format', 'html')).stdout);
    expect(page.text).toContain('All times are UTC.');
    expect(page.text).toContain('&lt;b&gt;Come?&lt;/b&gt;');
    const inSwedish = await session.get(`/api/v1/runs/${id}/record.html`, {
      language: 'sv',
      zone: 'Europe/Stockholm',
    });
    expect(inSwedish.text).toContain('Alla tider är i tidszonen Europe/Stockholm.');
    expect(page.text).not.toMatch(/<script|<b>Come| style="| src=| href=/);
    const audit = JSON.parse((await app.run('audit', '--json')).stdout) as Json[];
    const exports = audit.filter(({ act, object }) => act === 'run.export' && object === id);
    expect(exports.map(({ channel, details }) => `${channel} ${details}`)).toEqual([
      'portal HTML',
      'portal HTML',
      'api CSV',
      'api JSON',
    ]);
    for (const form of ['', '.csv', '.html'])
      expect((await app.as(bob).get(`/api/v1/runs/${id}/record${form}`)).status).toBe(404);
  });

  test('[JOB-13] A rehearsal counts the people whom the filter of the job’s type leaves out', async () => {
    const rehearsed = async (id: number, body: object = {}) =>
      (await app.as(alice).post(`/api/v1/jobs/${id}/rehearse`, body)).body;
    // Three nurses by mail have no status.
    expect(await rehearsed(72)).toMatchObject({ peopleCount: 10, leftOutCount: 0, notMatching: 3 });
    expect(await rehearsed(71)).toMatchObject({ peopleCount: 4, notMatching: 0 });
    expect(await rehearsed(73)).toMatchObject({
      peopleCount: 0,
      notMatching: 6,
      problem: expect.any(String),
    });
    const other = { toaddressbookcustomtagfilter: 'role:assistant', responsegoal: 1 };
    expect(await rehearsed(72, other)).toMatchObject({ peopleCount: 4, notMatching: 0 });
  });
});
