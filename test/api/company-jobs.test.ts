/** Tests the calls by which administrators make and change saved jobs, and rehearse one before it is saved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { jobsProvisioning, phoneOf, runOf } from '../harness/jobs.ts';
import { query } from '../harness/messaging.ts';

const path = '/api/v1/savedjobs';
const per = { username: 'per', password: "per's long password" };
const provisioning = jobsProvisioning({
  types: ['{ name: Fast, generic: GMA, globalTagFilter: "status:active" }'],
  jobs: [
    '{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Come?", recipients: { tagFilter: "role:nurse" } }',
  ],
}).replace(
  '    users:\n',
  `    countryCode: "46"
    users:
      - { username: per, password: "per's long password", roles: [companyAdmin], defaultAddressBook: Staff }
`,
);
const draft = {
  name: 'Extra nurse',
  type: 'Fast',
  message: 'Extra shift? YES/NO',
  tasks: [
    {
      tagType: 'role',
      tagValue: 'nurse',
      goal: 2,
      escalations: [{ afterMinutes: 10, tagFilter: 'role : assistant', goal: 3 }],
    },
  ],
};

describe('saved jobs through the management API', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  test('[PORT-9] [JOB-5] An administrator makes a job, which another user starts; a change does not touch the run', async () => {
    const client = app.as(per);
    const made = await client.post(path, { ...draft, owner: 'nordic-jobs' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Extra nurse',
        owner: 'nordic-jobs',
        managed: false,
        managedKeys: [],
        tasks: [{ goal: 2, escalations: [{ afterMinutes: 10, tagFilter: 'role:assistant', goal: 3 }] }],
      },
    });
    const { id, version } = made.body;
    expect(made.headers.get('location')).toContain(`${path}/${id}`);
    const started = await app.as(alice).post(`/api/v1/jobs/${id}/start`, {});
    expect(started.status).toBe(201);
    const changed = await client.patch(`${path}/${id}`, { message: 'Other?', tasks: '' }, ifMatch(version));
    expect(changed.body).toMatchObject({ message: 'Other?', tasks: [] });
    expect(await runOf(app, Number(started.body.id))).toMatchObject({
      message: 'Extra shift? YES/NO',
      tasks: [{ goal: 2 }],
    });
    const late = await client.patch(`${path}/${id}`, { message: 'Late?' }, ifMatch(version));
    expect(late).toMatchObject({ status: 412, body: { code: 'changed_meanwhile' } });
    expect((await client.get(path, { owner: 'nordic-jobs' })).body.jobs).toMatchObject([
      { id, name: 'Extra nurse', managed: false },
      { id: '71', managed: true },
    ]);
    expect((await client.request('DELETE', `${path}/${id}`)).status).toBe(200);
    expect((await app.as(alice).post(`/api/v1/jobs/${id}/start`, {})).status).toBe(400);
  });

  test('[PORT-9] A list of jobs is read a page at a time, and so are those who may own them', async () => {
    const client = app.as(per);
    const { systemUsers, next } = (await client.get('/api/v1/systemusers', { limit: 1 })).body;
    expect(systemUsers).toMatchObject([{ name: 'nordic-jobs', managed: true }]);
    expect((await client.get('/api/v1/systemusers', { after: next })).body.systemUsers).toMatchObject([
      { name: 'other-jobs' },
    ]);
    const first = (await client.get(path, { limit: 1 })).body;
    expect(first.jobs).toMatchObject([{ id: '71', owner: 'nordic-jobs' }]);
    expect((await client.get(path, { limit: 1, after: first.next })).body.jobs).toMatchObject([
      { id: '99', owner: 'other-jobs' },
    ]);
  });

  test('[PORT-6] What a provisioning file set is refused by name, and the rest can be changed', async () => {
    const client = app.as(per);
    expect(await client.patch(`${path}/71`, { message: 'Go?' })).toMatchObject({
      status: 409,
      body: { code: 'managed' },
    });
    const changed = await client.patch(`${path}/71`, { responseGoal: 2 });
    expect(changed.body).toMatchObject({
      responseGoal: 2,
      managed: true,
      managedKeys: ['message', 'name', 'owner', 'recipients', 'type'],
    });
    expect((await client.request('DELETE', `${path}/71`)).body).toMatchObject({ code: 'managed' });
  });

  test.each<[object, string, string]>([
    [{ tasks: [{ tagType: 'role', tagValue: 'a:b', goal: 1 }] }, 'tasks[0].tagValue', 'invalid_tag_filter'],
    [{ tasks: [{ tagType: 'role', tagValue: 'a', goal: 0 }] }, 'tasks[0].goal', 'invalid_value'],
    [
      { tasks: [{ ...draft.tasks[0], escalations: [{ afterMinutes: 0, tagFilter: 'role:a' }] }] },
      'tasks[0].escalations[0].afterMinutes',
      'invalid_value',
    ],
    [{ recipients: { tagFilter: 'nurse' } }, 'recipients.tagFilter', 'invalid_tag_filter'],
    [{ recipients: { numbers: ['call me'] } }, 'recipients.numbers', 'invalid_number'],
    [{ recipients: { nurses: [] } }, 'recipients.nurses', 'unknown_parameter'],
    [{ recipients: { groups: ['board'] } }, 'recipients', 'invalid_value'],
    [{ type: 'Slow' }, 'type', 'invalid_value'],
    [{ message: '' }, 'message', 'missing_parameter'],
  ])('[PORT-9] [JOB-13] A draft with %j is refused at %s as %s', async (wrong, field, code) => {
    const { name, type, message } = draft;
    const answer = await app.as(per).post(`${path}/rehearse`, { name, type, message, ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ field, code });
  });

  test('[PORT-9] [JOB-13] A draft is rehearsed by the rules of a start, and nothing is stored', async () => {
    const stored = () =>
      query(app, 'SELECT (SELECT COUNT(*) FROM saved_jobs) AS jobs, (SELECT COUNT(*) FROM job_runs) AS runs');
    const before = await stored();
    const { body } = await app.as(per).post(`${path}/rehearse`, draft);
    expect(body).toMatchObject({
      job: 'Extra nurse',
      peopleCount: 10,
      partsFirst: 6,
      tasks: [{ goal: 2, canBeMet: true, levels: [{ people: 6 }, { afterMinutes: 10, people: 4 }] }],
    });
    // One is written as people do within the country of the company.
    const numbers = [phoneOf(20).replace(/^46/, '0'), phoneOf(50)];
    const toNumbers = {
      type: 'Call',
      message: 'Come?',
      recipients: { numbers },
      exclude: { numbers: [phoneOf(50)] },
    };
    const again = await app.as(per).post(`${path}/rehearse`, toNumbers);
    expect(again.body).toMatchObject({ peopleCount: 1, leftOut: [{ phone: phoneOf(50), why: 'excluded' }] });
    const ofNobody = { type: 'Call', message: 'Come?', recipients: { groups: ['gone'] } };
    expect((await app.as(per).post(`${path}/rehearse`, ofNobody)).body.problem).toContain('gone');
    expect(await stored()).toEqual(before);
  });
});
