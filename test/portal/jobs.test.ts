/**
 * Saved jobs and their runs as people work with them: the sender who starts an alarm at night, with one hand, and the leader
 * who watches who comes.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startWholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortalOf, expectSoon, letTimePass, overflowOf } from '../harness/browser.ts';
import { patienceMs } from '../harness/browser-windows.ts';
import { answer, jobsProvisioning, phoneOf, sentBy } from '../harness/jobs.ts';
import { inAnHour } from '../harness/messaging.ts';

const alice = { username: 'alice', password: "alice's long password" };
/** Another user who may start the same jobs. */
const dave = { username: 'dave', password: "dave's long password" };

const nurses = (goal: number, more = '') =>
  `tasks: [{ tagType: role, tagValue: nurse, goal: ${goal}${more} }]`;
const job = (id: number, name: string, whom: string, type = 'Ward') =>
  `{ id: ${id}, owner: nordic-jobs, name: ${name}, type: ${type}, message: "Can you come? YES or NO", ${whom} }`;
const assistantsLater = ', escalations: [{ afterMinutes: 10, tagFilter: "role:assistant" }]';

const provisioning = jobsProvisioning({
  pool: 10,
  types: ['{ name: Ward, generic: GMA, globalTagFilter: "status:active", openEarly: false }'],
  jobs: [
    job(71, 'Night alarm', nurses(2, assistantsLater)),
    job(72, 'Twenty nurses', nurses(20)),
    job(73, 'Crisis group', 'recipients: { groups: [board] }', 'Call'),
    job(74, 'Nobody there', 'tasks: [{ tagType: role, tagValue: ghost, goal: 1 }]'),
  ],
});

const server = {
  start: async () => ({ app: await startWholeApp({ engine: 'sqlite', provisioning }), ...alice }),
  end: ({ app }: { app: { close(): Promise<void> } }) => app.close(),
};

