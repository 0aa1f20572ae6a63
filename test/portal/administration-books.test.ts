/** The page of address books, as an administrator uses it: making, opening, renaming and removing them. */
import { expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';

const path = '/api/v1/addressbooks';

describePortal('address books in the portal', (portal) => {
  const api = () => portal.demo.app.as(portal.demo);
  const named = async (name: string) =>
    (await api().get(path)).body.addressBooks.find((one: { name: string }) => one.name === name);
  const make = async (name: string) => (await api().post(path, { name })).body;
  const hasUser = async (name: string) => {
    const listed = (await api().get('/api/v1/users', { name })).body.users;
    if (listed.length === 0)
      expect((await api().post('/api/v1/users', { name, roles: ['send'] })).status).toBe(201);
  };

  test('[PORT-10] By keyboard alone, a book is made, opened to a user whose default it becomes, and renamed', async () => {
    await hasUser('night desk');
    const page = await portal.visit('/admin/books');
    await page.getByRole('button', { name: 'New address book' }).press('Enter');
    const making = page.getByRole('dialog', { name: 'New address book' });
    await making.locator('input:focus').fill('Staff');
    await page.keyboard.press('Enter');
    await making.getByRole('alert').getByText('There is already an address book').waitFor();
    await expectSoon(() => making.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await making.getByLabel('Name').fill('Ward 7');
    await making.getByRole('checkbox', { name: 'night desk', exact: true }).press('Space');
    await making.getByRole('checkbox', { name: 'Default book of night desk' }).press('Space');
    await making.getByRole('button', { name: 'New address book' }).press('Enter');
    await page.getByText('Ward 7 is ready to be filled.').waitFor();
    await making.waitFor({ state: 'detached' });
    const { id } = await named('Ward 7');
    expect((await api().get(`${path}/${id}`)).body).toMatchObject({
      readers: ['night desk'],
      defaultOf: ['night desk'],
    });
    await page.getByRole('row').filter({ hasText: 'Ward 7' }).getByText('1 user', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change Ward 7' }).press('Enter');
    const changing = page.getByRole('dialog', { name: 'Change Ward 7' });
    const save = changing.getByRole('button', { name: 'Save', exact: true });
    await expectSoon(() => save.isDisabled()).toBe(true);
    await changing.getByLabel('Name').fill('Ward 8');
    await changing.getByRole('checkbox', { name: 'night desk', exact: true }).press('Space');
    await expectSoon(() =>
      changing.getByRole('checkbox', { name: 'Default book of night desk' }).count(),
    ).toBe(0);
    await save.press('Enter');
    await page.getByText('Ward 8 has been saved.').waitFor();
    await page.getByRole('row').filter({ hasText: 'Ward 8' }).getByText('Administrators only').waitFor();
    expect((await api().get(`${path}/${id}`)).body).toMatchObject({
      name: 'Ward 8',
      readers: [],
      defaultOf: [],
    });
  });

  test('[PORT-10] On a phone, a book with people goes only once the people are named, and not while it is a default', async () => {
    await hasUser('night desk');
    const { id } = await make('Old ward');
    const person = { name: 'Anna', phone: '+46 70 174 06 99' };
    expect((await api().post(`${path}/${id}/contacts`, person)).status).toBe(201);
    const opened = { readers: ['night desk'], defaultOf: ['night desk'] };
    expect((await api().patch(`${path}/${id}`, opened)).status).toBe(200);
    const page = await portal.visit('/admin/books', { width: 360 });
    await page.getByRole('button', { name: 'Remove Old ward' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Old ward' });
    const remove = dialog.getByRole('button', { name: 'Remove', exact: true });
    await dialog.getByText('Its groups and filters go with it.').waitFor();
    await expectSoon(() => remove.isDisabled()).toBe(true);
    await dialog.getByLabel('Also remove its one person').check();
    await remove.click();
    await dialog.getByText('It is the default address book of night desk').waitFor();
    expect((await api().get(`${path}/${id}`)).body).toMatchObject({ contacts: 1 });
    await api().patch(`${path}/${id}`, { defaultOf: [] });
    await remove.click();
    await page.getByText('Old ward has been removed.').waitFor();
    await until(async () => (await page.getByText('Old ward', { exact: true }).count()) === 0);
    expect((await api().get(`${path}/${id}`)).status).toBe(404);
  });

  test('[PORT-10] If somebody else changes the book meanwhile, both versions are shown, and nothing typed is lost', async () => {
    const { id, version } = await make('Shared');
    const page = await portal.visit('/admin/books');
    await page.getByRole('button', { name: 'Change Shared' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change Shared' });
    await dialog.getByLabel('Name').fill('Mine');
    const theirs = await api().patch(`${path}/${id}`, { name: 'Theirs' }, ifMatch(version));
    expect(theirs.status, theirs.text).toBe(200);
    await dialog.getByText('Somebody else has changed the address book').waitFor();
    await dialog.getByRole('row', { name: 'Name Mine Theirs' }).waitFor();
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Mine has been saved.').waitFor();
    expect((await api().get(`${path}/${id}`)).body).toMatchObject({ name: 'Mine' });
  });

  test('[PORT-6] A book of a provisioning file is marked, keeps its name and stays, as do the readers that a file sets', async () => {
    await hasUser('night desk');
    const file =
      'companies: [{ name: Demo, addressBooks: [{ name: Of the file }], users: [{ username: night desk, addressBooks: [Of the file] }] }]';
    const applied = await portal.demo.app.apply(file);
    expect(applied.exitCode, JSON.stringify(applied)).toBe(0);
    const page = await portal.visit('/admin/books');
    const row = page.getByRole('row').filter({ hasText: 'Of the file' });
    await row.getByText('Set by your operator').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Remove Of the file' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Change Of the file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change Of the file' });
    await expectSoon(() => dialog.getByLabel('Name').isDisabled()).toBe(true);
    const reader = dialog.getByRole('checkbox', { name: 'night desk', exact: true });
    await reader.waitFor();
    expect([await reader.isChecked(), await reader.isDisabled()]).toEqual([true, true]);
    await dialog.getByRole('checkbox', { name: 'Default book of night desk' }).check();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Of the file has been saved.').waitFor();
    const { id } = await named('Of the file');
    expect((await api().get(`${path}/${id}`)).body).toMatchObject({ defaultOf: ['night desk'] });
  });

  test('[PORT-5] The page of address books and its dialogs have no accessibility barriers, and fit a phone', async () => {
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 1280, theme: 'light', language: 'en' },
      { width: 1280, theme: 'dark', language: 'en' },
    ] as const;
    for await (const page of portal.pages(['/admin/books'], appearances)) {
      await page.getByRole('button', { name: /^(Change|Ändra) Staff/ }).waitFor();
      const check = async () => {
        expect(await barriersOf(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
      };
      await check();
      await page.getByRole('button', { name: /^(Change|Ändra) Staff/ }).click();
      await page.getByRole('dialog').getByRole('checkbox').first().waitFor();
      await check();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});
