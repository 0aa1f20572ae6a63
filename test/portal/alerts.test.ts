/** The pages of alerts: an administrator connects a program, people are woken, and the page says how it goes on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { patienceMs } from '../harness/browser-windows.ts';
import { answer } from '../harness/jobs.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

const anna = '46701740620';

describePortal('the pages of alerts', (portal) => {
  const receivers = '/admin/alert-receivers';
  let source: Receiver;
  beforeAll(async () => {
    source = await startReceiver();
  });
  afterAll(() => source?.close());

  const admin = () => portal.demo.app.as(portal.demo);
  const make = async (name: string, more: object = { send: { numbers: [anna] } }) => {
    const made = await admin().post('/api/v1/alertreceivers', { name, source: 'generic', ...more });
    expect([made.status, made.body.name]).toEqual([201, name]);
  };
  const report = async (receiver: string, ...alerts: readonly object[]) => {
    const answered = await admin().post(`/api/v1/alerts/${receiver}`, { alerts });
    expect(answered.status).toBe(200);
  };
  const incidentOf = async (receiver: string) => {
    const { body } = await admin().get(`/api/v1/incidents?receiver=${receiver}`);
    return body.incidents[0] as { readonly id: string; readonly state: string; readonly runId?: string };
  };
  const inState = (receiver: string, state: string) =>
    until(async () => (await incidentOf(receiver))?.state === state, patienceMs);

  const apply = async (companies: string) => {
    const applied = await portal.demo.app.apply(`companies: [${companies}]`);
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
  };
  const applyOps = () =>
    apply('{ name: Demo, alertReceivers: [{ name: ops, source: alertmanager, user: demo, start: 71 }] }');

  test('[ALERT-1] [ALERT-2] [PORT-10] A program is connected by keyboard, wakes people, and the page shows live who takes care', async () => {
    await applyOps();
    const page = await portal.visit('/alerts');
    await page.getByText('Your programs post to these addresses.').waitFor();
    await page.getByText(`${portal.demo.app.baseUrl}/api/v1/alerts/ops`).waitFor();
    await page.getByRole('link', { name: 'Alert receivers' }).press('Enter');
    await page.getByRole('link', { name: 'New receiver' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('night');
    const save = page.getByRole('button', { name: 'New receiver' });
    await save.press('Enter');
    // What the server refuses is shown at its field.
    const job = page.getByRole('combobox', { name: 'Saved job' });
    await page.getByRole('alert').filter({ hasText: /start/ }).waitFor();
    await job.selectOption({ label: 'Night alarm (demo-jobs)' });
    await page.getByRole('textbox', { name: 'Text' }).fill('{{alertname}}: {{summary}}');
    await page.getByText('DiskFull: The disk of db1 is full\nCan you come tonight? YES or NO').waitFor();
    const address = page.getByRole('textbox', { name: 'Address of the program' });
    await address.fill(`${source.url}#part`);
    await page.getByLabel('Token').fill('a secret of the source');
    await save.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'must not have a part after #' }).waitFor();
    await address.fill(source.url);
    await save.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'night' }).waitFor();
    await page.getByText(`- url: ${portal.demo.app.baseUrl}/api/v1/alerts/night`).waitFor();
    await page.getByText("carillon keys limit demo NAME --scopes 'alerts:night'").waitFor();
    await page.getByText('One is kept.').waitFor();
    expect(await page.content()).not.toContain('a secret of the source');
    const drafts = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(drafts).not.toContain('a secret of the source');

    await page.getByRole('link', { name: 'Its alerts' }).press('Enter');
    await page.getByText('No alerts match').waitFor();
    const labels = { alertname: 'DiskFull', instance: 'db1' };
    const annotations = { summary: 'The disk of db1 is full' };
    const one = { status: 'firing', fingerprint: 'c1f0', labels, annotations };
    const posted = await admin().post('/api/v1/alerts/night', {
      version: '4',
      status: 'firing',
      alerts: [one],
    });
    expect(posted.body).toMatchObject({ accepted: 1 });
    const row = page.getByRole('row').filter({ hasText: 'The disk of db1 is full' });
    await row.getByText('No YES yet').waitFor();
    await row.getByText('1 alert, still firing').waitFor();
    await answer(portal.demo.app, Number((await incidentOf('night')).runId), anna, 'Yes');
    await row.getByText('Taken care of').waitFor();
    await row.getByText('Anna Berg').waitFor();

    await row.getByRole('link').press('Enter');
    await page.getByText('DiskFull: The disk of db1 is full\nCan you come tonight?').waitFor();
    await page.getByText('Labels').click();
    await page.getByText('db1', { exact: true }).waitFor();
    const told = page.getByRole('table', { name: 'What its source was told' });
    await told.getByRole('row').nth(1).waitFor();
    await page.getByRole('button', { name: 'End it' }).press('Enter');
    const sure = page.getByRole('dialog', { name: 'End this alert?' });
    await sure.getByRole('button', { name: 'End it' }).press('Enter');
    await page.getByText('The alert is ended').waitFor();
    await page.getByText('by demo').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'End it' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Who is asked, and who answered' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Night alarm' }).waitFor();
  });

  test('[ALERT-1] On a phone, alerts are found by receiver and state, and one says to whom it went or why to nobody', async () => {
    await make('pumps');
    await make('nowhere', { send: { groups: ['gone'] } });
    await report('pumps', { fingerprint: '7', title: 'Pump 7 is dry', url: 'https://scada.example/7' });
    await report('nowhere', { fingerprint: '8', title: 'Gate 8 is open' });
    await inState('pumps', 'open');
    await inState('nowhere', 'failed');
    const page = await portal.visit('/alerts', { width: 360, touch: true });
    await page.getByRole('link', { name: 'Gate 8 is open' }).waitFor();
    await page.getByRole('radio', { name: 'Nobody woken' }).check({ force: true });
    await page.getByRole('link', { name: 'Pump 7 is dry' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Gate 8 is open' }).click();
    await page.getByText('Why nobody was woken').waitFor();
    await page.getByText(/gone/).waitFor();
    await page.goto(`${portal.demo.app.baseUrl}/portal/alerts`);
    await page.getByRole('combobox', { name: 'Receiver' }).selectOption('pumps');
    await page.getByRole('link', { name: 'Gate 8 is open' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Pump 7 is dry' }).click();
    const link = page.getByRole('link', { name: 'Open at its source' });
    await expectSoon(() => link.getAttribute('href')).toBe('https://scada.example/7');
    await report('pumps', { fingerprint: '7', state: 'resolved', title: 'Pump 7 is dry' });
    await page.getByText('Over', { exact: true }).waitFor();
    await page.getByText('Resolved', { exact: true }).waitFor();
    await page.getByRole('link', { name: '1 SMS: see how it went' }).click();
    await page.getByText('Pump 7 is dry').first().waitFor();
  });

  test('[ALERT-2] [PORT-6] A receiver is changed without its secrets; a concurrent change is shown; what a file has set stays; and it is removed', async () => {
    const to = { acknowledge: { url: source.url, token: 'a token', hours: 2 } };
    await make('plant', { send: { numbers: [anna] }, ...to });
    const page = await portal.visit(`${receivers}/plant`);
    await page.getByRole('spinbutton', { name: 'Hours of silence' }).fill('8');
    await admin().patch('/api/v1/alertreceivers/plant', { text: '{{title}} now' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await page.getByRole('cell', { name: '{{title}} now' }).waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await admin().get('/api/v1/alertreceivers/plant')).body).toMatchObject({
      acknowledge: { url: source.url, hours: 8, hasToken: true },
    });
    await page.getByRole('radio', { name: 'A saved job starts' }).check({ force: true });
    await page.getByRole('combobox', { name: 'Saved job' }).selectOption('71');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectSoon(async () => (await admin().get('/api/v1/alertreceivers/plant')).body.start).toBe('71');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('plant is removed').waitFor();

    await applyOps();
    await page.goto(`${portal.demo.app.baseUrl}/portal${receivers}`);
    await page.getByRole('link', { name: 'ops' }).click();
    await page.getByText('Your operator has set some of this').waitFor();
    await expectSoon(() => page.getByRole('combobox', { name: 'Saved job' }).isDisabled()).toBe(true);
    await expectSoon(() => page.getByRole('button', { name: 'Remove' }).count()).toBe(0);
  });

  test('[ALERT-1] [PORT-3] Who has connected nothing is told how, and who may not, that administrators do', async () => {
    const [erik, eva] = ['erik', 'eva'].map((username) => ({
      username,
      password: `a long password of ${username}`,
    }));
    const users = [
      `{ username: erik, password: ${erik?.password}, roles: [companyAdmin] }`,
      `{ username: eva, password: ${eva?.password}, roles: [send] }`,
    ];
    await apply(`{ name: Unconnected, users: [${users.join(', ')}] }`);
    const page = await portal.visit('/', { as: 'nobody' });
    await portal.signIn(page.context(), erik);
    await page.goto(`${portal.demo.app.baseUrl}/portal/alerts`);
    await page.getByText('No program is connected').waitFor();
    await page.getByText(`${portal.demo.app.baseUrl}/api/v1/alerts/…`).waitFor();
    await page.getByRole('link', { name: 'New receiver' }).click();
    await page.getByRole('heading', { level: 1, name: 'New receiver' }).waitFor();
    const other = await portal.visit('/', { as: 'nobody' });
    await portal.signIn(other.context(), eva);
    await other.goto(`${portal.demo.app.baseUrl}/portal/alerts`);
    await other.getByText('Administrators connect monitoring programs').waitFor();
    await expectSoon(() => other.getByRole('link', { name: 'Alert receivers' }).count()).toBe(0);
  });

  test('[PORT-5] [PORT-13] [ALERT-1] The pages of alerts have no barriers in either theme and language, and fit a phone', async () => {
    const name = `long-${'name-'.repeat(10)}`;
    await make(name, {
      send: { numbers: [anna] },
      acknowledge: { url: source.url, token: 'a token' },
      pointers: { items: '/alerts' },
    });
    const labels = { host: 'db1', path: `/var/lib/${'long/'.repeat(20)}` };
    await report(
      name,
      ...Array.from({ length: 5 }, (_, at) => ({
        fingerprint: `${at}`,
        title: `The disk of db${at} is full`,
        labels,
      })),
    );
    await inState(name, 'open');
    const { id } = await incidentOf(name);
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 360, theme: 'light', language: 'sv' },
      { width: 1280, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    const paths = ['/alerts', `/alerts/${id}`, receivers, `${receivers}/new`, `${receivers}/${name}`];
    for await (const page of portal.pages(paths, appearances)) {
      await page.getByRole('table').or(page.getByRole('textbox')).first().waitFor();
      expect([page.url(), await barriersOf(page)]).toEqual([page.url(), []]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
