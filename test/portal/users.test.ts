/** Users as an administrator manages them in the portal: making one, changing one from two places, closing and removing. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../src/storage/sqlite/database.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { beginSession } from '../harness/browser-session.ts';

describePortal('users in the portal', (portal) => {
  const make = async (name: string, more: object = {}) => {
    const { app } = portal.demo;
    const made = await app.as(portal.demo).post('/api/v1/users', { name, roles: ['send'], ...more });
    expect(made.status).toBe(201);
    return made.body as { readonly id: string; readonly link: string };
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const choosePassword = async (link: string, password: string) => {
    const other = await portal.visit('/', { as: 'nobody' });
    await other.goto(link);
    await other.getByLabel('New password').fill(password);
    await other.keyboard.press('Enter');
    await heading(other, 'Start');
  };

  test('[PORT-10] [PORT-5] A user is made by keyboard, and the link shown once lets the user choose a password once', async () => {
    const page = await portal.visit('/admin/users');
    await page.getByRole('link', { name: 'New user' }).press('Enter');
    await page.getByLabel('User name').focus();
    await page.keyboard.type('eva.gran');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    const senders = page.getByRole('checkbox', { name: 'Only certain senders' });
    await senders.focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Allowed senders').focus();
    await page.keyboard.type('Ward7,Clinic');
    await page.keyboard.press('Enter');
    await page.getByLabel('SMS parts a day').fill('5 00');
    await page.getByRole('button', { name: 'Create the user' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign-in link for eva.gran' });
    const link = (await dialog.locator('code').textContent()) ?? '';
    // No stray key loses it.
    await page.keyboard.press('Escape');
    await expectSoon(() => dialog.locator('code').textContent()).toBe(link);
    await dialog.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await heading(page, 'eva.gran');
    await page.getByText('No password yet').waitFor();
    expect(await page.content()).not.toContain(link);
    await expectSoon(() => page.getByLabel('SMS parts a day').inputValue()).toBe('500');
    await page.getByRole('button', { name: 'Remove Clinic' }).waitFor();

    await choosePassword(link, 'a password of her own');
    await page.getByText('Active', { exact: true }).first().waitFor();
    const again = await portal.visit('/', { as: 'nobody' });
    await again.goto(link);
    await again.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  });

  test('[PORT-10] [PORT-6] Of two concurrent changes to a user, the second is refused and shown both', async () => {
    const { id } = await make('two.editors');
    const first = await portal.visit(`/admin/users/${id}`);
    const second = await portal.visit(`/admin/users/${id}`);
    await second.getByLabel('SMS parts a day').fill('200');
    await first.getByLabel('SMS parts a day').fill('100');
    await first.getByRole('button', { name: 'Save', exact: true }).click();
    await first.getByText('Saved.').waitFor();
    await second.getByRole('alert').filter({ hasText: 'Somebody else has changed this meanwhile' }).waitFor();
    await second.getByRole('cell', { name: '100' }).waitFor();
    await second.getByRole('button', { name: 'Save', exact: true }).click();
    await second.getByRole('cell', { name: '100' }).waitFor();
    await second.getByRole('button', { name: 'Save mine' }).click();
    await second.getByText('Saved.').waitFor();
    await expectSoon(() => first.getByLabel('SMS parts a day').inputValue()).toBe('200');
  });

  test('[AUTH-10] [PORT-10] If the password was given too long ago, the page asks for it, and goes on with what was typed', async () => {
    const { app, password } = portal.demo;
    const page = await portal.visit('/', { as: 'nobody' });
    await portal.signIn(page.context());
    const database = openDatabase(databasePath(app.env.CARILLON_DATA as string));
    database.exec('UPDATE sessions SET created_at = created_at - 660000');
    database.close();
    await page.goto(`${app.baseUrl}/portal/admin/users/new`);
    await page.getByLabel('User name').fill('after.asking');
    await page.getByRole('button', { name: 'Create the user' }).click();
    const asked = page.getByRole('dialog').filter({ has: page.getByLabel('Password') });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expectSoon(() => page.getByLabel('User name').inputValue()).toBe('after.asking');
    await page.getByRole('button', { name: 'Create the user' }).click();
    await asked.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Sign-in link for after.asking' }).waitFor();
  });

  test('[PORT-10] If the answer to a creation is lost, trying again makes no second user and says where the first is', async () => {
    const page = await portal.visit('/admin/users/new');
    await page.route('**/api/v1/users', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      return route.request().method() === 'POST' ? route.abort() : route.continue();
    });
    await page.getByLabel('User name').fill('lost.answer');
    await page.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('alert').getByText('can’t be reached').waitFor();
    await page.unroute('**/api/v1/users');
    await page.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('link', { name: 'Look in the list' }).click();
    await page.getByRole('link', { name: 'lost.answer' }).click();
    await page.getByRole('button', { name: 'New sign-in link' }).click();
    await page.getByRole('dialog', { name: 'Sign-in link for lost.answer' }).waitFor();
  });

  test('[PORT-6] [PORT-10] What a provisioning file has set is marked at its field, and cannot be changed', async () => {
    const { id } = await make('from.a.file', { partsPerDay: 70, countries: ['SE'] });
    const database = openDatabase(databasePath(portal.demo.app.env.CARILLON_DATA as string));
    const keys = '["active","limits","roles","username"]';
    database.exec(
      `INSERT INTO provisioned_keys (source, kind, object, keys) VALUES ('file', 'users', 'from.a.file', '${keys}')`,
    );
    database.close();
    const page = await portal.visit(`/admin/users/${id}`);
    await page.getByText('alone can remove it').waitFor();
    await expectSoon(() => page.getByTitle('limits').first().textContent()).toBe('Set by your operator');
    await expectSoon(() => page.getByLabel('SMS parts a day').getAttribute('readonly')).not.toBeNull();
    await expectSoon(() => page.getByRole('checkbox', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    for (const name of ['Remove', 'Close'])
      await expectSoon(() => page.getByRole('button', { name, exact: true }).count()).toBe(0);
    // Everything else can be changed.
    await page.getByLabel('Default sender').fill('Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });

  test('[PORT-10] [PORT-5] A user is closed, opened and removed by touch on a phone', async () => {
    await make('to.remove');
    const page = await portal.visit('/admin/users', { width: 360 });
    await page.getByLabel('Find by name').fill('REMOVE');
    // The row moves when the search is answered; a press that begins before and ends after it is none.
    await expectSoon(() => page.locator('tbody').getByRole('link').allTextContents()).toEqual(['to.remove']);
    await page.getByRole('link', { name: 'to.remove' }).click();
    await heading(page, 'to.remove');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByText('to.remove is closed.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'New sign-in link' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open again' }).click();
    await page.getByText('to.remove is open again.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'New sign-in link' }).click();
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('to.remove is removed.').waitFor();
    await heading(page, 'Users');
    await page.goto(`${page.url().split('?')[0]}?q=to.remove`);
    await page.getByText('Nobody found').waitFor();
  });

  test('[PORT-10] [RUN-2] A user whom a number still needs is not removed, and the page says what needs it', async () => {
    const { id } = await make('renter');
    const { app } = portal.demo;
    const database = openDatabase(databasePath(app.env.CARILLON_DATA as string));
    database.exec(`UPDATE numbers SET rented_by = ${id} WHERE number = '46701740606'`);
    database.close();
    const page = await portal.visit(`/admin/users/${id}`);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('alert').getByText('46701740606').waitFor();
  });

  test('[PORT-2] [PORT-10] An administrator sees where a user is signed in, ends it all, and revokes a key', async () => {
    const { app } = portal.demo;
    const { id, link } = await make('signed.in');
    const password = 'a password of their own';
    await choosePassword(link, password);
    const elsewhere = await beginSession(app, { username: 'signed.in', password });
    const made = await app.as({ username: 'signed.in', password }).post('/api/v1/apikeys', { name: 'ward' });
    const page = await portal.visit(`/admin/users/${id}`);
    await page.getByRole('button', { name: 'End all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all' }).click();
    await page.getByText('Not signed in anywhere.').waitFor();
    expect(await elsewhere.status()).toBe(401);
    await page.getByRole('button', { name: 'Revoke ward' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('“ward” is revoked.').waitFor();
    const key = made.body.apiKey as string;
    await expectSoon(async () => (await app.as({ key }).get('/api/v1/messages')).status).toBe(401);
  });

  test('[ESME-1] [PORT-10] An SMPP login is made by keyboard, changed, gets passwords that are shown once, and is removed', async () => {
    const { app } = portal.demo;
    await make('first.program', { smpp: { systemId: 'first' } });
    const { id } = await make('my.program');
    const stored = async () => (await app.as(portal.demo).get(`/api/v1/users/${id}`)).body.smpp;
    const page = await portal.visit(`/admin/users/${id}`);
    const section = page.getByRole('region', { name: 'SMPP login' });
    const dialog = page.getByRole('dialog');
    await section.getByText('No SMPP server is open here').waitFor();
    // What is typed beside it stays, and is saved later.
    await page.getByLabel('SMS parts a day').fill('40');
    await section.getByRole('button', { name: 'Create a login' }).press('Enter');
    await dialog.getByLabel('System id').fill('first');
    await dialog.getByLabel('Connections').fill('3');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('“first” is already taken').waitFor();
    await dialog.getByLabel('System id').fill('mine');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('your limit is 2').waitFor();
    await dialog.getByLabel('Connections').fill('1');
    await dialog.getByLabel('Networks').fill('10.0.0.0/8,');
    await dialog.getByLabel('Networks').press('Enter');
    expect(await barriersOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await section.getByText('There is no password yet').waitFor();
    const made = { systemId: 'mine', binds: 1, window: 100, throughput: 0, networks: ['10.0.0.0/8'] };
    expect(await stored()).toEqual({ ...made, hasPassword: false });

    const newPassword = section.getByRole('button', { name: 'New password' });
    const told = page.getByRole('dialog', { name: 'SMPP password for mine' });
    await newPassword.click();
    const password = (await told.locator('code').textContent()) ?? '';
    expect(password).toHaveLength(8);
    await told.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.content()).not.toContain(password);
    // The next one would end connections, so the page asks.
    await newPassword.click();
    await dialog.getByRole('button', { name: 'New password' }).click();
    await expectSoon(() => told.locator('code').textContent()).not.toBe(password);
    await told.getByRole('button', { name: 'I have saved it' }).click();

    await section.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Messages a second').fill('20');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await section.getByText('20', { exact: true }).waitFor();
    expect(await stored()).toEqual({ ...made, throughput: 20, hasPassword: true });
    await section.getByRole('button', { name: 'Remove the login' }).click();
    await dialog.getByRole('button', { name: 'Remove the login' }).click();
    await section.getByRole('button', { name: 'Create a login' }).waitFor();
    expect(await stored()).toBeUndefined();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expectSoon(
      async () => (await app.as(portal.demo).get(`/api/v1/users/${id}`)).body.partsPerDay,
    ).toBe(40);
  });

  test('[PORT-10] [AUTH-9] Nobody can give what they lack, close themselves, or keep working after the role is taken away', async () => {
    const { app } = portal.demo;
    const password = 'a password of their own';
    const { id, link } = await make('small.admin', { roles: ['companyAdmin'], partsPerDay: 50 });
    await choosePassword(link, password);
    const page = await portal.visit('/', { as: 'nobody' });
    await portal.signIn(page.context(), { username: 'small.admin', password });
    await page.goto(`${app.baseUrl}/portal/admin/users/new`);
    await page.getByLabel('User name').fill('demo');
    await expectSoon(() => page.getByRole('checkbox', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await expectSoon(() => page.getByLabel('SMS parts a day').inputValue()).toBe('50');
    await page.getByLabel('SMS parts a day').fill('51');
    await page.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('alert').getByText('already taken').waitFor();
    await page.getByLabel('User name').fill('too.much');
    await page.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('alert').getByText('your limit is 50').waitFor();
    await page.goto(`${app.baseUrl}/portal/admin/users/${id}`);
    await page.getByText('This is you.').waitFor();
    await expectSoon(() => page.getByRole('checkbox', { name: 'Administrator' }).isDisabled()).toBe(true);
    expect((await app.as(portal.demo).patch(`/api/v1/users/${id}`, { roles: [] })).status).toBe(200);
    await page.getByLabel('Default sender').fill('Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').first().getByText('role').waitFor();
  });

  test('[PORT-5] [PORT-6] The pages of users have no accessibility barriers, in either theme and language, at any width', async () => {
    const { id } = await make('seen.by.all', { countries: ['SE', 'NO'], senders: ['Ward7'] });
    const [own] = ((await portal.demo.app.as(portal.demo).get('/api/v1/users', { name: 'demo' })).body
      .users ?? []) as { id: string }[];
    const paths = ['/admin/users', '/admin/users/new', `/admin/users/${id}`, `/admin/users/${own?.id}`];
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 1280, theme: 'light', language: 'en' },
      { width: 1280, theme: 'dark', language: 'en' },
    ] as const;
    for await (const page of portal.pages(paths, appearances)) {
      await expectSoon(() => page.getByRole('status', { name: /Loading|Laddar/ }).count()).toBe(0);
      expect([page.url(), await barriersOf(page)]).toEqual([page.url(), []]);
      expect([page.url(), await overflowOf(page)]).toEqual([page.url(), 0]);
    }
  });
});