describePortalOf('saved jobs and runs in the portal', server, (portal) => {
  const api = (user = alice) => portal.demo.app.as(user);

  const runsNamed = async (name: string) => {
    const { body } = await api().get('/api/v1/runs', { limit: 100 });
    return (body.runs as { id: string; name: string }[]).filter((run) => run.name === name);
  };

  /** A run that has asked its first people. */
  async function started(jobId: number, jobname: string): Promise<number> {
    const { status, body } = await api().post(`/api/v1/jobs/${jobId}/start`, { jobname });
    expect([status, body.error]).toEqual([201, undefined]);
    const id = Number(body.id);
    await until(async () => (await sentBy(portal.demo.app, id)).length > 0, patienceMs);
    return id;
  }

  /** Ends what earlier tests have left open, so that nobody is asked for two runs at the same time. */
  async function endAll(): Promise<void> {
    const { body } = await api().get('/api/v1/runs', { phase: 'open,finished,scheduled', limit: 100 });
    const ids = (body.runs as { id: string }[]).map(({ id }) => id);
    for (const id of ids) await api().post(`/api/v1/runs/${id}/cancel`, {});
    for (const id of ids)
      await until(async () => (await api().get(`/api/v1/runs/${id}`)).body.phase === 'ended', patienceMs);
  }

  const bar = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).last();

  test('[JOB-8] [PORT-9] A job is started on a phone by three taps, can be undone for ten seconds, and its board is shown', async () => {
    const page = await portal.visit('/', { width: 360, height: 740, theme: 'dark', touch: true });
    await bar(page).getByRole('link', { name: 'Jobs' }).tap();
    await page.getByRole('link', { name: 'Start Night alarm …' }).tap();
    const start = page.getByRole('button', { name: 'Start: ask 6 people now' });
    await start.tap();
    await page.getByText('Nobody has been asked yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await start.waitFor();
    expect(await runsNamed('Night alarm')).toEqual([]);
    await start.tap();
    await page.getByRole('button', { name: 'Start now' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Night alarm' }).waitFor();
    await page.waitForURL(/\/runs\/\d+$/);
    await page.getByText('0 of 2', { exact: true }).waitFor();
    expect(await runsNamed('Night alarm')).toHaveLength(1);
    await bar(page).getByRole('link', { name: 'Jobs' }).tap();
    await page.getByRole('link', { name: /Night alarm.*0 of 2 found/ }).waitFor();
    await endAll();
  });

  test('[JOB-13] [PORT-9] A job is rehearsed when its page opens and after each change; a problem keeps it from being started', async () => {
    const page = await portal.visit('/jobs/74');
    await page.getByText('It can’t be started:').waitFor();
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await expectSoon(() => start.getAttribute('aria-disabled')).toBe('true');
    await start.press('Enter');
    await expectSoon(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByText(/^Only this time/).click();
    await page.getByLabel('Filter of people to ask instead').fill('role:assistant');
    await page.getByRole('alert').filter({ hasText: 'responsegoal' }).waitFor();
    await page.getByRole('textbox', { name: /^Goal/ }).fill('3');
    await page.getByText('Goal: 3 people').waitFor();
    await page.getByRole('button', { name: 'Start: ask 4 people now' }).waitFor();
    await page.getByRole('textbox', { name: 'Text' }).fill('Can you help? YES or NO');
    await page.getByText('Back to what is saved').click();
    await page.getByText('It can’t be started:').waitFor();
    expect(await runsNamed('Nobody there')).toEqual([]);
  });

  test('[JOB-13] [PORT-9] A job whose goal can’t be met asks before it starts all the same', async () => {
    const page = await portal.visit('/jobs/72');
    await page.getByText('At most 6 of 20 can be reached').waitFor();
    await page.getByRole('button', { name: 'Start: ask 6 people now' }).click();
    const question = page.getByRole('dialog', { name: 'Start all the same?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expectSoon(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Start: ask 6 people now' }).click();
    await question.getByRole('button', { name: 'Start all the same' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await runsNamed('Twenty nurses')).toEqual([]);
  });

  test('[JOB-8] [SEND-20] A job starts once, even if the answer is lost and the page is reloaded', async () => {
    const page = await portal.visit('/jobs/73');
    let isLost = false;
    await page.route('**/api/v1/jobs/73/start', async (route) => {
      await route.fetch();
      isLost = true;
      await new Promise(() => undefined);
    });
    await page.getByText(/^Only this time/).click();
    await page.getByLabel('Name of this run').fill('Started once');
    await page.getByRole('button', { name: 'Start: ask 2 people now' }).click();
    await page.getByRole('button', { name: 'Start now' }).click();
    await until(() => isLost, patienceMs);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.unroute('**/api/v1/jobs/73/start');
    await page.getByText('it is not known whether the job started').waitFor();
    await page.getByText('This job is already under way:').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Started once' }).waitFor();
    expect(await runsNamed('Started once')).toHaveLength(1);
    await endAll();
  });

  test('[JOB-8] [PORT-9] What was held when the page was closed is not started, and a job held on another page starts after ten seconds', async () => {
    const page = await portal.visit('/jobs/73');
    await page.clock.install();
    await page.getByText(/^Only this time/).click();
    await page.getByLabel('Name of this run').fill('Held');
    await page.getByRole('button', { name: 'Start: ask 2 people now' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('so nothing was started').waitFor();
    expect(await runsNamed('Held')).toEqual([]);
    await page.getByRole('button', { name: 'Don’t start' }).click();
    await page.getByText(/^Only this time/).click();
    await page.getByLabel('Name of this run').fill('Started later');
    await page.getByRole('button', { name: 'Start: ask 2 people now' }).waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    await letTimePass(page);
    await page.getByRole('button', { name: 'Start: ask 2 people now' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
    await page.getByText('Nobody has been asked yet.').hover();
    await page.clock.fastForward(11_000);
    await page.clock.resume();
    await page.getByText('Started later has started.').waitFor();
    await page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name: 'Show' }).click();
    await page.getByRole('heading', { level: 1, name: 'Started later' }).waitFor();
    expect(await runsNamed('Started later')).toHaveLength(1);
    // What has been reported does not lead away from the next job.
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
    await page.getByRole('link', { name: 'Start Nobody there …' }).click();
    await page.getByText('It can’t be started:').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Nobody there' }).waitFor();
    await endAll();
  });

  test('[JOB-8] [PORT-9] On the board, what somebody wrote that is unclear stands above the silent, and is counted as YES by one tap', async () => {
    const id = await started(71, 'Board');
    const page = await portal.visit(`/runs/${id}`, { width: 360, height: 740, theme: 'dark', touch: true });
    await page.getByRole('link', { name: '6 Silent' }).waitFor();
    await answer(portal.demo.app, id, phoneOf(20), 'Yes!');
    await page.getByRole('list', { name: 'YES (1)' }).getByText('Person 20').waitFor();
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await answer(portal.demo.app, id, phoneOf(21), 'What time exactly?');
    await page.getByRole('list', { name: 'Wrote, not clear (1)' }).getByText('What time exactly?').waitFor();
    const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(titles.slice(0, 3)).toEqual(['YES (1)', 'Wrote, not clear (1)', 'Silent (4)']);
    await page.getByRole('button', { name: 'Count as YES for Person 21' }).tap();
    await page.getByRole('list', { name: 'YES (2)' }).getByText('Person 21').waitFor();
    await page.getByText('2 of 2', { exact: true }).waitFor();
    await page.getByText('The goal is reached.').waitFor();
    // Somebody telephones, and has a place no more.
    await page.getByRole('button', { name: /^Person 20/ }).tap();
    const sheet = page.getByRole('dialog', { name: 'Person 20' });
    await expectSoon(() => sheet.getByRole('link', { name: /46 701 00 01 20/ }).getAttribute('href')).toBe(
      `tel:+${phoneOf(20)}`,
    );
    await sheet.getByRole('button', { name: 'Take the YES back' }).tap();
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await page.getByRole('link', { name: '1 NO' }).tap();
    await page.getByRole('list', { name: 'NO (1)' }).getByText('Person 20').waitFor();
    await expectSoon(() => page.getByRole('list', { name: /^Silent/ }).count()).toBe(0);
    await endAll();
  });

  test('[JOB-8] [PORT-9] From the board more people are asked, a text goes to the silent, the run is extended, and it ends by two taps', async () => {
    const id = await started(71, 'Steered');
    const page = await portal.visit(`/runs/${id}`, { width: 360, height: 740, touch: true });
    await page.getByText('4 people more will be asked').filter({ visible: true }).waitFor();
    const press = (name: string) =>
      page.getByRole('button', { name, exact: true }).filter({ visible: true }).tap();
    await press('Ask them now');
    const question = page.getByRole('dialog', { name: 'Ask 4 more people?' });
    await question.getByText('It costs about 4 SMS parts.').waitFor();
    await question.getByRole('button', { name: 'Ask them now' }).tap();
    await page.getByRole('link', { name: '10 Silent' }).waitFor();
    await page.getByText('Everybody has been asked.').filter({ visible: true }).waitFor();
    await press('Write …');
    const writing = page.getByRole('dialog', { name: 'Write to the people' });
    await writing.getByRole('textbox', { name: 'Text' }).fill('Please answer soon');
    await writing.getByText('To 10 people: 10 SMS parts').waitFor();
    // The answer is lost, and the dialog is closed and opened again.
    await page.route('**/tell', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await writing.getByRole('button', { name: 'Send' }).tap();
    await writing.getByRole('alert').waitFor();
    await page.unroute('**/tell');
    await writing.getByRole('button', { name: 'Cancel' }).tap();
    await press('Write …');
    await writing.getByRole('button', { name: 'Send' }).tap();
    await writing.waitFor({ state: 'detached' });
    const told = async () =>
      (await sentBy(portal.demo.app, id)).filter(({ text }) => text === 'Please answer soon').length;
    await until(async () => (await told()) === 10, patienceMs);
    const { end } = (await api().get(`/api/v1/runs/${id}`)).body;
    await press('Actions …');
    const more = page.getByRole('dialog', { name: 'Actions' });
    await more.getByRole('button', { name: 'Extend by 30 minutes' }).tap();
    const later = new Date(Date.parse(end) + 30 * 60_000).toISOString();
    await until(async () => (await api().get(`/api/v1/runs/${id}`)).body.end === later, patienceMs);
    const record = page.context().request;
    const href = await more.getByRole('link', { name: 'Record as CSV' }).getAttribute('href');
    expect(await (await record.get(portal.demo.app.baseUrl + href)).text()).toContain('Person 20');
    await more.getByRole('button', { name: 'End …' }).filter({ visible: true }).tap();
    expect((await api().get(`/api/v1/runs/${id}`)).body.phase).toBe('open');
    const sure = page.getByRole('dialog', { name: 'End Steered?' });
    await sure.getByRole('button', { name: 'End', exact: true }).tap();
    await more.waitFor({ state: 'detached' });
    await page.getByText('The run was called off.').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Ask them now' }).count()).toBe(0);
    expect(await told()).toBe(10);
  });

  test('[JOB-8] [PORT-9] The board is worked by keyboard, and shows at once that another owner has ended the run', async () => {
    const id = await started(71, 'Two owners');
    const page = await portal.visit(`/runs/${id}`);
    await answer(portal.demo.app, id, phoneOf(22), 'Perhaps');
    await page.getByRole('button', { name: 'NO for Person 22' }).press('Enter');
    await page.getByRole('link', { name: '1 NO' }).waitFor();
    await page.getByRole('button', { name: /^Person 23/ }).press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Person 23' });
    await sheet.getByRole('button', { name: 'Write' }).press('Enter');
    const writing = page.getByRole('dialog', { name: 'Write to Person 23' });
    await writing.getByRole('textbox', { name: 'Text' }).fill('Can you call me?');
    await writing.getByRole('button', { name: 'Send' }).press('Enter');
    const texts = async () =>
      (await sentBy(portal.demo.app, id)).filter(({ text }) => text === 'Can you call me?');
    await until(async () => (await texts()).length === 1, patienceMs);
    expect((await texts()).map(({ to }) => to)).toEqual([phoneOf(23)]);
    await page.getByRole('list', { name: /^Silent/ }).waitFor();
    const ended = await api(dave).post(`/api/v1/runs/${id}/cancel`, {});
    expect(ended.status).toBe(200);
    await page.getByText('The run was called off.').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Extend by 15 minutes' }).count()).toBe(0);
    await page.getByRole('listitem').filter({ hasText: 'by dave' }).first().waitFor();
  });

  test('[PORT-9] The board says since when it is not live, goes on by itself, and says when there is no such run', async () => {
    const id = await started(73, 'Lost');
    const page = await portal.visit(`/runs/${id}`, { width: 360, height: 740 });
    await page.getByText('0 YES', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText(/^Not live since \d\d:\d\d/).waitFor();
    await answer(portal.demo.app, id, phoneOf(20), 'yes');
    await page.context().setOffline(false);
    await page.getByText('1 YES', { exact: true }).waitFor();
    await page.getByText(/^Not live since/).waitFor({ state: 'detached' });
    await page.goto(`${portal.demo.app.baseUrl}/portal/runs/999999`);
    await page.getByText('There is no run 999999 that you may see.').waitFor();
    await expectSoon(() => page.getByRole('link', { name: 'Jobs' }).count()).toBeGreaterThan(0);
    await endAll();
  });

  test('[PORT-9] A board says that people are lacking, a run that waits for its time can be cancelled, and only users with the role have jobs', async () => {
    const { app } = portal.demo;
    const short = await started(72, 'Short');
    const page = await portal.visit(`/runs/${short}`);
    await page.getByText('People are lacking:').waitFor();
    const later = { jobname: 'Later', scheduledstart: inAnHour() };
    const { body } = await api().post('/api/v1/jobs/73/start', later);
    await page.goto(`${app.baseUrl}/portal/runs/${body.id}`);
    await page.getByText('Nobody has been asked yet.').waitFor();
    await page.getByRole('timer').filter({ hasText: 'starts' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the start …' }).press('Enter');
    const sure = page.getByRole('dialog', { name: 'End Later?' });
    await sure.getByRole('button', { name: 'Cancel the start' }).press('Enter');
    await page.getByText('The run was called off.').waitFor();
    await page.context().clearCookies();
    await portal.signIn(page.context(), { username: 'carol', password: "carol's long password" });
    await page.goto(`${app.baseUrl}/portal/jobs`);
    await page.getByText('This page needs the role Jobs or Administrator').waitFor();
    await expectSoon(() => page.getByRole('link', { name: 'Jobs', exact: true }).count()).toBe(0);
    await page.goto(`${app.baseUrl}/portal/runs/${short}`);
    await page.getByRole('main').getByRole('link', { name: 'Jobs' }).first().waitFor();
    await expectSoon(() => page.getByText('People are lacking:').count()).toBe(0);
    await endAll();
  });

  test('[PORT-4] [JOB-8] The front page leads to the board of a run, and ends nothing by one press', async () => {
    await started(71, 'On the front page');
    const page = await portal.visit('/');
    const line = page.getByRole('listitem').filter({ hasText: 'On the front page' });
    await line.getByText('0 of 2 places filled').waitFor();
    await expectSoon(() => line.getByRole('button').count()).toBe(0);
    await line.getByRole('link', { name: 'Open' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'On the front page' }).waitFor();
    await endAll();
  });

  test('[PORT-5] The pages of jobs and the board have no accessibility barriers, in either theme and language, and fit a phone', async () => {
    const id = await started(71, 'Looked at');
    await answer(portal.demo.app, id, phoneOf(20), 'Yes!');
    await answer(portal.demo.app, id, phoneOf(21), 'What time exactly?');
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 360, theme: 'light', language: 'sv' },
      { width: 1280, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    const paths = ['/jobs', '/jobs/71', `/runs/${id}`, `/runs/${id}?wall=true`];
    for await (const page of portal.pages(paths, appearances)) {
      await page
        .getByText(/Looked at|Night alarm/)
        .first()
        .waitFor();
      await expectSoon(() => page.getByRole('status', { name: /Loading|Laddar/ }).count()).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    await endAll();
  });
});
