/** The portal as operators use it: they sign in, and look at companies, users and messages. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { sendOne } from '../harness/messaging.ts';

const password = 'a long password of olle';
const file = `operators: [{ username: olle, password: "${password}" }]\n`;

describePortal('operators in the portal', (portal) => {
  const signIn = async (page: Page, given = password) => {
    await page.getByLabel('Name').fill('olle');
    await page.getByLabel('Password', { exact: true }).fill(given);
    await page.keyboard.press('Enter');
  };

  test('[PORT-3] [PORT-11] An operator signs in by keyboard, finds a company and a message of it, and never sees a text', async () => {
    expect((await portal.demo.app.apply(file)).stderr).toBe('');
    const id = await sendOne(portal.demo.app.as(portal.demo), { message: 'A secret of the ward' });
    const page = await portal.visit('/operator', { as: 'nobody', width: 1280 });
    await page.getByRole('heading', { level: 1, name: 'Sign in as an operator' }).waitFor();
    await signIn(page, 'not the password');
    await page.getByText('The name or the password is wrong.').waitFor();
    await signIn(page);
    await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
    await page.getByRole('banner').getByText('Operator').waitFor();
    await page.getByRole('link', { name: 'Demo', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'demo' }).getByText('Administrator').waitFor();
    await page.getByLabel('Id of a message').fill(id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Message ${id}` }).waitFor();
    await page.getByText('Its text is not shown to operators').waitFor();
    await expectSoon(() => page.getByText('A secret of the ward').count()).toBe(0);
    // The company's administrators read in their audit log who has looked.
    const { entries } = (await portal.demo.app.as(portal.demo).get('/api/v1/audit')).body;
    const looks = entries.filter(({ channel }: { channel: string }) => channel === 'operator');
    expect(looks.map(({ act, username }: { act: string; username: string }) => [act, username])).toEqual([
      ['message.read', 'olle'],
      ['company.look', 'olle'],
    ]);
  });

  test('[PORT-3] [PORT-5] The pages of operators work on a phone and in Swedish, without barriers in either theme, and end with the sign-out', async () => {
    const page = await portal.visit('/operator', { as: 'nobody', width: 360, touch: true });
    await signIn(page);
    const hasNoBarriers = async (heading: string) => {
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([heading, colorScheme, await barriersOf(page)]).toEqual([heading, colorScheme, []]);
        expect([heading, await overflowOf(page)]).toEqual([heading, 0]);
      }
    };
    await hasNoBarriers('Companies');
    await page.getByRole('link', { name: 'Demo', exact: true }).tap();
    await hasNoBarriers('Demo');
    await page.getByRole('link', { name: 'Service', exact: true }).tap();
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByText('Alive').first().waitFor();
    await hasNoBarriers('Service');
    await page.getByRole('button', { name: 'olle' }).tap();
    await page.getByText('Svenska').tap();
    await page.getByRole('heading', { level: 1, name: 'Tjänsten' }).waitFor();
    await page.getByRole('button', { name: 'olle' }).tap();
    await page.getByRole('button', { name: 'Logga ut' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Logga in som drift' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Logga in som drift' }).waitFor();
  });
});
