/** Signing in to the portal with an identity provider that is not ours, in a browser. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, overflowOf } from '../harness/browser.ts';
import { clientId, clientSecret, startRealProvider } from '../harness/identity-provider.ts';

describePortal('identity providers in the portal', (portal) => {
  test('[PORT-12] [PORT-5] Users sign in with their organisation by keyboard, come back to the page asked for, and are told in Swedish why not', async () => {
    const groups = { groups: ['staff'] };
    const real = await startRealProvider({
      anna: { preferred_username: 'anna@care.example', ...groups },
      bo: { preferred_username: 'bo@care.example', groups: [] },
    });
    try {
      const { app } = portal.demo;
      portal.elsewhere.add(real.issuer);
      // Its own pages ask for a font, which they don't get.
      const fonts = 'https://fonts.googleapis.com';
      portal.elsewhere.add(fonts);
      const withoutFonts = (page: Page) => page.route(`${fonts}/**`, (route) => route.abort());
      real.knows(app.baseUrl);
      const applied = await app.apply(`oidc:
  - { name: care, company: Demo, label: Care, issuer: "${real.issuer}", clientId: ${clientId}, clientSecret: "${clientSecret}", scopes: [profile, groups], roles: { claim: groups, map: { staff: [send] } }, create: true, shown: true }`);
      expect(applied).toMatchObject({ exitCode: 0 });
      const page = await portal.visit('/', { as: 'nobody' });
      await withoutFonts(page);
      const button = page.getByRole('link', { name: 'Sign in with Care' });
      // The document names the provider as soon as the server knows of it.
      await until(async () => (await (await fetch(`${app.baseUrl}/portal/`)).text()).includes('Care'));
      await page.reload();
      await button.waitFor();
      expect(await barriersOf(page)).toEqual([]);
      await page.goto(`${app.baseUrl}/portal/templates`);
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByPlaceholder('Enter any login').fill('anna');
      await page.getByPlaceholder('and password').fill('any');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
      await page.getByText('anna@care.example').first().waitFor();

      const phone = await portal.visit('/', { as: 'nobody', width: 360, language: 'sv' });
      await withoutFonts(phone);
      await phone.getByRole('link', { name: 'Logga in med Care' }).click();
      await phone.getByPlaceholder('Enter any login').fill('bo');
      await phone.getByPlaceholder('and password').fill('any');
      await phone.keyboard.press('Enter');
      await phone.getByRole('button', { name: 'Continue' }).click();
      await phone.getByText('Ingen av dina grupper ger dig någon behörighet här.').waitFor();
      expect(await overflowOf(phone)).toBe(0);
    } finally {
      await real.close();
    }
  });
});
