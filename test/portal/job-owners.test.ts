/** The pages of job types and of the owners of jobs, as an administrator uses them. */
import { expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { startReceiver } from '../harness/receiver.ts';

const types = '/api/v1/jobtypes';
const owners = '/api/v1/systemusers';

describePortal('types and owners of saved jobs in the portal', (portal) => {
  const api = () => portal.demo.app.as(portal.demo);

  test('[PORT-9] [EVT-1] By keyboard alone, a type, an owner and a job with them are made; the job is started, and its owner is told', async () => {
    const receiver = await startReceiver();
    const page = await portal.visit('/admin/saved-jobs');
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'Types', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'New type' }).press('Enter');
    await page.getByLabel('Name').fill('Night call');
    await page.getByLabel('Minutes until it ends').fill('45');
    await page.getByLabel('Words for YES').fill('JA');
    await page.getByLabel('Words for YES').press('Enter');
    await save();
    await page.getByRole('heading', { name: 'Night call' }).waitFor();
    expect((await api().get(`${types}/Night call`)).body).toMatchObject({
      generic: 'GMA',
      expiryMinutes: 45,
      yes: ['JA'],
      tellUnneeded: true,
    });
    await page.getByLabel('Minutes until a reminder').fill('5');
    await page.getByText('Texts of its own').press('Enter');
    await page.getByLabel(/^Reminder/).fill('Please answer');
    await save();
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    expect((await api().get(`${types}/Night call`)).body).toMatchObject({
      reminderMinutes: 5,
      reminderText: 'Please answer',
    });

    await page.getByRole('link', { name: 'Job types' }).press('Enter');
    await page.getByRole('link', { name: 'Owners', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'New owner' }).press('Enter');
    await page.getByLabel('Name').fill('ward-jobs');
    await page.getByLabel('Post events to a program').press('Space');
    // The browser keeps what is typed, so no secret is asked for.
    expect(
      await page.getByRole('textbox').evaluateAll((all) => all.map((one) => one.getAttribute('type'))),
    ).toEqual(['text', 'url']);
    await page.getByLabel('Address').fill('http://10.0.0.1/jobs');
    await save();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByLabel('An answer came').press('Space');
    await save();
    const dialog = page.getByRole('dialog', { name: 'Secret of ward-jobs' });
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await page.getByText('Posts are signed with a secret.').waitFor();
    await expectSoon(() => dialog.count()).toBe(0);

    const { users } = (await api().get('/api/v1/users', { name: portal.demo.username })).body;
    const own = await portal.visit(`/admin/users/${users[0].id}`);
    await own.getByLabel('Starts the jobs of').selectOption('ward-jobs');
    await own.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await until(
      async () => (await api().get(`/api/v1/users/${users[0].id}`)).body.systemUser === 'ward-jobs',
    );

    const job = await portal.visit('/admin/saved-jobs/new');
    await job.getByLabel('Name').fill('Ward tonight');
    await job.getByLabel('Type', { exact: true }).selectOption('Night call');
    await job.getByLabel('Owner').selectOption('ward-jobs');
    await job.getByLabel('Question').fill('Can you come tonight?');
    await job.getByRole('group', { name: 'Level 1' }).getByLabel('Ask').fill('role:nurse');
    await job.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await job.waitForURL(/saved-jobs\/[0-9]+$/);
    const id = job.url().split('/').at(-1) as string;
    await job.goto(job.url().replace(`admin/saved-jobs/${id}`, `jobs/${id}`));
    await job.getByRole('button', { name: /^Start/ }).press('Enter');
    await job.getByRole('button', { name: 'Start now' }).press('Enter');
    await until(() => receiver.received.some(({ body }) => body.includes('JOB_START')));
    await receiver.close();
  });

  test('[PORT-9] On a phone, a built-in type is replaced, the secret of an owner is changed, and what is in use is not removed', async () => {
    const page = await portal.visit('/admin/saved-jobs/types', { width: 360 });
    await page.getByRole('link', { name: 'GroundHandling' }).click();
    await expectSoon(() => page.getByLabel('Name').inputValue()).toBe('GroundHandling');
    await page.getByLabel('Number of reserves').fill('2');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'GroundHandling' }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    // What was just said lies over the end of the page.
    await page.reload();
    await page.getByRole('button', { name: 'Remove type' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove type' }).click();
    await page.getByText('GroundHandling has been removed.').waitFor();

    const callback = { type: 'POST', url: 'https://receiver.example/jobs' };
    await api().post(owners, { name: 'day-jobs', callback });
    const job = { name: 'Day', type: 'MonitoredMessage', owner: 'day-jobs', message: 'Come?' };
    await api().post('/api/v1/savedjobs', job);
    const one = await portal.visit('/admin/saved-jobs/owners/day-jobs', { width: 360 });
    await one.getByRole('button', { name: 'New secret' }).click();
    await one.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await one.getByText(/^whsec_/).waitFor();
    await one.getByRole('button', { name: 'I have saved it' }).click();
    await one.getByRole('button', { name: 'Remove owner' }).click();
    await one.getByRole('dialog').getByRole('button', { name: 'Remove owner' }).click();
    await one.getByText('The system user owns saved jobs').waitFor();
    await one.getByRole('button', { name: 'Cancel' }).click();
    expect(await overflowOf(one)).toBe(0);
    expect(await barriersOf(one)).toEqual([]);
  });

  test('[PORT-9] [PORT-10] A user who has lost the role for jobs still shows an owner, which can be taken away', async () => {
    await api().post(owners, { name: 'left-jobs' });
    const made = await api().post('/api/v1/users', {
      name: 'leaver',
      roles: ['jobs'],
      systemUser: 'left-jobs',
    });
    const path = `/api/v1/users/${made.body.id}`;
    expect((await api().patch(path, { roles: ['send'] })).body).toMatchObject({ systemUser: 'left-jobs' });
    const page = await portal.visit(`/admin/users/${made.body.id}`);
    await page.getByLabel('Starts the jobs of').selectOption('Nobody');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Starts the jobs of').waitFor({ state: 'detached' });
    expect((await api().get(path)).body).not.toHaveProperty('systemUser');
    expect((await api().request('DELETE', `${owners}/left-jobs`)).status).toBe(200);
  });

  test('[PORT-6] What a file sets is marked, and of two who change a type, the later sees both versions', async () => {
    const file =
      'companies: [{ name: Demo, systemUsers: [{ username: file-jobs, callback: { type: NONE } }], jobTypes: [{ name: Of the file, generic: GMM, reserve: 1 }] }]';
    expect((await portal.demo.app.apply(file)).exitCode).toBe(0);
    const owner = await portal.visit('/admin/saved-jobs/owners/file-jobs');
    await expectSoon(() => owner.getByLabel('Post events to a program').isDisabled()).toBe(true);
    await expectSoon(() => owner.getByRole('button', { name: 'Remove owner' }).count()).toBe(0);
    const page = await portal.visit('/admin/saved-jobs/types/Of the file', { language: 'sv' });
    await expectSoon(() => page.getByLabel('Antal reserver').isDisabled()).toBe(true);
    await page.getByLabel('Minuter till slutet').fill('50');
    const { version } = (await api().get(`${types}/Of the file`)).body;
    const theirs = await api().patch(`${types}/Of the file`, { expiryMinutes: 40 }, ifMatch(version));
    expect(theirs.status, theirs.text).toBe(200);
    await page.getByRole('row', { name: 'Minuter till slutet 50 40' }).waitFor();
    await page.getByRole('button', { name: 'Spara mina' }).click();
    await page.getByText('Sparat.').waitFor();
    expect((await api().get(`${types}/Of the file`)).body).toMatchObject({ expiryMinutes: 50, reserve: 1 });
    expect(await barriersOf(page)).toEqual([]);
  });
});
