/** `carillon jobs`: starting a run, showing it, and how its owner controls it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { answer, jobsProvisioning, phoneOf, runOf, sentBy, startJobPath } from './harness/jobs.ts';
import { query } from './harness/messaging.ts';
import { runHere } from './harness/run-here.ts';

const provisioning = jobsProvisioning({
  types: [
    '{ name: Shift, generic: GMA, language: sv, wave: 1, waveMinutes: 60, openEarly: false, reserve: 1 }',
  ],
  jobs: [
    '{ id: 71, owner: nordic-jobs, name: Night, type: Shift, message: "Kan du komma?", tasks: [{ tagType: role, tagValue: nurse, goal: 2, escalations: [{ afterMinutes: 30, tagFilter: "role:assistant" }] }] }',
    `{ id: 72, owner: nordic-jobs, name: Everybody, type: MonitoredMessage, message: "Come?", recipients: { numbers: ["${phoneOf(20)}", "${phoneOf(6)}"], tagFilter: "role:silentnurse" }, exclude: { tagFilter: "status:active;role:nurse6" } }`,
    `{ id: 73, owner: nordic-jobs, name: Twice, type: MonitoredMessage, message: "Come?", recipients: { tagFilter: "role:twin", numbers: ["${phoneOf(70)}"] } }`,
    '{ id: 74, owner: nordic-jobs, name: Mail, type: MonitoredMessage, message: "Come?", recipients: { tagFilter: "role:silentnurse" } }',
    `{ id: 75, owner: nordic-jobs, name: None, type: MonitoredMessage, message: "Come?", recipients: { numbers: ["${phoneOf(20)}"] }, exclude: { numbers: ["${phoneOf(20)}"] } }`,
  ],
});

const noMail = 'no phone number, and no mail relay is set';

describe('carillon jobs', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const jobs = async (...words: readonly string[]) => {
    const isUser = words.includes('--user');
    const { exitCode, stdout, stderr } = await (isUser
      ? runHere(app.env, 'jobs', ...words)
      : app.run('jobs', ...words));
    return { exitCode, stdout, stderr };
  };
  const json = async (...words: readonly string[]) => {
    const { exitCode, stdout, stderr } = await jobs(...words, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const phase = async (run: number) => (await runOf(app, run)).phase;
  const textsTo = async (run: number, n: number) =>
    (await sentBy(app, run)).filter(({ to }) => to === phoneOf(n)).map(({ text }) => text);

  test('[JOB-13] A rehearsal shows who would be asked, who would not and why, and nothing is sent or stored', async () => {
    const of71 = await json('rehearse', '71', '--user', 'alice');
    // Each wave asks as many people as are needed.
    const parts = { first: 2, all: 10, left: null };
    expect(of71).toMatchObject({ job: 'Night', type: 'Shift', leftOut: [], parts });
    expect(of71.tasks).toMatchObject([{ task: 'role:nurse', goal: 2, canBeReached: 10, canBeMet: true }]);
    expect(of71.tasks[0].levels).toEqual([
      { name: 'role:nurse', afterMinutes: 0, people: 6 },
      { name: 'role:assistant', afterMinutes: 30, people: 4 },
    ]);
    expect(of71.people.map(({ phone, level }: { phone: string; level: number }) => [phone, level])).toEqual([
      ...[20, 21, 22, 23, 24, 25].map((n) => [phoneOf(n), 1]),
      ...[30, 31, 32, 33].map((n) => [phoneOf(n), 2]),
    ]);
    const of72 = await json('rehearse', '72', '--user', 'alice');
    expect(of72.leftOut).toMatchObject([{ phone: phoneOf(6), why: 'excluded' }]);
    expect(of72.people).toMatchObject([
      { phone: phoneOf(20), name: 'Person 20' },
      { name: 'Person 40', email: 'p40@care.example', why: noMail },
    ]);
    const when = of71.people.map(
      ({ askedAtOnce, afterMinutes }: { askedAtOnce: boolean; afterMinutes: number }) =>
        askedAtOnce ? 'at once' : afterMinutes,
    );
    expect(when).toEqual(['at once', 'at once', 0, 0, 0, 0, 30, 30, 30, 30]);
    const table = await jobs('rehearse', '71', '--user', 'alice');
    for (const text of ['Nothing was sent.', 'in a later wave', 'after 30 min'])
      expect(table.stdout).toContain(text);
    // Covers a phone shared by two contacts, unreachable people, and a quota.
    const of73 = await json('rehearse', '73', '--user', 'dave');
    expect(of73.people).toMatchObject([
      { name: '', phone: phoneOf(70), parts: 1, askedAtOnce: true },
      { name: 'Person 41', contactId: '41', parts: 1, askedAtOnce: true },
    ]);
    expect(of73.leftOut).toMatchObject([{ name: 'Person 42', contactId: '42', why: 'twice' }]);
    expect(of73.parts).toEqual({ first: 2, all: 2, left: 2 });
    expect(of73.problem).toBeUndefined();
    const longer = await json('rehearse', '73', '--user', 'dave', '--message', 'Come '.repeat(60));
    expect(longer.problem).toContain('quota_exceeded');
    expect(longer.parts).toEqual({ first: 4, all: 4, left: 2 });
    const of74 = await json('rehearse', '74', '--user', 'alice');
    expect(of74.problem).toBe(`None of the people in the job can be reached: ${noMail}.`);
    expect(of74.people).toMatchObject([{ name: 'Person 40', why: noMail }]);
    expect((await jobs('rehearse', '74', '--user', 'alice')).stdout).toContain('It would not be started');
    const of75 = await json('rehearse', '75', '--user', 'alice');
    expect(of75.problem).toContain('excluded');
    expect(of75.leftOut).toMatchObject([{ phone: phoneOf(20), why: 'excluded' }]);
    expect(await query(app, 'SELECT id FROM job_runs')).toEqual([]);
    expect(await query(app, 'SELECT id FROM messages')).toEqual([]);
    expect(await jobs('rehearse', '4711', '--user', 'alice')).toMatchObject({ exitCode: 1 });
    expect(await jobs('start', '71', '--user', 'bob')).toMatchObject({ exitCode: 1 });
  });

  test('[JOB-8] [JOB-11] [JOB-14] A run can be controlled by command, and each action is in its record', async () => {
    expect((await json('list')).map(({ id }: { id: number }) => id)).toEqual([...[71, 72, 73, 74, 75, 99]]);
    const started = await json('start', '71', '--user', 'alice', '--name', 'Natten');
    const run = Number(started.run);
    expect(started).toMatchObject({ result: 'OK', job: 'Natten' });
    // A wave asks one person per place needed.
    expect((await sentBy(app, run)).map(({ to }) => to)).toEqual([phoneOf(20), phoneOf(21)]);
    expect(await json('accept', String(run), `+${phoneOf(25)}`)).toMatchObject({ act: 'accept' });
    await until(async () => (await textsTo(run, 25)).length === 1);
    expect(await textsTo(run, 25)).toEqual(['Natten: tack, du är med.']);
    expect(await json('escalate', String(run))).toEqual({ run: String(run), act: 'escalate' });
    await until(async () => (await runOf(app, run)).tasks[0].opened === 2);
    await jobs('tell', String(run), 'Ta med stövlar', '--to', 'assigned');
    await until(async () => (await textsTo(run, 25)).length === 2);
    const { expiryAt } = await runOf(app, run);
    await jobs('extend', String(run), '15');
    await until(async () => (await runOf(app, run)).expiryAt === expiryAt + 15 * 60_000);
    await answer(app, run, phoneOf(20), 'Ja');
    await until(async () => (await phase(run)) === 'finished');
    await jobs('decline', String(run), phoneOf(25));
    await until(async () => (await phase(run)) === 'open');
    // A comment counts as its reader interprets it, and is shown next to that interpretation.
    expect(await jobs('decline', String(run), phoneOf(21), '--comment')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has not commented on run'),
    });
    await answer(app, run, phoneOf(21), 'Kanske inte');
    await until(async () => (await textsTo(run, 21)).some((text) => text.includes('börja ditt svar')));
    await jobs('decline', String(run), phoneOf(21), '--comment');
    await until(async () => (await textsTo(run, 21)).some((text) => text.includes('räknar inte med dig')));
    const [watched] = await Promise.all([
      jobs('watch', String(run), '--json'),
      until(async () => (await textsTo(run, 25)).length === 3).then(() => jobs('cancel', String(run))),
    ]);
    const seen = watched.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const record = await json('record', String(run));
    expect(seen.slice(0, 5)).toEqual(record.timeline.slice(0, 5));
    expect(record).toMatchObject({ phase: 'ended', outcome: 'CANCELED', startedBy: 'alice', type: 'Shift' });
    const acts = record.timeline.filter(({ what }: { what: string }) => what === 'act');
    expect(acts.map(({ detail }: { detail: string }) => detail)).toEqual([
      ...['accept', 'escalate', 'tell', 'extend by 15 minutes', 'decline', '"Kanske inte", decline'],
    ]);
    for (const { by } of acts) expect(by).toMatch(/^operator /);
    const first = record.people[0];
    expect(first).toMatchObject({ name: 'Person 20', asked: [{ why: 'level 1 of 2, 2 of 6' }] });
    expect(first.answers).toMatchObject([{ text: 'Ja', meaning: 'yes' }]);
    expect(first.messages[0]).toMatchObject({ text: 'Kan du komma?', status: 'DELIVERED' });
    const csv = await jobs('record', String(run), '--format', 'csv');
    expect(csv.stdout.split('\n')).toHaveLength(record.timeline.length + 2);
    const page = (await jobs('record', String(run), '--format', 'html')).stdout;
    for (const text of ['<h1>Natten</h1>', 'Person 25', 'Kan du', 'extend by 15 minutes', 'ended: canceled'])
      expect(page).toContain(text);
    // A run that has ended cannot be changed.
    expect(await jobs('extend', String(run), '15')).toMatchObject({ exitCode: 1 });
    expect(await jobs('accept', String(run), phoneOf(20))).toMatchObject({ exitCode: 1 });
    expect((await json('list', '--runs')).map(({ run: id }: { run: string }) => id)).toEqual([String(run)]);
  });

  test('[JOB-1] [JOB-8] A goal above the number of people gives a warning, and those who were asked are told when the run is called off', async () => {
    const { run } = await json('start', '73', '--user', 'alice', '--goal', '9');
    const { timeline } = await json('record', run);
    expect(timeline.slice(0, 3)).toMatchObject([
      { what: 'start' },
      { what: 'warning', detail: 'everybody: 9 needed, 2 to ask' },
      { what: 'ask' },
    ]);
    await jobs('cancel', run);
    await until(async () => (await textsTo(Number(run), 70)).length === 2);
    expect((await textsTo(Number(run), 70))[1]).toContain('called off');
  });

  test('[JOB-3] A run that starts in the future asks nobody until then', async () => {
    const hence = (ms: number) => new Date(Date.now() + ms).toISOString();
    const later = await json('start', '72', '--user', 'alice', '--at', hence(3_600_000));
    const at = hence(1_500);
    const soon = await app.as(alice).post(startJobPath, { jobid: 72, scheduledstart: at });
    await until(async () => (await sentBy(app, soon.body.runtimeid)).length === 1);
    const [question] = await sentBy(app, soon.body.runtimeid);
    expect(question).toMatchObject({ to: phoneOf(20), text: 'Come?' });
    const [asked] = await query(app, `SELECT created_at FROM messages WHERE id = ${question?.id}`);
    expect(Number(asked?.created_at)).toBeGreaterThanOrEqual(Date.parse(at));
    expect(await runOf(app, Number(later.run))).toMatchObject({ phase: 'scheduled' });
    expect(await sentBy(app, Number(later.run))).toEqual([]);
  });

  test('[JOB-7] A message that a run has sent cannot be sent again by a call, since the answer would not reach the run', async () => {
    const runId = (await app.as(alice).post(startJobPath, { jobid: 72 })).body.runtimeid;
    await until(async () => (await sentBy(app, runId)).length > 0);
    const [question] = await sentBy(app, runId);
    const { status, body } = await app.as(alice).post(`/api/v1/messages/${question?.id}/resend`);
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'invalid_value', 'id']);
    expect(body.error).toContain(`belongs to run ${runId} of a saved job`);
    const others = 'SELECT id FROM messages WHERE id NOT IN (SELECT message_id FROM job_messages)';
    expect(await query(app, others)).toEqual([]);
  });
});
