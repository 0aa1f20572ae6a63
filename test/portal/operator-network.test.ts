/** The operators' pages of carriers, routes, numbers, and of what belongs to nobody, by keyboard and on a phone. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortalOf, expectSoon, overflowOf } from '../harness/browser.ts';
import { ownPage } from '../harness/browser-session.ts';
import type { Appearance } from '../harness/browser-windows.ts';

const olle = { username: 'olle', password: "olle's long password" };
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users: [{ username: alice, password: "${alice.password}", roles: [send] }]
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
  - { name: op1, type: smpp, host: 127.0.0.1, port: 9, systemId: nordic, password: "s3cretpw" }
routes:
  - { name: all, prefix: "", carriers: [sim], simulated: true }
  - { name: norway, prefix: "47", carriers: [op1] }
  - { name: clinic, prefix: "46", carriers: [sim], users: [alice], simulated: true }
numbers:
  - { number: "46731230001", rentedBy: alice }
  - { number: "46731230100", pool: true }
operators: [{ username: ${olle.username}, password: "${olle.password}" }]
`;
const paths = ['carriers', 'carriers/op1', 'routes?number=4712345678', 'numbers', 'unrouted', 'receipts'];

describePortalOf(
  'the operators’ pages of the network',
  {
    start: async () => ({ app: await startWholeApp({ engine: 'sqlite', provisioning }), ...olle }),
    end: ({ app }) => app.close(),
  },
  (portal) => {
    let app: WholeApp;
    beforeAll(async () => {
      ({ app } = portal.demo);
      const sent = await app.as(alice).post('/restsms/svcrest/send', { to: ['4712345678'], message: 'Hei' });
      expect(sent.status).toBe(200);
    });

    async function visit(path: string, appearance: Appearance = {}): Promise<Page> {
      const page = await portal.visit('/operator', { as: 'nobody', ...appearance });
      const answer = await page.context().request.post(`${app.baseUrl}/portal/api/operator/session`, {
        headers: ownPage,
        data: olle,
      });
      expect(answer.status()).toBe(200);
      await page.goto(`${app.baseUrl}/portal/operator/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    }

    test('[PORT-11] An operator sees a carrier that is down and what waits for it, and asks which way a message takes, by keyboard', async () => {
      const page = await visit('carriers', { width: 1280 });
      const row = page.getByRole('row').filter({ hasText: 'op1' });
      await row.getByText('Down').waitFor();
      await row.getByText('0 of 1').waitFor();
      await expectSoon(() => row.getByRole('cell').nth(5).textContent()).toBe('1');
      await row.getByRole('link').press('Enter');
      await page.getByRole('heading', { level: 1, name: 'op1' }).waitFor();
      await page.getByText('"nordic"').waitFor();
      expect(await page.content()).not.toContain('s3cretpw');

      await page.getByRole('main').getByRole('link', { name: 'Routes' }).last().press('Enter');
      await page.getByRole('table', { name: 'Routes' }).getByText('norway').waitFor();
      expect(new URL(page.url()).searchParams.get('carrier')).toBe('op1');
      await page.getByRole('textbox', { name: 'To' }).fill('+46 70 174 06 00');
      await page.getByRole('textbox', { name: 'User' }).fill('alice');
      await page.getByRole('textbox', { name: 'User' }).press('Enter');
      await page.getByText('It goes to sim.').waitFor();
      await page.getByText('A route with a longer prefix comes first').waitFor();
      await page.getByRole('textbox', { name: 'User' }).fill('nobody');
      await page.getByRole('button', { name: 'Explain' }).press('Enter');
      await page.getByText('No company has a user “nobody”.').waitFor();
    });

    test('[PORT-11] [PORT-4] An operator tries a carrier by keyboard, and sees without a reload what became of it and of the carrier', async () => {
      const page = await visit('carriers/sim', { width: 1280 });
      await page.getByRole('textbox', { name: 'To', exact: true }).fill('070');
      await page.getByRole('textbox', { name: 'To', exact: true }).press('Enter');
      await page.getByText('begins with 0').waitFor();
      await page.getByRole('textbox', { name: 'To', exact: true }).fill('+46 70 174 06 99');
      await page.getByRole('textbox', { name: 'From' }).fill('Tester');
      await page.getByRole('textbox', { name: 'From' }).press('Enter');
      const row = page.getByRole('table', { name: 'Test SMS' }).getByRole('row').nth(1);
      await row.getByText('Delivered').waitFor();
      await row.getByText('accepted as sim-').waitFor();
      await row.getByText('Tester').waitFor();
      await page.getByText('Up', { exact: true }).first().waitFor();
      const down = provisioning.replace('receiptDelayMs: 20', 'receiptDelayMs: 20, down: true');
      expect((await app.apply(down)).stderr).toBe('');
      await page.getByText('Down', { exact: true }).first().waitFor();
      expect((await app.apply(provisioning)).stderr).toBe('');
      await page.getByText('Up', { exact: true }).first().waitFor();
    });

    test('[PORT-11] [PORT-3] On a phone, an operator gives an unclaimed SMS to a user without seeing its text', async () => {
      const incoming = ['--to', '46101', '--from', '46701740699', '--text', 'A secret text'];
      expect((await app.run('simulate', 'incoming', ...incoming)).exitCode).toBe(0);
      const page = await visit('unrouted', { width: 360, language: 'sv', touch: true });
      await page.getByText('Visas inte för driften').waitFor();
      expect(await page.content()).not.toContain('A secret text');
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Ge till …' }).tap();
      const dialog = page.getByRole('dialog', { name: 'Vem ska få sms:et?' });
      await dialog.getByRole('textbox', { name: 'Användare' }).fill('bob');
      await dialog.getByRole('button', { name: 'Ge', exact: true }).tap();
      await dialog.getByText('Inget företag har någon användare ”bob”.').waitFor();
      await dialog.getByRole('textbox', { name: 'Användare' }).fill('alice');
      await dialog.getByRole('button', { name: 'Ge', exact: true }).tap();
      await page.getByText('alice har sms:et nu.').waitFor();
      await page.getByText('Inget utan mottagare').waitFor();
      await until(async () => {
        const { body } = await app.as(alice).get('/restsms/svcrest/incoming');
        return JSON.stringify(body).includes('A secret text');
      });
    });

    test('[PORT-11] An operator finds a number by its use and first digits, and the filters are in the address', async () => {
      const page = await visit('numbers', { width: 1280 });
      const table = page.getByRole('table', { name: 'Numbers' });
      await table.getByText('Pool of all companies').waitFor();
      await page.getByRole('radio', { name: 'All' }).press('ArrowRight');
      await expectSoon(() => table.getByRole('row').count()).toBe(2);
      await page.getByRole('searchbox', { name: 'Number' }).fill('47');
      await page.getByText('No number fits.').waitFor();
      await expectSoon(() => new URL(page.url()).searchParams.get('number')).toBe('"47"');
      await page.reload();
      await page.getByText('No number fits.').waitFor();
      await expectSoon(() => page.getByRole('searchbox', { name: 'Number' }).inputValue()).toBe('47');
      await expectSoon(() => page.getByRole('radio', { name: 'Rented' }).isChecked()).toBe(true);
      await page.goto(`${app.baseUrl}/portal/operator/receipts`);
      await page.getByText('Every receipt belongs to a message.').waitFor();
    });

    test.each(['en', 'sv'] as const)(
      '[PORT-5] [PORT-11] The operators’ pages have no barriers in both themes, and fit a phone (%s)',
      async (language) => {
        const page = await visit('carriers', { width: 360, language });
        for (const path of paths) {
          await page.goto(`${app.baseUrl}/portal/operator/${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.getByRole('button', { name: olle.username }).waitFor();
          for (const width of [360, 1280])
            for (const theme of ['light', 'dark'] as const) {
              await page.setViewportSize({ width, height: 800 });
              await page.emulateMedia({ colorScheme: theme });
              expect([path, width, theme, await overflowOf(page), await barriersOf(page)]).toEqual([
                path,
                width,
                theme,
                0,
                [],
              ]);
            }
        }
      },
    );
  },
);
