/**
 * A run on two nodes: whichever node receives the answers, and however many at once, the goal is reached and never exceeded.
 */
import { expect, test } from 'vitest';
import { alice } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { answer, jobsProvisioning, phoneOf, runOf, sentBy, startJobPath } from './harness/jobs.ts';
import { query } from './harness/messaging.ts';
import { describeTwoNodes } from './harness/two-nodes.ts';

const provisioning = jobsProvisioning({
  types: ['{ name: Shift, generic: GMA, reserve: 1 }'],
  jobs: [
    '{ id: 71, owner: nordic-jobs, name: Night, type: Shift, message: "Come?", tasks: [{ tagType: role, tagValue: nurse, goal: 2 }] }',
    `{ id: 72, owner: nordic-jobs, name: Two, type: MonitoredMessage, message: "Come?", responseGoal: 2, recipients: { numbers: ["${phoneOf(50)}", "${phoneOf(51)}"] } }`,
  ],
});

describeTwoNodes('runs of saved jobs', provisioning, (nodes) => {
  test('[JOB-6] When answers come to two nodes at once, as many people get a place as there are places', async () => {
    const people = [20, 21, 22, 23, 24, 25].map(phoneOf);
    const starts = await Promise.all(
      [nodes.first, nodes.second, nodes.first, nodes.second].map((node) =>
        node.as(alice).post(startJobPath, { jobid: 71 }),
      ),
    );
    const runs = starts.map(({ body }) => body.runtimeid as number);
    expect(starts.map(({ body }) => body.errormessage)).toEqual(['', '', '', '']);
    expect(new Set(runs).size).toBe(4);
    for (const run of runs)
      await until(async () => (await sentBy(nodes.first, run)).length === people.length);
    await Promise.all(
      runs.flatMap((run) =>
        people.map((phone, place) => answer(place % 2 === 0 ? nodes.first : nodes.second, run, phone, 'Yes')),
      ),
    );
    for (const run of runs) {
      const replies = async () => (await sentBy(nodes.first, run)).map(({ text }) => text);
      const count = async (end: string) => (await replies()).filter((text) => text.endsWith(end)).length;
      await until(async () => (await count('all places are filled.')) === 3);
      expect([await count('you are on.'), await count('you are reserve no. 1.')]).toEqual([2, 1]);
      expect(await runOf(nodes.first, run)).toMatchObject({ phase: 'finished', outcome: 'GOAL_REACHED' });
    }
    // Every answer was taken in exactly once.
    expect(await query(nodes.first, 'SELECT id FROM job_answers WHERE taken = 0')).toEqual([]);
    const entries = await query(nodes.first, 'SELECT run_id, entry FROM job_entries');
    const kinds = entries.map(({ entry }) => JSON.parse(String(entry)).kind);
    expect(kinds.filter((kind) => kind === 'reply')).toHaveLength(runs.length * people.length);
    expect(kinds.filter((kind) => kind === 'assign')).toHaveLength(runs.length * 2);
  });

  test('[JOB-6] [JOB-7] When runs outnumber the pool numbers, no two have the same code, and each gets its own answers', async () => {
    const people = [50, 51].map(phoneOf);
    const starts = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        (index % 2 === 0 ? nodes.first : nodes.second).as(alice).post(startJobPath, { jobid: 72 }),
      ),
    );
    expect(starts.map(({ body }) => body.errormessage)).toEqual(Array(9).fill(''));
    const runs = starts.map(({ body }) => body.runtimeid as number);
    const rows = await query(
      nodes.first,
      `SELECT recipient, conversation, code FROM number_leases WHERE conversation IN (${runs.map((run) => `'${run}'`)})`,
    );
    for (const phone of people) {
      const codes = rows.flatMap(({ recipient, code }) =>
        recipient === phone && code !== null ? [code] : [],
      );
      // At most six numbers are left, some of them shared.
      expect(codes.length).toBeGreaterThanOrEqual(6);
      expect(new Set(codes).size).toBe(codes.length);
    }
    await Promise.all(
      runs.flatMap((run, index) =>
        people.map((phone, place) => {
          const lease = rows.find((one) => one.recipient === phone && one.conversation === String(run));
          const node = (index + place) % 2 === 0 ? nodes.first : nodes.second;
          return answer(node, run, phone, `Yes ${lease?.code ?? ''}`);
        }),
      ),
    );
    for (const run of runs)
      await until(async () => (await runOf(nodes.first, run)).outcome === 'GOAL_REACHED');
  });

  test('[JOB-6] The runs of a node that dies go on at the other node', async () => {
    const { body } = await nodes.second.as(alice).post(startJobPath, { jobid: 71 });
    await until(async () => (await sentBy(nodes.first, body.runtimeid)).length === 6);
    await nodes.second.kill();
    await answer(nodes.first, body.runtimeid, phoneOf(20), 'Yes');
    await until(async () =>
      (await sentBy(nodes.first, body.runtimeid)).some(({ text }) => text.endsWith('you are on.')),
    );
  });
});
