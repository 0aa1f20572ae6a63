/** An operator's own page: a second factor by an app and by a passkey, the sessions and the password; all by keyboard. */
import { generateSync } from 'otplib/functional';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { barriersOf, describePortalOf, expectSoon, overflowOf } from '../harness/browser.ts';
import { deviceOf } from '../harness/browser-device.ts';
import { startDemo } from '../harness/demo.ts';

const password = 'a long password of olle';
const codeOf = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });

describePortalOf(
  'a second factor of an operator in the portal',
  { start: () => startDemo({ isNamed: true }), end: (demo) => demo.app.close() },
  (portal) => {
    const signIn = async (page: Page) => {
      await page.getByLabel('Name').fill('olle');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
    };
    const hasNoBarriers = async (page: Page) =>
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
    const companies = (page: Page) => page.getByRole('heading', { level: 1, name: 'Companies' });

    test('[PORT-12] [PORT-3] [PORT-5] An operator adds an app and a passkey by keyboard, and signs in with either after the password', async () => {
      const { app } = portal.demo;
      const applied = await app.apply(`operators: [{ username: olle, password: "${password}" }]\n`);
      expect(applied.stderr).toBe('');
      const page = await portal.visit('/operator', { as: 'nobody', width: 360 });
      const device = await deviceOf(page);
      await signIn(page);
      await page.getByRole('button', { name: 'olle' }).press('Enter');
      await page.getByRole('link', { name: 'Security' }).press('Enter');
      await page.getByText('A provisioning file sets your password').waitFor();
      await hasNoBarriers(page);

      await page.getByRole('button', { name: 'Set up an app' }).press('Enter');
      const setup = page.getByRole('dialog', { name: 'Set up an app' });
      const secret = ((await setup.locator('code').textContent()) ?? '').replaceAll(' ', '');
      await setup.getByLabel('Code').fill(codeOf(secret));
      await page.keyboard.press('Enter');
      const once = page.getByRole('dialog', { name: 'Recovery codes' });
      const recovery = ((await once.locator('code').textContent()) ?? '').split('\n');
      await once.getByRole('button', { name: 'I have saved it' }).press('Enter');
      await page.getByText('10 left').waitFor();
      await page.getByRole('button', { name: 'Add a passkey' }).press('Enter');
      await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Name').fill('My laptop');
      await page.keyboard.press('Enter');
      await page.getByText('Passkey: My laptop').waitFor();
      expect(await device.passkeys()).toBe(1);
      await hasNoBarriers(page);

      await page.context().clearCookies();
      await page.goto(`${app.baseUrl}/portal/operator`);
      await signIn(page);
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
      await hasNoBarriers(page);
      await page.keyboard.press('Enter');
      await companies(page).waitFor();
      await device.leave();

      // Where the device is not at hand, a code does.
      const door = await portal.visit('/operator', { as: 'nobody', width: 1280 });
      await signIn(door);
      await door.getByLabel('Code').fill('123456');
      await door.keyboard.press('Enter');
      await door.getByText('This code is wrong').waitFor();
      await hasNoBarriers(door);
      await door.getByLabel('Code').fill(codeOf(secret, 1));
      await door.keyboard.press('Enter');
      await companies(door).waitFor();
      await door.goto(`${app.baseUrl}/portal/operator/security`);
      await door.getByRole('button', { name: 'Create new codes' }).press('Enter');
      const renewed = door.getByRole('dialog', { name: 'Recovery codes' });
      await expectSoon(() => renewed.locator('code').textContent()).not.toContain(recovery[0]);
      await renewed.getByRole('button', { name: 'I have saved it' }).press('Enter');
      await door.getByRole('button', { name: 'Sign out all others' }).press('Enter');
      await door.getByText('sessions have ended').or(door.getByText('One session has ended')).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Sign in as an operator' }).waitFor();
    });

    test('[PORT-3] [PORT-5] An operator chooses another password, where no file sets it', async () => {
      const { app } = portal.demo;
      const file = (own: string) => `operators: [{ username: kim${own} }]\n`;
      expect((await app.apply(file(`, password: "${password}"`))).stderr).toBe('');
      expect((await app.apply(file(''))).stderr).toBe('');
      const page = await portal.visit('/operator/security', { as: 'nobody', width: 1280 });
      await page.getByLabel('Name').fill('kim');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password').fill('another long password');
      await page.keyboard.press('Enter');
      await page.getByText('The password is changed.').waitFor();
      await page.reload();
      await page.getByRole('region', { name: 'Password' }).waitFor();
      await hasNoBarriers(page);
    });
  },
);
