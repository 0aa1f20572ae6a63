/** API keys and sessions as a person uses them: creating, showing once, revoking; and seeing and ending other sessions. */
import { expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, overflowOf } from '../harness/browser.ts';
import { beginSession } from '../harness/browser-session.ts';
import { patienceMs } from '../harness/browser-windows.ts';

describePortal('keys and sessions in the portal', (portal) => {
  test('[PORT-8] [AUTH-5] An API key can be made in the portal, is shown once, works, and can be revoked', async () => {
    const page = await portal.visit('/keys');
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Create a key' }).press('Enter');
    await form.locator('input:focus').fill('ward system');
    await form.getByText('curl', { exact: false }).first().click();
    expect(await form.locator('code').textContent()).toContain('"name": "ward system"');
    await form.getByRole('button', { name: 'Create a key' }).click();
    const made = page.getByRole('dialog', { name: 'The key “ward system”' });
    const key = (await made.locator('code').textContent()) ?? '';
    const { app } = portal.demo;
    const works = async () => (await app.as({ key }).get('/api/v1/messages')).status;
    expect(await works()).toBe(200);
    // A key cannot create another key, which would outlive it.
    expect((await app.as({ key }).post('/api/v1/apikeys', { name: 'other' })).status).toBe(401);
    await made.getByRole('button', { name: 'I have copied it' }).click();
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
