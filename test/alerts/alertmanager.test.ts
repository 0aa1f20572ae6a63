/** Prometheus and its Alertmanager: an alert wakes people, their YES silences it there, and its end ends the incident. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { freePort } from '../harness/free-port.ts';
import { answer, jobsProvisioning, phoneOf, sentBy } from '../harness/jobs.ts';
import { Alertmanager, alertmanagerVersion } from './alertmanager.ts';
import { Prometheus, prometheusVersion } from './prometheus.ts';

const asked = [phoneOf(20), phoneOf(21)];

describe.runIf(alertmanagerVersion)('Alertmanager', () => {
  let app: WholeApp;
  let alertmanager: Alertmanager;

  beforeAll(async () => {
    const port = await freePort();
    const receivers = `
    alertReceivers:
      - { name: ops, source: alertmanager, user: alice, start: 71, text: "{{alertname}}: {{summary}}", acknowledge: { url: "http://127.0.0.1:${port}", hours: 4 } }
    systemUsers:`;
    const job = `{ id: 71, owner: nordic-jobs, name: Night alarm, type: MonitoredMessage, message: "Can you come? YES or NO", recipients: { numbers: ${JSON.stringify(asked)} }, responseGoal: 1 }`;
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

  /** Of those that people were woken for, the latest that is still open. */
  async function openIncident(): Promise<{ readonly id: string; readonly runId: number }> {
    const open = async () =>
      (await app.as(alice).get('/api/v1/incidents', { state: 'open' })).body.incidents[0];
    await until(async () => (await open())?.runId !== undefined);
    const { id, runId } = await open();
    return { id, runId: Number(runId) };
  }

  /** Each of those asked has got it. */
  async function expectAllGot(runId: number, text: string): Promise<void> {
    const got = async () => (await sentBy(app, runId)).filter((sent) => sent.text === text);
    await until(async () => (await got()).length >= asked.length);
    expect((await got()).map(({ to }) => to).sort()).toEqual(asked);
  }

  async function expectToldSource(id: string): Promise<void> {
    const incident = () => app.as(alice).get(`/api/v1/incidents/${id}`);
    await until(async () => (await incident()).body.acknowledgements[0]?.state === 'done');
  }

  async function expectEnded(id: string): Promise<void> {
    const state = async () => (await app.as(alice).get(`/api/v1/incidents/${id}`)).body.state;
    await until(async () => (await state()) === 'ended');
  }

  test('[ALERT-1] [ALERT-2] [ALERT-3] An alert of Alertmanager asks people, a YES silences it there in the name of who answered, and its end ends the incident', async () => {
    const labels = { alertname: 'DiskFull', instance: 'db1:9100' };
    const alert = { labels, annotations: { summary: 'Disk of db1' }, startsAt: new Date().toISOString() };
    await alertmanager.post(alert);
    const { id, runId } = await openIncident();
    await expectAllGot(runId, 'DiskFull: Disk of db1\nCan you come? YES or NO');
    await answer(app, runId, phoneOf(20), 'Yes');
    await until(async () => (await alertmanager.silenced()).includes('DiskFull'));
    const [silence, ...others] = await alertmanager.silences();
    if (silence === undefined) throw new Error('its alert is silenced without a silence');
    expect(others).toEqual([]);
    expect(silence).toMatchObject({
      createdBy: 'Person 20',
      comment: expect.stringContaining(`receiver ops, incident ${id}, run ${runId}`),
      matchers: expect.arrayContaining([
        { name: 'instance', value: 'db1:9100', isRegex: false, isEqual: true },
      ]),
    });
    const hours = Date.parse(silence.endsAt) - Date.parse(silence.startsAt);
    expect(Math.round(hours / 3_600_000)).toBe(4);
    await expectToldSource(id);
    // Alertmanager does not tell of what is silenced.
    await alertmanager.expire(silence);
    await alertmanager.post({ ...alert, endsAt: new Date().toISOString() });
    await expectEnded(id);
    await expectAllGot(runId, 'Resolved: DiskFull: Disk of db1');
  });

  describe.runIf(prometheusVersion)('with Prometheus', () => {
    let prometheus: Prometheus;
    beforeAll(async () => {
      prometheus = await Prometheus.start({ alertmanager: alertmanager.url });
    });
    afterAll(() => prometheus?.close());

    test('[ALERT-1] [ALERT-2] [ALERT-3] A rule of Prometheus asks people, a YES silences its alert while the rule still fires, and they are told when it no longer does', async () => {
      expect(await prometheus.firing()).toEqual([]);
      prometheus.freeRatio = 0.04;
      const { id, runId } = await openIncident();
      const matter = 'DiskAlmostFull: db1 has 4% of its disk left';
      await expectAllGot(runId, `${matter}\nCan you come? YES or NO`);
      expect(await alertmanager.silences()).toEqual([]);
      await answer(app, runId, phoneOf(21), 'Yes');
      await until(async () => (await alertmanager.silenced()).includes('DiskAlmostFull'));
      const [silence, ...others] = await alertmanager.silences();
      if (silence === undefined) throw new Error('its alert is silenced without a silence');
      expect(others).toEqual([]);
      expect(silence.createdBy).toBe('Person 21');
      // All labels, those of the rule and those of the target.
      const labels = { alertname: 'DiskAlmostFull', instance: 'db1', job: 'disks', severity: 'critical' };
      expect(silence.matchers).toEqual(
        Object.entries(labels).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true })),
      );
      expect(await prometheus.firing()).toMatchObject([{ labels, state: 'firing' }]);
      await expectToldSource(id);
      // Who made room also ends the silence: Alertmanager does not tell of what is silenced.
      await alertmanager.expire(silence);
      prometheus.freeRatio = 0.5;
      await expectEnded(id);
      await expectAllGot(runId, `Resolved: ${matter}`);
      expect(await prometheus.firing()).toEqual([]);
    });
  });
});
