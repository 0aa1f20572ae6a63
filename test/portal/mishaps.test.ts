/**
 * Problems around a page that are not its fault: a browser that stores nothing, a wrong clock, a session that ends or whose
 * password was entered too long ago, and hostile names.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { ownPage } from '../harness/browser-session.ts';
import type { Appearance } from '../harness/browser-windows.ts';
import { storedMessages } from '../harness/messaging.ts';

const phone = '46701740620';
const dayMs = 86_400_000;

/** Markup, a character that reverses all following text, right-to-left letters, and several characters that form one. */
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

  test('[PORT-2] The portal says so when the browser keeps no cookies', async () => {
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

  test('[PORT-2] A sign-out counts only once the server has done it, or at once if the session is already over', async () => {
    const page = await portal.visit('/');
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.route('**/portal/api/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('can’t be reached').waitFor();
    await page.unroute('**/portal/api/session');
    // Any other call that noticed the ended session would first ask for a sign-in over the page.
    await page.route(/\/api\/(v1|hints)/, (route) => route.abort());
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('[PORT-2] After a session has ended, a wrong password is refused over the page, and the right one resumes what was under way', async () => {
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
    for (const step of ['Columns', 'Check', 'Import'])
      await page.getByRole('button', { name: `Next: ${step}` }).click();
    await page.getByRole('button', { name: 'Import 1 person' }).waitFor();
  });

  /**
   * Opens the page of keys, signed in an hour ago. No page has an action yet that requires a recently entered password, so
   * each call that creates a key first creates a user here, which requires one, and fails if that fails.
   */
  async function visitLater(appearance: Appearance = {}): Promise<Page> {
    const { app } = portal.demo;
    const page = await portal.visit('/', { as: 'nobody', ...appearance });
    await portal.signIn(page.context());
    const database = openDatabase(databasePath(app.env.CARILLON_DATA ?? ''));
    database.exec('UPDATE sessions SET created_at = created_at - 3600000');
    database.close();
    let users = 0;
    await page.route('**/api/v1/apikeys', async (route) => {
      const request = route.request();
      if (request.method() !== 'POST') return route.continue();
      users += 1;
      const response = await route.fetch({
        url: `${app.baseUrl}/api/v1/users`,
        headers: { ...request.headers(), ...ownPage },
        postData: { name: `guest${users}`, roles: ['send'] },
      });
      return response.ok() ? route.continue() : route.fulfill({ response });
    });
    await page.goto(`${app.baseUrl}/portal/keys`);
    return page;
  }

  test('[PORT-2] [PORT-8] If an action takes a fresh password, the portal asks for it, and goes on with what was typed', async () => {
    const page = await visitLater();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    const name = form.locator('input').first();
    await name.fill('ward system');
    await name.press('Enter');
    const asked = page.getByRole('dialog', { name: 'Confirm that it’s you' });
    await asked.locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    // Everything is unchanged: the typed text, the focus, and no error message.
    await form.locator('input:focus').waitFor();
    await expectSoon(() => name.inputValue()).toBe('ward system');
    await expectSoon(() => form.getByRole('alert').count()).toBe(0);
    await name.press('Enter');
    const password = asked.getByLabel('Password', { exact: true });
    await password.fill('not the password');
    await password.press('Enter');
    await asked.getByRole('alert').getByText('not your password').waitFor();
    await asked.locator('input:focus[aria-invalid=true]').waitFor();
    await password.fill(portal.demo.password);
    await asked.getByRole('button', { name: 'Continue' }).click();
    const made = page.getByRole('dialog', { name: 'The key “ward system”' });
    await made.getByRole('button', { name: 'I have copied it' }).click();
    // The password was entered recently, so it is not requested again.
    await page.getByRole('button', { name: 'Create a key' }).click();
    await name.fill('night shift');
    await name.press('Enter');
    await page.getByRole('dialog', { name: 'The key “night shift”' }).waitFor();
  });

  test('[PORT-5] The question for the password has no accessibility barriers, and fits a phone', async () => {
    const page = await visitLater({ width: 360, language: 'sv' });
    await page.getByRole('button', { name: 'Skapa en nyckel' }).first().click();
    await page.getByRole('dialog').locator('input').first().fill('avdelning 7');
    await page.keyboard.press('Enter');
    const asked = page.getByRole('dialog', { name: 'Bekräfta att det är du' });
    await asked.getByLabel('Lösenord', { exact: true }).fill('fel');
    await page.keyboard.press('Enter');
    await asked.getByRole('alert').getByText('inte ditt lösenord').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });

  test('[PORT-5] An open page loses nothing that is typed, even if the browser stores nothing', async () => {
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
    await expectSoon(() => message(page).inputValue()).toBe('Kept by the page');
    await sendNow(page);
    await page.getByText('1 message accepted.').waitFor();
    expect(await sent('Kept by the page')).toHaveLength(1);
  });

  test('[SEND-20] [PORT-5] The portal goes by the server’s clock if the browser’s is wrong, and when that is set right', async () => {
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
    await expectSoon(() => row.locator('time').textContent()).toMatch(/^\d\d:\d\d$/);
  });

  test('[PORT-5] The portal shows names as they are typed, without markup and without reversing the text beside them', async () => {
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

/**
 * Texts that contain the name and reverse the text beside them, because both texts are in one element and are not isolated
 * from each other.
 */
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
