/** A passkey as a person adds it, signs in with it, confirms with it, and takes it away again, with a device made by the browser. */
import { expect, test } from 'vitest';
import { barriersOf, describePortalOf, expectSoon, overflowOf } from '../harness/browser.ts';
import { deviceOf } from '../harness/browser-device.ts';
import { startDemo } from '../harness/demo.ts';

describePortalOf(
  'a passkey in the portal',
  { start: () => startDemo({ isNamed: true }), end: (demo) => demo.app.close() },
  (portal) => {
    test('[PORT-12] [PORT-5] A passkey is added by name, signs in and confirms after the password, and is removed', async () => {
      const { username, password } = portal.demo;
      const page = await portal.visit('/sessions', { width: 360 });
      const device = await deviceOf(page);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      const adding = page.getByRole('dialog', { name: 'Add a passkey' });
      await adding.getByLabel('Name').fill('My phone');
      await device.verifies(false);
      await page.keyboard.press('Enter');
      await adding.getByText('The browser gave no passkey').waitFor();
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
      await device.verifies(true);
      await adding.getByRole('button', { name: 'Continue' }).click();
      const once = page.getByRole('dialog', { name: 'Recovery codes' });
      await once.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByText('Passkey: My phone').waitFor();
      await page.getByText('10 left').waitFor();
      expect(await device.passkeys()).toBe(1);
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);

      // The same device signs in, after the password.
      await page.context().clearCookies();
      await page.goto(`${portal.demo.app.baseUrl}/portal/sessions`);
      await page.getByLabel('User name').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
      const give = page.getByRole('button', { name: 'Use a passkey' });
      await device.verifies(false);
      await give.click();
      await page.getByText('The browser gave no passkey').waitFor();
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
      await device.verifies(true);
      await give.click();
      await page.getByText('Passkey: My phone').waitFor();
      await page.getByRole('region', { name: 'Second factor' }).getByText('Last used').waitFor();

      await page.getByRole('button', { name: 'Remove' }).click();
      const sure = page.getByRole('dialog', { name: 'Remove: My phone?' });
      await sure.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Passkey: My phone').waitFor({ state: 'detached' });
      await expectSoon(() => page.getByText('10 left').count()).toBe(0);
      await device.leave();
    });
  },
);
