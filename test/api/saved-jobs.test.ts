/**
 * Tests saved jobs through the API: which exist, what a start accepts, and how a run goes from the first question to its end.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, carol, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  answer,
  jobsProvisioning,
  listJobsPath,
  phoneOf,
  runOf,
  sentBy,
  startJobPath,
} from '../harness/jobs.ts';
import { incomingPath, query } from '../harness/messaging.ts';

const erin = { username: 'erin', password: "erin's long password" };
const numbers = `recipients: { numbers: ["${phoneOf(50)}"] }`;
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
  // Nobody listens at this URL, so callbacks stay queued.
  callback: '{ type: POST, url: "http://127.0.0.1:9/", events: [JOB_REPLY] }',
  types: [
    '{ name: Fast, generic: GMA, expiryMinutes: 60, reserve: 1, globalTagFilter: "status:active" }',
    '{ name: Strict, generic: GMM, poolExhausted: refuse }',
  ],
  jobs: [
    `{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Can you come? YES or NO", recipients: { tagFilter: "role:nurse" }, exclude: { numbers: ["${phoneOf(25)}"] }, responseGoal: 2 }`,
    '{ id: 72, owner: nordic-jobs, name: Extra nurse, type: Fast, message: "Extra shift? YES/NO", tasks: [{ tagType: role, tagValue: nurse6, goal: 1, escalations: [{ afterMinutes: 30, tagFilter: "role:assistant" }] }] }',
    `{ id: 73, owner: nordic-jobs, name: Of nobody, type: Call, message: "Come?", recipients: { tagFilter: "role:nobody" } }`,
    `{ id: 74, owner: nordic-jobs, name: Gone group, type: Call, message: "Come?", recipients: { groups: [gone] } }`,
    `{ id: 75, owner: nordic-jobs, name: Plain, type: Call, message: "Come?", ${numbers} }`,
    '{ id: 76, owner: nordic-jobs, name: By mail only, type: Call, message: "Come?", recipients: { tagFilter: "role:silentnurse" } }',
    '{ id: 78, owner: nordic-jobs, name: Strict, type: Strict, message: "Come?" }',
    '{ id: 77, owner: nordic-jobs, name: Assistants, type: Fast, message: "Come?", tasks: [{ tagType: role, tagValue: assistant, goal: 1 }] }',
  ],
}).replace('\ncarriers:', neighbours);

describe('saved jobs', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const start = (body: object, user = alice) => app.as(user).post(startJobPath, body);
  const runs = async () => Number((await query(app, 'SELECT COUNT(*) AS n FROM job_runs'))[0]?.n);
  const textsTo = async (runId: number, n: number) =>
    (await sentBy(app, runId)).filter(({ to }) => to === phoneOf(n)).map(({ text }) => text);
  /** Answers, and returns the run's reply. */
  async function say(runId: number, n: number, text: string): Promise<string> {
    const before = (await textsTo(runId, n)).length;
    await answer(app, runId, phoneOf(n), text);
    await until(async () => (await textsTo(runId, n)).length > before);
    return (await textsTo(runId, n)).at(-1) as string;
  }
  const started = async (body: object): Promise<number> => {
    const { status, body: answered } = await start(body);
    expect({ status, result: answered.result, errormessage: answered.errormessage }).toEqual({
      status: 200,
      result: 'OK',
      errormessage: '',
    });
    return answered.runtimeid;
  };

  test('[JOB-1] [JOB-3] A user sees the saved jobs of their own system user, by GET and POST', async () => {
    const all = await app.as(alice).get(listJobsPath);
    expect(all.status).toBe(200);
    expect(all.body.savedJobs.map(({ id }: { id: number }) => id)).toEqual([71, 72, 73, 74, 75, 76, 77, 78]);
    const ofType = await app.as(alice).post(listJobsPath, { jobtype: 'Fast' });
    expect(ofType.body).toEqual({
      savedJobs: [
        { id: 72, name: 'Extra nurse', type: 'Fast' },
        { id: 77, name: 'Assistants', type: 'Fast' },
      ],
    });
    expect((await app.as(alice).get(listJobsPath, 'T=Other')).body).toEqual({ savedJobs: [] });
    expect((await app.as(bob).get(listJobsPath)).body).toEqual({ savedJobs: [] });
    expect((await app.as(carol).get(listJobsPath)).body).toMatchObject({ code: 'role_missing' });
    const wrong = await app.as({ username: 'alice', password: 'wrong' }).get(listJobsPath);
    expect(wrong).toMatchObject({ status: 401, text: '' });
  });

  const filter = [{ tagtype: 'role', tagvalues: ['assistant'] }];
  /** Each parameter with a value, and whether it is allowed with GMM and with GMA. */
  const table: readonly (readonly [
    name: string,
    value: unknown,
    get: string | null,
    gmm: boolean,
    gma: boolean,
  ])[] = [
    ['jobname', 'Other name', 'N', true, true],
    ['message', 'Other text', 'M8', true, true],
    [
      'scheduledstart',
      new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+/, ''),
      'AT',
      true,
      true,
    ],
    ['tonumbers', [phoneOf(51)], 'T', true, false],
    ['toaddressbookcustomtagfilter', 'role:assistant', 'A', true, false],
    ['toaddressbooktagfilterjson', filter, null, true, false],
    ['toaddressbooksavedtagfilters', ['nurses'], 'S', true, false],
    ['toaddressbookgroups', ['board'], 'G', true, false],
    ['excludenumbers', [phoneOf(60)], 'XT', true, false],
    ['excludecustomtagfilter', 'role:nurse', 'XA', true, false],
    ['excludetagfilterjson', [{ tagtype: 'role', tagvalues: ['nurse'] }], null, true, false],
    ['tokeep', true, 'K', true, false],
    ['responsegoal', 3, 'R', true, false],
  ];

  test('[JOB-1] Each start parameter works for the generic types that it fits, and is otherwise answered with 400 and starts nothing', async () => {
    for (const [name, value, get, gmm, gma] of table) {
      for (const [jobid, isAllowed] of [
        [75, gmm],
        [77, gma],
      ] as const) {
        // The start lies in the future, so nobody is asked.
        const later = name === 'scheduledstart' ? {} : { scheduledstart: table[2]?.[1] };
        const before = await runs();
        const url = new URLSearchParams({ J: String(jobid), AT: String(table[2]?.[1]) });
        if (get !== null) url.set(get, String(value === true ? 'T' : value));
        const answers = [
          await start({ jobid, ...later, [name]: value }),
          ...(get === null ? [] : [await app.as(alice).get(startJobPath, url.toString())]),
        ];
        for (const { status, body } of answers) {
          const seen = { name, jobid, status, result: body.result, errormessage: body.errormessage };
          if (isAllowed) expect(seen).toEqual({ name, jobid, status: 200, result: 'OK', errormessage: '' });
          else
            expect({ ...seen, code: body.code }).toMatchObject({
              name,
              jobid,
              status: 400,
              code:
                /^R$/.test(get ?? '') || /^toaddressbook(custom|tagfilterjson)/.test(name)
                  ? 'missing_parameter'
                  : 'not_for_job_type',
            });
        }
        expect(await runs()).toBe(before + (isAllowed ? answers.length : 0));
      }
    }
    const both = { jobid: 77, toaddressbookcustomtagfilter: 'role:nurse;status:active', responsegoal: 2 };
    const { body } = await start({ ...both, scheduledstart: table[2]?.[1] });
    expect(body).toMatchObject({ result: 'OK', jobname: 'Assistants' });
    const { tasks } = await runOf(app, body.runtimeid);
    expect(tasks).toMatchObject([{ name: 'role:nurse', goal: 2, levels: [{}] }]);
  });

  test('[JOB-1] [JOB-3] A faulty start call is answered with 400, and a faulty saved job with 200 and an error message', async () => {
    const before = await runs();
    const faults = [
      [{}, 'missing_parameter'],
      [{ jobid: 'x' }, 'invalid_value'],
      [{ jobid: 4711 }, 'unknown_job'],
      [{ jobid: 99 }, 'unknown_job'],
      [{ jobid: 75, responsegoal: 0 }, 'invalid_value'],
      [{ jobid: 75, scheduledstart: '2020-01-01T00:00:00Z' }, 'invalid_time'],
      [{ jobid: 75, toaddressbookgroups: ['none'] }, 'unknown_group'],
      [{ jobid: 75, toaddressbooksavedtagfilters: ['none'] }, 'unknown_tag_filter'],
      [{ jobid: 75, toaddressbookcustomtagfilter: 'role' }, 'invalid_tag_filter'],
      [
        { jobid: 75, toaddressbookcustomtagfilter: 'a:b', toaddressbooktagfilterjson: filter },
        'conflicting_parameters',
      ],
    ] as const;
    for (const [body, code] of faults)
      expect([body, await start(body)]).toMatchObject([body, { status: 400, body: { code } }]);
    const problems = [
      [{ jobid: 73 }, /nobody to ask/],
      [{ jobid: 74 }, /no group “gone”/],
      [{ jobid: 76 }, /phone number/],
      [{ jobid: 75, excludenumbers: [phoneOf(50)] }, /excluded/],
      [{ jobid: 75, tonumbers: ['12'] }, /invalid_number/],
    ] as const;
    for (const [body, sentence] of problems) {
      const { status, body: answered } = await start(body);
      expect({ body, status, result: answered.result }).toEqual({ body, status: 200, result: 'ERROR' });
      expect(answered.errormessage).toMatch(sentence);
      expect(answered.runtimeid).toBe(0);
    }
    expect((await start({ jobid: 75 }, carol)).body).toMatchObject({ code: 'role_missing' });
    expect((await start({ jobid: 75 }, bob)).body).toMatchObject({ code: 'unknown_job' });
    expect(await runs()).toBe(before);
  });

  test('[JOB-4] [JOB-10] [JOB-12] All are asked at once, the goal ends the run, and /incoming has comments but no YES', async () => {
    const runId = await started({ jobid: 71, jobname: 'Tonight' });
    const asked = await sentBy(app, runId);
    expect(asked.map(({ to }) => to).sort()).toEqual([20, 21, 22, 23, 24].map(phoneOf));
    expect(new Set(asked.map(({ text }) => text))).toEqual(new Set(['Can you come? YES or NO']));
    expect(await say(runId, 20, 'I may be late')).toContain('begin your answer with YES or NO');
    expect(await say(runId, 20, '?')).toContain('0 of 2');
    expect(await say(runId, 20, 'Yes!')).toBe('Tonight: thank you, you are on.');
    expect(await say(runId, 21, 'nej')).toContain('will not count on you');
    expect(await say(runId, 22, '👍')).toContain('you are on');
    await until(async () => (await runOf(app, runId)).outcome === 'GOAL_REACHED');
    expect(await say(runId, 23, 'yes')).toContain('all places are filled');
    expect(await runOf(app, runId)).toMatchObject({ phase: 'finished' });
    const { body } = await app.as(alice).post(incomingPath, {});
    expect(body.incoming.map(({ message }: { message: string }) => message)).toEqual(['I may be late', '?']);
    // If a counted YES is taken back, the place goes to someone who said YES too late, or opens again if nobody did.
    expect(await say(runId, 20, 'NO')).toContain('will not count on you');
    await until(async () => (await textsTo(runId, 23)).length === 3);
    expect((await textsTo(runId, 23))[2]).toContain('you are on now');
    expect(await runOf(app, runId)).toMatchObject({ phase: 'finished' });
    expect(await say(runId, 22, 'NO')).toContain('will not count on you');
    await until(async () => (await runOf(app, runId)).phase === 'open');
  });

  test('[JOB-5] [JOB-11] When a person cannot be reached, the next level is asked at once', async () => {
    const runId = await started({ jobid: 72 });
    await until(async () => (await sentBy(app, runId)).length === 5);
    const asked = (await sentBy(app, runId)).map(({ to }) => to);
    expect(asked.slice(1).sort()).toEqual([30, 31, 32, 33].map(phoneOf));
    expect(await say(runId, 31, 'Yes')).toContain('you are on');
    // Those who have not answered are told that no one else is needed.
    await until(async () => (await textsTo(runId, 33)).length === 2);
    for (const n of [30, 32, 33]) expect((await textsTo(runId, n))[1]).toContain('not needed this time');
    expect(await say(runId, 32, 'Yes')).toContain('reserve no. 1');
    expect(await say(runId, 31, 'NO, I am ill')).toContain('will not count on you');
    await until(async () => (await textsTo(runId, 32)).length === 4);
    expect((await textsTo(runId, 32))[3]).toContain('you are on now');
  });

  test('[JOB-1] A quota that covers only half of the people starts nothing', async () => {
    const before = await runs();
    const dave = { username: 'dave', password: "dave's long password" };
    const { status, body } = await start({ jobid: 77 }, dave);
    expect({ status, ...body }).toMatchObject({ status: 200, result: 'ERROR', runtimeid: 0 });
    expect(body.errormessage).toContain('quota_exceeded');
    expect(await runs()).toBe(before);
    const some = await start({ jobid: 75 }, dave);
    expect(some.body).toMatchObject({ result: 'OK' });
    // Later texts that the quota does not cover are left out and reported; the place is given anyway.
    await until(async () => (await sentBy(app, some.body.runtimeid)).length === 1);
    await answer(app, some.body.runtimeid, phoneOf(50), 'who?');
    await until(async () => (await sentBy(app, some.body.runtimeid)).length === 2);
    await answer(app, some.body.runtimeid, phoneOf(50), 'Yes');
    await until(async () => (await runOf(app, some.body.runtimeid)).outcome === 'ALL_ANSWERED');
    expect(await sentBy(app, some.body.runtimeid)).toHaveLength(2);
  });

  test('[JOB-7] A person without a free pool number counts as not reached, and if nobody else can be asked, nothing starts', async () => {
    const to = { tonumbers: [phoneOf(60)] };
    for (let run = 0; run < 6; run++) {
      const { body: begun } = await start({ jobid: 1 }, erin);
      expect(begun).toMatchObject({ result: 'OK' });
    }
    const { body } = await start({ jobid: 78, ...to });
    expect(body).toMatchObject({ result: 'ERROR' });
    expect(body.errormessage).toContain('no_pool_number');
    expect((await start({ jobid: 75, ...to })).body.errormessage).toContain('no_pool_number');
    const partly = await started({ jobid: 75, tonumbers: [phoneOf(60), phoneOf(61)] });
    expect((await sentBy(app, partly)).map(({ to: phone }) => phone)).toEqual([phoneOf(61)]);
  });

  test('[JOB-7] When the pool has no number left, texts carry a code, and the sender of a plain YES is asked which run is meant', async () => {
    const to = { tonumbers: [phoneOf(62), phoneOf(63)] };
    const runs: number[] = [];
    for (let run = 0; run < 6; run++)
      runs.push(await started({ jobid: 75, jobname: `Run ${run}`, tonumbers: [phoneOf(62)] }));
    // The job's type requires a way to ask everybody, and there is one.
    const last = await started({ jobid: 78, jobname: 'Last', ...to });
    const [coded, plain] = await sentBy(app, last);
    expect(coded).toMatchObject({ to: phoneOf(62), text: 'Come? Please answer YES 62 or NO 62.' });
    expect(plain).toMatchObject({ to: phoneOf(63), text: 'Come?' });
    const senders = await Promise.all(runs.map(async (run) => (await sentBy(app, run))[0]?.from));
    expect(new Set(senders).size).toBe(6);
    const other = runs[senders.indexOf(coded?.from)] as number;
    const name = `Run ${runs.indexOf(other)}`;
    // The run that asked last asks once which run is meant.
    expect(await say(last, 62, 'Yes!')).toBe(
      `Which one do you mean? Please answer with its number: 61 (${name}), 62 (Last).`,
    );
    await answer(app, last, phoneOf(62), 'Yes, please');
    const isTakenIn = async () =>
      (await query(app, 'SELECT id FROM job_answers WHERE taken = 0')).length === 0;
    await until(isTakenIn);
    expect(await say(last, 62, '62')).toContain('Last: thank you, you are on.');
    await answer(app, last, phoneOf(62), 'No 61');
    await until(async () => (await textsTo(other, 62)).length === 2);
    expect((await textsTo(other, 62))[1]).toContain(`${name}: thank you for your answer. We will not`);
    expect(await textsTo(last, 62)).toHaveLength(3);
    await answer(app, last, phoneOf(62), '62, when is it?');
    await until(isTakenIn);
    // A text that only names a run, or no run, is not an incoming SMS of the user; a text that is neither YES nor NO
    // is.
    const { body } = await app.as(alice).post(incomingPath, {});
    const texts = body.incoming.map(({ message }: { message: string }) => message);
    expect(texts.filter((text: string) => /6[12]|Yes/.test(text))).toEqual(['62, when is it?']);
    const record = await query(app, `SELECT entry FROM job_entries WHERE run_id = ${last} ORDER BY place`);
    const replies = record
      .map(({ entry }) => JSON.parse(String(entry)))
      .filter(({ kind }) => kind === 'reply');
    expect(replies.map(({ text, meaning }) => [text, meaning])).toEqual([
      ...[
        ['Yes!', 'unclear'],
        ['Yes, please', 'unclear'],
        ['Yes, please 62', 'yes'],
        ['62, when is it?', 'comment'],
      ],
    ]);
    // Once the last run has ended, a plain answer belongs to the other run again.
    expect((await app.as(alice).post(`/api/v1/runs/${last}/cancel`)).status).toBe(200);
    await until(async () => (await runOf(app, last)).phase === 'ended');
    expect(await say(other, 62, 'Yes')).toContain(`${name}: thank you, you are on.`);
    // The late answer names the run that has ended.
    expect(await say(last, 62, 'Yes 62')).toContain('too late');
  });

  test('[JOB-7] Two runs that ask one person use two numbers, and each gets the answers to its own', async () => {
    const first = await started({ jobid: 75, jobname: 'First' });
    const second = await started({ jobid: 75, jobname: 'Second', tonumbers: [phoneOf(50)] });
    const [one, two] = [(await sentBy(app, first))[0], (await sentBy(app, second))[0]];
    expect(one?.from).not.toBe(two?.from);
    expect(await say(second, 50, 'Yes')).toContain('Second');
    expect(await say(first, 50, 'No')).toContain('First');
    await until(async () => (await runOf(app, second)).outcome === 'ALL_ANSWERED');
  });

  test('[JOB-6] The events of a run are queued for its owner in the order of its timeline, with all nine fields', async () => {
    const runId = await started({ jobid: 77 });
    await say(runId, 32, 'Yes');
    const rows = await query(app, `SELECT data FROM webhook_events WHERE subject_id = ${runId} ORDER BY seq`);
    const events = rows.map(({ data }) => JSON.parse(String(data)));
    const about = { jobid: String(runId), userid: 900, timestamp: expect.any(Number), agent: 'system' };
    const nobody = { sendtaskid: '', sendname: '', contactid: '' };
    expect(events).toEqual([
      { ...about, ...nobody, eventtype: 'JOB_START', jobtype: 'Fast', agent: 'alice' },
      {
        ...about,
        eventtype: 'JOB_REPLY',
        jobtype: '',
        sendtaskid: '',
        sendname: 'Person 32',
        contactid: '32',
      },
      {
        ...about,
        eventtype: 'JOB_ASSIGN',
        jobtype: '',
        sendtaskid: `${runId}-1`,
        sendname: 'Person 32',
        contactid: '32',
      },
      { ...about, ...nobody, eventtype: 'JOB_FINISH', jobtype: 'Fast', outcome: 'GOAL_REACHED' },
    ]);
  });

  test('[JOB-2] Three job types exist from the beginning, and a run keeps the settings that its type had when it started', async () => {
    const types = ['QuickAssign', 'MonitoredMessage', 'GroundHandling'];
    const jobs = types.map((type, index) =>
      type === 'MonitoredMessage'
        ? `{ id: ${81 + index}, owner: nordic-jobs, name: ${type}, type: ${type}, message: "Come?", ${numbers} }`
        : `{ id: ${81 + index}, owner: nordic-jobs, name: ${type}, type: ${type}, message: "Come?", tasks: [{ tagType: role, tagValue: nurse, goal: 1 }] }`,
    );
    const apply = async (settings: string) => {
      const added = `companies:\n  - name: Nordic Care\n    jobTypes: [${settings}]\n    savedJobs: [${jobs.join(', ')}]\n`;
      const { exitCode, stderr } = await app.apply(added);
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
    };
    await apply('{ name: Call, generic: GMM, helpText: "Say YES." }');
    for (const [index, type] of types.entries()) {
      const listed = await app.as(alice).get(listJobsPath, `T=${type}`);
      expect(listed.body.savedJobs).toContainEqual({ id: 81 + index, name: type, type });
      await started({ jobid: 81 + index });
    }
    const before = await started({ jobid: 75, tonumbers: [phoneOf(70)] });
    await apply('{ name: Call, generic: GMM, helpText: "Say NO." }');
    const after = await started({ jobid: 75, tonumbers: [phoneOf(71)] });
    expect(await say(before, 70, 'what?')).toContain('Say YES.');
    expect(await say(after, 71, 'what?')).toContain('Say NO.');
  });
});
