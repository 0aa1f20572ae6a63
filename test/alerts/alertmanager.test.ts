/** Prometheus Alertmanager itself: its alert wakes people, their YES silences it there, and its end ends the incident. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import { answer, jobsProvisioning, phoneOf, sentBy } from '../harness/jobs.ts';
import { Alertmanager, alertmanagerVersion } from './alertmanager.ts';

describe.runIf(alertmanagerVersion)('Alertmanager', () => {
  let app: WholeApp;
  let alertmanager: Alertmanager;

  beforeAll(async () => {
    const port = await freePort();
    const receivers = `
    alertReceivers:
      - { name: ops, source: alertmanager, user: alice, start: 71, text: "{{alertname}}: {{summary}}", acknowledge: { url: "http://127.0.0.1:${port}", hours: 4 } }
    systemUsers:`;
    const job = `{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Can you come? YES or NO", recipients: { numbers: ["${phoneOf(20)}"] }, responseGoal: 1 }`;
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: jobsProvisioning({ jobs: [job] }).replace('\n    systemUsers:', receivers),
      env: { CARILLON_CALLBACK_ALLOW: '127.0.0.1' },
    });
    const { body: token } = await app.as(alice).get('/authentication/auth/apikey', { name: 'alertmanager' });
    alertmanager = await Alertmanager.start({ port, token, url: `${app.baseUrl}/api/v1/alerts/ops` });
  });
  afterAll(async () => {
    await alertmanager?.close();
    await app?.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: a test reads from it what it expects there.
  const incidents = async (): Promise<any[]> => (await app.as(alice).get('/api/v1/incidents')).body.incidents;

  test('[ALERT-1] [ALERT-2] [ALERT-3] An alert of Alertmanager asks people, a YES silences it there in the name of who answered, and its end ends the incident', async () => {
    const labels = { alertname: 'DiskFull', instance: 'db1:9100' };
    const alert = { labels, annotations: { summary: 'Disk of db1' }, startsAt: new Date().toISOString() };
    await alertmanager.post(alert);
    await until(async () => (await incidents())[0]?.state === 'open');
    const [{ id, runId }] = await incidents();
    const [asked] = await sentBy(app, Number(runId));
    expect(asked?.text).toBe('DiskFull: Disk of db1\nCan you come? YES or NO');
    await answer(app, Number(runId), phoneOf(20), 'Yes');
    await until(async () => (await alertmanager.silenced()) === 1);
    const [silence, ...others] = await alertmanager.silences();
    expect(others).toEqual([]);
    expect(silence).toMatchObject({
      createdBy: 'Person 20',
      comment: expect.stringContaining(`receiver ops, incident ${id}, run ${runId}`),
      matchers: expect.arrayContaining([
        { name: 'instance', value: 'db1:9100', isRegex: false, isEqual: true },
      ]),
    });
    const hours = Date.parse(silence?.endsAt ?? '') - Date.parse(silence?.startsAt ?? '');
    expect(Math.round(hours / 3_600_000)).toBe(4);
    await until(async () => {
      const { body } = await app.as(alice).get(`/api/v1/incidents/${id}`);
      return body.acknowledgements[0]?.state === 'done';
    });
    // Alertmanager does not tell of what is silenced.
    await fetch(`${alertmanager.url}/api/v2/silence/${silence?.id}`, { method: 'DELETE' });
    await alertmanager.post({ ...alert, endsAt: new Date().toISOString() });
    await until(async () => (await incidents())[0]?.state === 'ended');
    await until(async () =>
      (await sentBy(app, Number(runId))).some(({ text }) => text.startsWith('Resolved: DiskFull')),
    );
  });
});
