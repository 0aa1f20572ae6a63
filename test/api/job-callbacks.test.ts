/** Tests callbacks of jobs as their receiver gets them: signed, with all their fields, in the order of events. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { answer, jobsProvisioning, phoneOf, sentBy, startJobPath } from '../harness/jobs.ts';
import { checkedPost } from '../harness/posted-schemas.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

const secret = `whsec_${Buffer.from('c'.repeat(32)).toString('base64')}`;

describe('callbacks of jobs', () => {
  let app: WholeApp;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: jobsProvisioning({
        callback: `{ type: POST, url: "${receiver.url}", secret: ${secret}, events: [JOB_REPLY] }`,
        types: ['{ name: Fast, generic: GMA, expiryMinutes: 60, globalTagFilter: "status:active" }'],
        jobs: [
          '{ id: 77, owner: nordic-jobs, name: Assistants, type: Fast, message: "Come?", tasks: [{ tagType: role, tagValue: assistant, goal: 2 }] }',
          '{ id: 78, owner: nordic-jobs, name: Many, type: Fast, message: "Come?", tasks: [{ tagType: role, tagValue: assistant, goal: 9 }] }',
        ],
      }),
      env: { CARILLON_CALLBACK_ALLOW: '127.0.0.0/8' },
    });
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });

  const started = async (jobid: number): Promise<number> =>
    (await app.as(alice).post(startJobPath, { jobid })).body.runtimeid;
  const asked = (runId: number, n: number) =>
    until(async () => (await sentBy(app, runId)).some(({ to }) => to === phoneOf(n)));
  const eventsOf = (runId: number) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>)
      .filter(({ jobid }) => jobid === String(runId));
  const have = (runId: number, eventtype: string, count = 1) =>
    until(() => eventsOf(runId).filter((one) => one.eventtype === eventtype).length >= count);

  test('[EVT-1] [EVT-2] [EVT-3] [CONV-2] Callbacks report a whole run in order, each as the OpenAPI document has it, and the last with the outcome', async () => {
    const runId = await started(77);
    for (const [n, text, replies] of [
      [31, 'No', 1],
      [32, 'Yes', 2],
      [33, 'Yes', 3],
    ] as const) {
      await asked(runId, n);
      await answer(app, runId, phoneOf(n), text);
      await have(runId, 'JOB_REPLY', replies);
    }
    await have(runId, 'JOB_FINISH');
    const events = eventsOf(runId);
    expect(events.map(({ eventtype, contactid }) => `${eventtype} ${contactid}`.trim())).toEqual([
      'JOB_START',
      'JOB_REPLY 31',
      ...['JOB_REPLY 32', 'JOB_ASSIGN 32', 'JOB_REPLY 33', 'JOB_ASSIGN 33'],
      'JOB_FINISH',
    ]);
    const fields = [
      'agent',
      'contactid',
      'eventtype',
      'jobid',
      'jobtype',
      'sendname',
      'sendtaskid',
      'timestamp',
      'userid',
    ];
    for (const { outcome: _, ...event } of events) expect(Object.keys(event).sort()).toEqual(fields);
    expect(events[0]).toMatchObject({ jobtype: 'Fast', userid: 900, agent: 'alice' });
    expect(events[3]).toMatchObject({ sendtaskid: `${runId}-1`, sendname: 'Person 32' });
    expect(events.map(({ outcome }) => outcome)).toEqual([...Array(6).fill(undefined), 'GOAL_REACHED']);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
      expect(checkedPost(body)).toBe('callback');
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(
      receiver.received.length,
    );
  });

  test('[EVT-1] [EVT-2] Callbacks come in order after the receiver was unavailable', async () => {
    receiver.answer = 503;
    const runId = await started(78);
    // The first event is tried and refused; later ones wait behind it.
    await have(runId, 'JOB_START');
    await asked(runId, 30);
    await answer(app, runId, phoneOf(30), 'Yes');
    await until(async () => (await sentBy(app, runId)).filter(({ to }) => to === phoneOf(30)).length > 1);
    expect(new Set(eventsOf(runId).map(({ eventtype }) => eventtype))).toEqual(new Set(['JOB_START']));
    receiver.answer = 200;
    // Without the operator's command, the next retry may be five seconds away.
    expect(await app.run('webhooks', 'enable', 'nordic-jobs')).toMatchObject({ exitCode: 0 });
    await have(runId, 'JOB_ASSIGN');
    const order = [...new Set(eventsOf(runId).map(({ eventtype }) => eventtype))];
    expect(order).toEqual(['JOB_START', 'JOB_REPLY', 'JOB_ASSIGN']);
  });
});
