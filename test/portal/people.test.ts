/**
 * People as an administrator manages them in the portal: finding them, changing one from two places at once, and importing
 * from a file.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';

describePortal('people in the portal', (portal) => {
  test('[PORT-4] People are found by the beginning of a word and by tags, both in the URL', async () => {
    const page = await portal.visit('/people');
    await page.getByRole('link', { name: 'Anna Berg' }).waitFor();
    await page.getByLabel('Find by name or number').fill('ek');
    await page.getByRole('link', { name: 'Anna Berg' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Bo Ek' }).waitFor();
    await page.goto(`${page.url().split('?')[0]}?filter=role:nurse`);
    await page.getByText('2 people').waitFor();
    await page.locator('label', { has: page.getByRole('checkbox', { name: /^7/ }) }).click();
    await page.getByText('1 person').waitFor();
    await page.getByRole('link', { name: 'Cleo Dahl' }).waitFor({ state: 'detached' });
    expect(decodeURIComponent(page.url())).toContain('role:nurse;ward:7');
  });

  test('[PORT-4] Of two concurrent changes to a person, the second is refused and shown both', async () => {
    const first = await portal.visit('/people');
    await first.getByRole('link', { name: 'Anna Berg' }).click();
    await first.getByLabel('Name').waitFor();
    const second = await portal.visit(new URL(first.url()).pathname.replace('/portal', ''));
    await second.getByLabel('Name').fill('Anna Second');
    await first.getByLabel('Name').fill('Anna First');
    await first.getByRole('button', { name: 'Save' }).click();
    await first.getByRole('heading', { level: 1, name: 'Anna First' }).waitFor();
    await second.getByRole('button', { name: 'Save' }).click();
    await second.getByRole('alert').filter({ hasText: 'Someone else changed this first' }).waitFor();
    await second.getByRole('cell', { name: 'Anna First' }).waitFor();
    await second.getByRole('button', { name: 'Save mine anyway' }).click();
    await second.getByRole('heading', { level: 1, name: 'Anna Second' }).waitFor();
  });

  test('[PORT-4] [PORT-5] Unsaved changes to a person are kept with the version they are based on, and can be dropped', async () => {
    const page = await portal.visit('/people?q=bo');
    await page.getByRole('link', { name: 'Bo Ek' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bo Ek' }).waitFor();
    const path = `/api/v1/addressbooks/11/contacts/${new URL(page.url()).pathname.split('/').at(-1)}`;
    await page.getByLabel('Name', { exact: true }).fill('Bo Typed');
    const { app } = portal.demo;
    expect((await app.as(portal.demo).patch(path, { app: 'bo.app' })).status).toBe(200);
    await page.reload();
    await page.getByText('Not saved yet.').waitFor();
    await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Bo Typed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Someone else changed this first' }).waitFor();
    const kept = () => page.evaluate("Object.keys(localStorage).filter((key) => key.includes('person'))");
    expect(await kept()).toEqual([
      `carillon.draft.edits.person.11.${path.split('/').at(-1)}.${portal.demo.username}`,
    ]);
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await expectSoon(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Bo Ek');
    expect(await kept()).toEqual([]);
    await page.getByLabel('Id in your own lists').fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Bo Ek' }).waitFor();
    await expectSoon(() => page.getByLabel('Id in your own lists').inputValue()).toBe('');
  });

  test('[PORT-4] A group is removed after a confirmation', async () => {
    const { app } = portal.demo;
    const made = { name: 'short-lived', add: ['46701740699'] };
    await app.as(portal.demo).post('/api/v1/addressbooks/11/groups', made);
    const page = await portal.visit('/people/11/groups/short-lived');
    await page.getByRole('button', { name: 'Remove the group' }).click();
    await page.getByRole('dialog').getByText('Everybody in it stays').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
  });

  /** Chooses a file on the page that imports people. */
  const choose = async (page: Page, csv: string | Buffer) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'lista.csv',
      mimeType: 'text/csv',
      buffer: typeof csv === 'string' ? Buffer.from(csv) : csv,
    });

  test('[PORT-4] People can be imported from a file after a preview, and the import can be undone', async () => {
    const page = await portal.visit('/people/11/import');
    await choose(
      page,
      'Namn;Mobil;Roll\nÅke Öst;070-174 06 80;nurse\n<b>بشرى</b>;0701740681;x\nKort;0701;x\n',
    );
    await page.getByText('UTF-8, columns separated by semicolons').waitFor();
    await page.getByRole('button', { name: 'Next: Columns' }).click();
    await page.getByLabel(/The column .*Roll/).selectOption('tag:Roll');
    await page.getByRole('button', { name: 'Next: Check' }).click();
    await page.getByText('2 numbers begin with 0').waitFor();
    // Each digit is looked at as it is typed.
    await page.getByLabel('Country code').pressSequentially('46');
    await page.getByText('2 new').waitFor();
    await page.getByText('2 numbers begin with 0').waitFor({ state: 'detached' });
    await page.getByText('1 phone number is wrong').waitFor();
    await page.getByText('“0701” has 5 digits').first().waitFor();
    await page.getByText('nurse').waitFor();
    await page.getByLabel('Import the other rows').check();
    await page.getByRole('button', { name: 'Next: Import' }).click();
    await page.getByRole('button', { name: 'Import 2 people' }).click();
    await page.getByText('Imported: 2 new').waitFor();
    const other = await portal.visit('/people?q=ake');
    await other.getByRole('link', { name: 'Åke Öst' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone for 2 people').waitFor();
    await other.reload();
    await other.getByText('Nobody found').waitFor();
  });

  test('[PORT-4] [PORT-5] A file with a title and its names in two columns is imported by keyboard, and one press mends all numbers', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => `Kari ${at};Nord;0${70174070 + at}0`);
    const list = ['Staff;;', ';;', 'Förnamn;Efternamn;Mobilnr', 'Per;Ek;+46701740682', ...rows].join('\r\n');
    for (const width of [1280, 360]) {
      const page = await portal.visit('/people/11/import', { width });
      await choose(page, list);
      const row = page.getByLabel('The column names are in row');
      await row.waitFor();
      await expectSoon(() => row.inputValue()).toBe('3');
      const press = async (name: RegExp | string) => {
        await page.getByRole('button', { name }).focus();
        await page.keyboard.press('Enter');
      };
      await press('Next: Columns');
      await expectSoon(() => page.getByLabel('Joined with').inputValue()).toBe('2');
      await page.getByText('Kari 3', { exact: true }).waitFor();
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
      await page.getByLabel('Joined with').selectOption('');
      await page.getByText('Checking the file…').waitFor({ state: 'detached' });
      await page.getByLabel('Joined with').selectOption('2');
      await press('Next: Check');
      await page.getByText('12 numbers begin with 0').waitFor();
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
      await press('Use +46');
      await page.getByText('13 new').waitFor();
      await page.getByText('Kari 3 Nord').waitFor();
      await press('Next: Import');
      await page.getByRole('button', { name: 'Import 13 people' }).waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('4 Import');
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
    }
  });

  test('[PORT-4] A file that can’t be imported as it is has its reason shown, and columns without a name a warning', async () => {
    const page = await portal.visit('/people/11/import');
    await choose(page, '');
    await page.getByRole('alert').getByText('The file is empty').waitFor();
    await choose(page, `phone${';x'.repeat(300)}\n`);
    await page.getByRole('alert').getByText('at most 300 columns').waitFor();
    await choose(page, 'PK\u0003\u0004\0\0');
    await page.getByRole('alert').getByText('not a text file').waitFor();
    await choose(page, 'Kontakt;Kontakt\n+46701740684;x\n');
    await page.getByRole('button', { name: 'Next: Columns' }).click();
    await page.getByText('people are recognised by it').waitFor();
    await page
      .getByLabel(/The column .*Kontakt/)
      .first()
      .selectOption('phone');
    await page.getByText('people are recognised by it').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Next: Check' }).click();
    await page.getByText('No column is the name').waitFor();
    await page.getByRole('button', { name: '1 File' }).click();
    await page.getByLabel('The column names are in row').fill('7');
    await page.getByRole('alert').getByText('has no line 7').waitFor();
    await choose(page, Buffer.from('Namn;Mobil\nÅsa;+46701740685\n', 'latin1'));
    await page.getByText('WINDOWS-1252').waitFor();
    await page.getByRole('button', { name: 'Next: Columns' }).click();
    await page.getByText('Åsa', { exact: true }).waitFor();
  });

  test('[PORT-5] The people pages have no accessibility barriers, in either theme and language, at any width', async () => {
    const paths = [
      '/people?filter=role:nurse',
      '/people/11/person/2',
      '/people/11/import',
      '/people/11/groups/board',
    ];
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 768, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    for await (const page of portal.pages(paths, appearances)) {
      await page.getByRole('status', { name: /Loading|Läser/ }).waitFor({ state: 'detached' });
      expect([page.url(), await barriersOf(page)]).toEqual([page.url(), []]);
      expect([page.url(), await overflowOf(page)]).toEqual([page.url(), 0]);
    }
  });

  test('[PORT-7] Everything that concerns one number is shown together, and is erased once the number is typed again', async () => {
    const { app } = portal.demo;
    const post = async (path: string, body: object) =>
      expect((await app.as(portal.demo).post(path, body)).status).toBeLessThan(300);
    await post('/restsms/svcrest/send', { to: ['46701740650'], message: 'Your appointment' });
    const batch = [{ t: '46701740650' }];
    await post('/api/v1/batches', { name: 'Flu, week 48', message: 'Your flu shot', batch });
    await post('/api/v1/batches', { message: 'Nameless', batch });
    const answer = { text: 'Which entrance is it?', to: '46701740605' };
    await post('/api/v1/simulator/phones/46701740650/answer', answer);
    const page = await portal.visit('/people/by-number/46701740650');
    await page.getByRole('row', { name: /Which entrance is it/ }).waitFor();
    const sent = page.getByRole('table', { name: 'Sent to the number' });
    await sent
      .getByRole('row', { name: /Delivered/ })
      .first()
      .waitFor();
    await sent.getByRole('link', { name: 'A batch', exact: true }).waitFor();
    await sent.getByRole('link', { name: 'Flu, week 48' }).click();
    await page.getByRole('heading', { level: 1, name: 'Flu, week 48' }).waitFor();
    await page.goBack();
    expect(await barriersOf(page)).toEqual([]);
    await expectSoon(() => page.getByRole('link', { name: 'Export' }).getAttribute('href')).toMatch(
      /export$/,
    );
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByLabel('Type the number to confirm').fill('+46 701-74 06 50');
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByText('Everything about this number was erased').waitFor();
    await page.getByText('Nothing has been sent to this number').waitFor();
    await page.getByText('Nothing has been received from this number').waitFor();
  });
});
