/** The page of saved jobs, as an administrator uses it: making, rehearsing, changing and removing them. */
import { expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';

const path = '/api/v1/savedjobs';
const nurse = { tagType: 'role', tagValue: 'nurse', goal: 1 };
const draft = { type: 'QuickAssign', message: 'Can you come? YES or NO', tasks: [nurse] };

describePortal('saved jobs that administrators keep in the portal', (portal) => {
  const api = () => portal.demo.app.as(portal.demo);
  const make = async (name: string) => (await api().post(path, { ...draft, owner: 'demo-jobs', name })).body;
  const named = async (name: string) => {
    const { jobs } = (await api().get(path)).body as { jobs: { id: string; name: string }[] };
    const found = jobs.find((job) => job.name === name);
    return found && (await api().get(`${path}/${found.id}`)).body;
  };

  test('[PORT-9] [JOB-13] By keyboard alone, a job with two levels is made, rehearsed while it is typed, and changed', async () => {
    const page = await portal.visit('/admin/saved-jobs');
    await page.getByRole('link', { name: 'Night alarm' }).waitFor();
    await page.getByRole('link', { name: 'New job' }).press('Enter');
    await page.getByLabel('Name').fill('Extra nurse');
    await page.getByLabel('Type', { exact: true }).selectOption('QuickAssign');
    await page.getByText('fills places, level by level').waitFor();
    await page.getByLabel('Owner').selectOption('demo-jobs');
    await page.getByLabel('Question').fill('Can you come tonight? YES or NO');
    const first = page.getByRole('group', { name: 'Level 1' });
    await first.getByLabel('Ask').fill('role:nurse');
    await page.getByRole('button', { name: 'Ask more later' }).press('Enter');
    const second = page.getByRole('group', { name: /^Level 2/ });
    await second.getByLabel('After minutes').fill('10');
    await second.getByLabel('Ask').fill('role:doctor');
    const escalations = [{ afterMinutes: 10, tagFilter: 'role:doctor' }];
    const rehearsed = await api().post(`${path}/rehearse`, { ...draft, tasks: [{ ...nurse, escalations }] });
    const { tasks } = rehearsed.body;
    const added = tasks[0].levels[1].people;
    expect(added).toBeGreaterThan(0);
    await page.getByRole('group', { name: `Level 2 · ${added} ` }).waitFor();
    await page.getByText('after 10 min').waitFor();
    expect(await named('Extra nurse')).toBeUndefined();
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText('The job has been saved.').waitFor();
    expect(await named('Extra nurse')).toMatchObject({
      owner: 'demo-jobs',
      tasks: [{ tagValue: 'nurse', goal: 1, escalations: [{ afterMinutes: 10, tagFilter: 'role:doctor' }] }],
    });
    await page.waitForURL(/saved-jobs\/[0-9]+$/);
    await page.getByLabel('Goal', { exact: true }).fill('0');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    const goal = page.getByLabel('Goal', { exact: true });
    await page.locator('[aria-invalid]').waitFor();
    await expectSoon(() => goal.getAttribute('aria-invalid')).toBe('true');
    await goal.fill('2');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    expect(await named('Extra nurse')).toMatchObject({ tasks: [{ goal: 2 }] });
  });

  test('[PORT-9] On a phone, a job is changed to ask everyone at once, and removed', async () => {
    await make('Old job');
    const page = await portal.visit('/admin/saved-jobs', { width: 360 });
    await page.getByRole('link', { name: 'Old job' }).click();
    await page.getByLabel('Type', { exact: true }).selectOption('MonitoredMessage');
    await page.getByLabel('Groups').fill('board');
    await page.getByRole('button', { name: 'Add' }).last().click();
    await page.getByText('asks everyone at once').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The job has been saved.').waitFor();
    expect(await named('Old job')).toMatchObject({ recipients: { groups: ['board'] }, tasks: [] });
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    // What was just said lies over the end of the page.
    await page.reload();
    await page.getByRole('button', { name: 'Remove job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove job' }).click();
    await page.getByText('Old job has been removed.').waitFor();
    expect(await named('Old job')).toBeUndefined();
  });

  test('[PORT-9] If somebody else changes the job meanwhile, both versions are shown, and nothing typed is lost', async () => {
    const { id, version } = await make('Shared');
    const page = await portal.visit(`/admin/saved-jobs/${id}`);
    await page.getByLabel('Question').fill('Mine?');
    const escalations = [{ afterMinutes: 10, tagFilter: 'role:doctor', goal: 2 }];
    const change = { message: 'Theirs?', tasks: [{ ...nurse, escalations }] };
    const theirs = await api().patch(`${path}/${id}`, change, ifMatch(version));
    expect(theirs.status, theirs.text).toBe(200);
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await page.getByRole('row', { name: 'Question Mine? Theirs?' }).waitFor();
    await page
      .getByRole('row', { name: /role:nurse → 1 role:nurse → 1\s10 min: role:doctor → 2$/ })
      .waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('The job has been saved.').waitFor();
    expect((await api().get(`${path}/${id}`)).body).toMatchObject({ message: 'Mine?' });
  });

  test('[PORT-9] [JOB-13] In Swedish, why a job can’t be started is told in Swedish, and what is no number is refused', async () => {
    const page = await portal.visit('/admin/saved-jobs/new', { language: 'sv' });
    await page.getByLabel('Namn').fill('Nattlarm');
    await page.getByLabel('Typ', { exact: true }).selectOption('MonitoredMessage');
    await page.getByLabel('Ägare').selectOption('demo-jobs');
    await page.getByLabel('Fråga', { exact: true }).fill('Kan du komma? JA eller NEJ');
    const problem = page.getByText('Det går inte att starta så här: Jobbet har ingen att fråga');
    await problem.waitFor();
    await expectSoon(() => problem.locator('[lang=en]').count()).toBe(0);
    const numbers = page.getByRole('group', { name: 'Vilka som tillfrågas' }).getByLabel('Nummer');
    await numbers.fill('46701740620\nring mig');
    await page.getByRole('button', { name: 'Spara', exact: true }).click();
    await page.locator('textarea[aria-invalid=true]').waitFor();
    await expectSoon(() => numbers.getAttribute('aria-invalid')).toBe('true');
    expect(await named('Nattlarm')).toBeUndefined();
    await numbers.fill('46701740620');
    await page.getByRole('button', { name: 'Spara', exact: true }).click();
    await page.getByText('Jobbet har sparats.').waitFor();
    expect(await named('Nattlarm')).toMatchObject({ recipients: { numbers: ['46701740620'] } });
  });

  test('[PORT-6] What a provisioning file sets of a job is marked and can’t be typed into', async () => {
    const file =
      'companies: [{ name: Demo, savedJobs: [{ id: 80, owner: demo-jobs, name: Of the file, type: QuickAssign, message: "Come?" }] }]';
    const applied = await portal.demo.app.apply(file);
    expect(applied.exitCode, JSON.stringify(applied)).toBe(0);
    const page = await portal.visit('/admin/saved-jobs/80');
    await page.getByText('Your operator keeps a part of this job.').waitFor();
    await expectSoon(() => page.getByLabel('Name').isDisabled()).toBe(true);
    await expectSoon(() => page.getByLabel('Owner').isDisabled()).toBe(true);
    await expectSoon(() => page.getByRole('button', { name: 'Another task' }).isDisabled()).toBe(false);
    await expectSoon(() => page.getByRole('button', { name: 'Remove job' }).count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
  });
});
