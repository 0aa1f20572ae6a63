/** API keys and sessions as a person uses them: creating, showing once, revoking; and seeing and ending other sessions. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { beginSession } from '../harness/browser-session.ts';
import { patienceMs } from '../harness/browser-windows.ts';

describePortal('keys and sessions in the portal', (portal) => {
  test('[PORT-8] [AUTH-5] [ALERT-4] An API key can be made in the portal, with limits, is shown once, works, and can be revoked', async () => {
    const page = await portal.visit('/keys');
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Create a key' }).press('Enter');
    await form.locator('input:focus').fill('ward system');
    await form.getByLabel('Only some calls').check();
    // Nothing is chosen yet.
    await expectSoon(() => form.getByRole('button', { name: 'Create a key' }).isDisabled()).toBe(true);
    await form.getByLabel('Read').check();
    await form.getByLabel('Only from these networks').fill('127.0.0.0/8, ::1');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByText('curl', { exact: false }).first().click();
    await expectSoon(() => form.locator('code').textContent()).toContain('"name": "ward system"');
    await form.getByRole('button', { name: 'Create a key' }).click();
    const made = page.getByRole('dialog', { name: 'The key “ward system”' });
    const key = (await made.locator('code').textContent()) ?? '';
    const { app } = portal.demo;
    const works = async () => (await app.as({ key }).get('/api/v1/messages')).status;
    expect(await works()).toBe(200);
    const sent = await app.as({ key }).post('/api/v1/send', { to: ['46701740699'], message: 'Hi' });
    expect(sent.body).toMatchObject({ code: 'scope_missing' });
    // A key cannot create another key, which would outlive it.
    expect((await app.as({ key }).post('/api/v1/apikeys', { name: 'other' })).status).toBe(401);
    await made.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Read · 127.0.0.0/8, ::1').waitFor();
    await page.getByRole('button', { name: 'Limit ward system' }).click();
    const limits = page.getByRole('dialog', { name: 'Limit “ward system”' });
    await limits.getByLabel('Send', { exact: true }).check();
    await limits.getByRole('button', { name: 'Remove 127.0.0.0/8' }).click();
    await limits.getByRole('button', { name: 'Remove ::1' }).click();
    await limits.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Read, Send', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Revoke ward system' }).click();
    const sure = page.getByRole('dialog', { name: 'Revoke “ward system”?' });
    await sure.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    await until(async () => (await works()) === 401, patienceMs);
    expect(await page.content()).not.toContain(key);
  });

  test('[PORT-2] A user’s sessions elsewhere are seen at once, and can be signed out', async () => {
    const page = await portal.visit('/sessions');
    const { username, password, app } = portal.demo;
    const elsewhere = await beginSession(app, { username, password });
    // The change appears without a reload.
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await until(async () => (await elsewhere.status()) === 401, patienceMs);
    await page.getByRole('row').filter({ hasText: 'this one' }).waitFor();
  });

  const till = { username: 'till.owner', password: 'makes keys for the tills' };

  /** A user with keys of these names, which are answered. */
  async function makeKeys(...names: readonly string[]): Promise<readonly string[]> {
    const { app } = portal.demo;
    const applied = await app.apply(
      `companies: [{ name: Demo, users: [{ username: ${till.username}, password: ${till.password}, roles: [send] }] }]`,
    );
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
    const made = names.map((name) => app.as(till).post('/api/v1/apikeys', { name }));
    return (await Promise.all(made)).map(({ body }) => body.apiKey as string);
  }

  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const statusOf = async (key: string) => (await portal.demo.app.as({ key }).get('/api/v1/messages')).status;

  test('[PORT-10] [AUTH-5] An administrator finds the unused keys of everybody, ends several at a time, and revokes them, by keyboard', async () => {
    const [first = '', second = ''] = await makeKeys('till 1', 'till 2');
    const page = await portal.visit('/admin/keys', { width: 1280 });
    await rowOf(page, 'till 1').getByText(till.username).waitFor();
    await page.getByRole('checkbox', { name: 'Unused for 90 days' }).press('Space');
    await page.waitForURL(/unused=true/);
    await page.getByRole('checkbox', { name: `Select till 1 of ${till.username}` }).press('Space');
    await page.getByRole('checkbox', { name: `Select till 2 of ${till.username}` }).press('Space');
    await page.getByRole('button', { name: 'Set end' }).press('Enter');
    const ends = page.getByRole('dialog', { name: 'Set end' });
    await ends.getByText('When do 2 keys end?').waitFor();
    // No time has been chosen yet.
    await expectSoon(() => ends.getByRole('button', { name: 'Set end' }).isDisabled()).toBe(true);
    await ends.getByLabel('Ends').fill('2040-06-01T12:00');
    await ends.getByRole('button', { name: 'Set end' }).press('Enter');
    await page.getByText('The end of 2 keys is set.').waitFor();
    await rowOf(page, 'till 2').getByText('2040').waitFor();
    await page.getByRole('checkbox', { name: 'No end' }).press('Space');
    await page.waitForURL(/withoutEnd=true/);
    await rowOf(page, 'till 2').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'No end' }).press('Space');
    await page.getByRole('checkbox', { name: `Select till 1 of ${till.username}` }).press('Space');
    await page.getByRole('button', { name: 'Revoke' }).press('Enter');
    const sure = page.getByRole('dialog', { name: 'Revoke' });
    await sure.getByText('it never works again').waitFor();
    await sure.getByRole('button', { name: 'Revoke' }).press('Enter');
    await page.getByText('1 key is revoked.').waitFor();
    await rowOf(page, 'till 1').getByText('Revoked').waitFor();
    await expectSoon(() => statusOf(first)).toBe(401);
    expect(await statusOf(second)).toBe(200);
    await page.getByRole('radio', { name: 'Revoked' }).press('Space');
    await page.waitForURL(/state=revoked/);
    await rowOf(page, 'till 2').waitFor({ state: 'detached' });
    await rowOf(page, 'till 1').waitFor();
  });

  test('[PORT-10] On a phone, an administrator takes the end of a key away, so that it works again', async () => {
    const [key = ''] = await makeKeys('till 3');
    const { app } = portal.demo;
    const { apiKeys } = (await app.as(till).get('/api/v1/apikeys')).body as {
      readonly apiKeys: readonly { readonly id: string; readonly name: string }[];
    };
    const id = apiKeys.find(({ name }) => name === 'till 3')?.id ?? '';
    await app.as(till).patch(`/api/v1/apikeys/${id}`, { expires: '2020-01-01T00:00Z' });
    await expectSoon(() => statusOf(key)).toBe(401);
    const page = await portal.visit('/admin/keys', { width: 360 });
    await rowOf(page, 'till 3').getByText('Expired').waitFor();
    await page.getByRole('checkbox', { name: `Select till 3 of ${till.username}` }).click();
    await page.getByRole('button', { name: 'Remove end' }).click();
    const sure = page.getByRole('dialog', { name: 'Remove end' });
    await sure.getByText('works again if it has expired').waitFor();
    await sure.getByRole('button', { name: 'Remove end' }).click();
    await page.getByText('1 key has no end.').waitFor();
    await rowOf(page, 'till 3').getByText('Active').waitFor();
    await expectSoon(() => statusOf(key)).toBe(200);
  });

  test('[PORT-5] [PORT-10] The page of everybody’s keys has no accessibility barriers, also with keys selected, in both themes and languages, and fits a phone', async () => {
    await makeKeys('till 4');
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 1280, theme: 'light', language: 'en' },
      { width: 1280, theme: 'dark', language: 'en' },
    ] as const;
    for await (const page of portal.pages(['/admin/keys'], appearances)) {
      await page.getByRole('checkbox', { name: /till 4/ }).check();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });

  test('[PORT-5] The pages of API keys and of sessions have no accessibility barriers, and fit a phone', async () => {
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 360, theme: 'dark', language: 'sv' },
    ] as const;
    for await (const page of portal.pages(['/keys', '/sessions'], appearances)) {
      await page.getByRole('table').or(page.getByText('Inga API-nycklar')).first().waitFor();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
