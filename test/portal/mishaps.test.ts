/** What happens around a page and is not its doing: a browser that keeps nothing, a clock that is wrong, a session that ends, hostile names. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describePortal, expectSoon } from '../harness/browser.ts';
import { storedMessages } from '../harness/messaging.ts';

const phone = '46701740620';
const dayMs = 86_400_000;

/** Markup, a sign that turns round all that follows, letters from right to left, several signs that are one. */
const name = '<img src=x onerror="document.title=1"> \u202eRetsim \u05d0\u05d1\u05d2 بشرى ١٢٣ 👩‍👩‍👧‍👦 Åsa Ö';

describePortal('the portal when things go wrong', (portal) => {
  const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const open = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('User name').fill(portal.demo.username);
    await page.getByLabel('Password').fill(portal.demo.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function sendNow(page: Page): Promise<void> {
    await page.getByText('1 recipient', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
  }

  const sent = async (text: string) =>
    (await storedMessages(portal.demo.app)).filter((one) => one.text === text);

  test('[PORT-2] says so where the browser keeps no cookies', async () => {
    const page = await portal.visit('/', { as: 'nobody' });
    await page.route('**/portal/api/session', async (route) => {
      const response = await route.fetch();
      await page.context().clearCookies();
      const { 'set-cookie': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await signIn(page);
    await page.getByRole('alert').getByText('Allow cookies').waitFor();
    await page.unroute('**/portal/api/session');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
  });

  test('[PORT-2] signs nobody out whom the server has not, and whoever is already out at once', async () => {
    const page = await portal.visit('/');
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.route('**/portal/api/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('can’t be reached').waitFor();
    await page.unroute('**/portal/api/session');
    // Any other call that found the session ended would ask for a sign-in over the page first.
    await page.route(/\/api\/(v1|hints)/, (route) => route.abort());
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('[PORT-2] takes a wrong password over the page for wrong, and goes on with what was under way after the right one', async () => {
    const page = await portal.visit('/people/11/import');
    await page.context().clearCookies();
    const csv = 'name;phone\nDan Holm;+46701740690\n';
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill('not the password');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByRole('alert').getByText('wrong').waitFor();
    await dialog.getByLabel('Password').fill(portal.demo.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Import 1 person' }).waitFor();
  });

  test('[PORT-5] loses nothing that is typed while it is open, though the browser stores nothing', async () => {
    const page = await portal.visit('/');
    await page.addInitScript(() => {
      const forbidden = () => {
        throw new DOMException('Storage is off.', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, { get: forbidden });
    });
    await page.goto(`${portal.demo.app.baseUrl}/portal/send`);
    await page.getByRole('combobox', { name: 'To', exact: true }).fill(`${phone};`);
    await message(page).fill('Kept by the page');
    await open(page, 'Messages');
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await open(page, 'Send');
    expect(await message(page).inputValue()).toBe('Kept by the page');
    await sendNow(page);
    await page.getByText('1 message accepted.').waitFor();
    expect(await sent('Kept by the page')).toHaveLength(1);
  });

  test('[SEND-20] [PORT-5] goes by the server’s clock where the browser’s is wrong, and is set right', async () => {
    const page = await portal.visit('/');
    await page.clock.setSystemTime(Date.now() - 2 * dayMs);
    await page.goto(`${portal.demo.app.baseUrl}/portal/send`);
    await page.getByRole('combobox', { name: 'To', exact: true }).fill(`${phone};`);
    await message(page).fill('Two days ago');
    await page.route('**/api/v1/send', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await sendNow(page);
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    await page.unroute('**/api/v1/send');
    await page.clock.setSystemTime(Date.now());
    await page.reload();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 message accepted.').waitFor();
    expect(await sent('Two days ago')).toHaveLength(1);
    await page.clock.setSystemTime(Date.now() + 2 * dayMs);
    await page.goto(`${portal.demo.app.baseUrl}/portal/messages?period=today`);
    const row = page.getByRole('row').filter({ hasText: '+46 701 74 06 20' }).first();
    expect(await row.locator('time').textContent()).toMatch(/^\d\d:\d\d$/);
  });

  test('[PORT-5] shows names as they are typed: no markup, and none that turns round what stands beside it', async () => {
    const api = portal.demo.app.as(portal.demo);
    const post = async (path: string, body: object) => {
      const answer = await api.post(path, body);
      expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
      return answer.body;
    };
    const paths = [
      '/people',
      '/people/11/groups',
      '/templates',
      '/batches',
      '/messages',
      '/conversations',
      '/keys',
    ];
    const number = '46701740650';
    const { id } = await post('/api/v1/addressbooks/11/contacts', { name, phone: number });
    await post('/api/v1/addressbooks/11/groups', { name: `${name} group`, add: [`contact ${id}`] });
    const template = await post('/api/v1/templates', { name: `${name} template`, text: 'Hello' });
    const batch = [{ t: number }];
    const { batchid } = await post('/api/v1/batches', { name: `${name} batch`, message: name, batch });
    await post('/api/v1/apikeys', { name: `${name} key` });
    await post(`/api/v1/simulator/phones/${number}/answer`, { text: `${name} text`, to: '46701740605' });
    paths.push(
      ...[`/people/11/person/${id}`, `/people/11/groups/${encodeURIComponent(`${name} group`)}`],
      ...[`/templates/${template.id}`, `/batches/${batchid}`, `/simulator?phone=${number}`],
    );
    const { conversations } = (await api.get('/api/v1/conversations')).body;
    paths.push(`/conversations?open=${conversations[0].id}`);
    const page = await portal.visit('/');
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(`${portal.demo.app.baseUrl}/portal${path}`);
      const shown = `document.body.innerText.includes(${JSON.stringify(name)})`;
      await expectSoon(() => page.evaluate(shown)).toBe(true);
      found.push(...((await page.evaluate(openNames)) as string[]).map((text) => `${path}: ${text}`));
    }
    expect(found).toEqual([]);
    expect(await page.title()).not.toBe('1');
  });
});

/** Texts with the name in them that turn round what stands beside them: in one element with it, and not set apart from it. */
const openNames = `(() => {
    const name = ${JSON.stringify(name)};
    const open = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (!text.data.includes(name) || text.data.includes('\u2068' + name)) continue;
      let around = text.parentElement;
      const isApart = ({ display, unicodeBidi }) => unicodeBidi !== 'normal' || !display.startsWith('inline');
      while (!isApart(getComputedStyle(around))) around = around.parentElement;
      const isAlone = around.textContent === text.data && text.data.startsWith(name);
      if (!isAlone) open.push(around.outerHTML.slice(0, 300));
    }
    return open;
  })()`;
