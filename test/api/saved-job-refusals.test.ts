/** Tests what a program that starts a saved job receives if the start is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, carol, startWholeApp, type WholeApp } from '../harness/app.ts';
import { jobsProvisioning, phoneOf, startJobPath } from '../harness/jobs.ts';

const job = `{ id: 75, owner: nordic-jobs, name: Plain, type: Call, message: "Come?", recipients: { numbers: ["${phoneOf(50)}"] } }`;

describe('refused starts', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: jobsProvisioning({ jobs: [job] }) });
  });
  afterAll(() => app?.close());

  const start = (body: object, user = alice) => app.as(user).post(startJobPath, body);

  test('[JOB-1] [CONV-10] Every refused start of a saved job has the fields of a start response, with an error message', async () => {
    const asked = { jobid: 75, jobname: 'Tonight' };
    const json = { 'content-type': 'application/json' };
    const { username, password } = alice;
    const large = { ...asked, username, password, message: 'x'.repeat(1_100_000) };
    const refusals = [
      [401, 'Tonight', app.as().get(startJobPath, 'J=75&N=Tonight')],
      [401, 'Tonight', app.as().post(startJobPath, { ...asked, username, password: 'wrong' })],
      // If the credentials in the headers are wrong, no body is read.
      [401, '', app.as({ username, password: 'wrong' }).post(startJobPath, asked)],
      [403, 'Tonight', start(asked, carol)],
      [403, 'Natt ö', app.as(carol).get(startJobPath, 'J=75&N=Natt%20%C3%B6')],
      [400, 'Tonight', start({ ...asked, responsegoal: 0 })],
      [400, 'Tonight', app.as(alice).get(startJobPath, 'J=x&jobname=Tonight')],
      [400, '', start({})],
      [400, '5', start({ jobname: 5 })],
      [400, 'x'.repeat(200), start({ ...asked, jobname: 'x'.repeat(1_000) })],
      [400, '', app.as(alice).post(startJobPath, '{"jobname": "Tonight')],
      [400, 'Tonight', start({ ...asked, jobid: 4711 })],
      [405, 'Tonight', app.as(alice).request('PUT', `${startJobPath}?J=75&N=Tonight`)],
      [413, '', app.as(alice).post(startJobPath, large, json)],
    ] as const;
    for (const [wanted, jobname, answer] of refusals) {
      const { status, body } = await answer;
      const { error } = body;
      expect({ status, ...body }).toMatchObject({
        status: wanted,
        result: 'ERROR',
        runtimeid: 0,
        jobname,
        errormessage: error,
      });
      expect(error).not.toBe('');
    }
  });
});
