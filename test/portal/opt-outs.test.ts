/** Opt-outs as an administrator sees them: the list, SMS that may mean so, and files. */
import { beforeAll, expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { testPatienceMs } from '../harness/browser-windows.ts';
import { arriveFrom } from '../harness/documented-calls.ts';

const path = '/api/v1/optouts';
/** A person of the demo company, and two phones of nobody. */
const [known, stranger, other] = ['46701740620', '46701740691', '46701740692'];
const rented = '46701740605';

describePortal('opt-outs in the portal', (portal) => {
  const api = () => portal.demo.app.as(portal.demo);
  const listed = async (query = {}) => (await api().get(path, query)).body.optOuts;

  beforeAll(async () => {
    expect((await api().patch('/api/v1/company', { optOuts: 'honour' })).status).toBe(200);
  }, testPatienceMs);

  test('[OPT-3] [PORT-10] By keyboard, an administrator adds an opt-out with its proof, and removes it with a reason', async () => {
    const page = await portal.visit('/admin/opt-outs', { width: 1280 });
    await page.getByText('Nobody has opted out.').waitFor();
    await page.getByRole('button', { name: 'Add' }).press('Enter');
    const adding = page.getByRole('dialog', { name: 'Add an opt-out' });
    const number = adding.getByLabel('Number');
    expect(await number.evaluate((element) => element.matches(':focus'))).toBe(true);
    await number.fill('Eva');
    await number.press('Enter');
    await adding.getByText('which a phone number cannot have').waitFor();
    await number.fill('+46 70 174 06 20');
    await adding.getByLabel('Does not want').selectOption('marketing');
    await adding.getByLabel('Proof').fill('By phone, 24 November');
    await adding.getByLabel('Proof').press('Enter');
    await page.getByText(/\d has opted out\.$/).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'By phone, 24 November' });
    await row.getByText('Marketing').waitFor();
    const [{ name }] = await listed();
    expect(name).toEqual(expect.any(String));
    await row.getByRole('link', { name }).press('Enter');
    await page.getByText('Opted out: marketing').waitFor();
    await page.getByRole('link', { name: 'See the opt-out' }).press('Enter');
    await page.waitForURL(/opt-outs\?number=/);

    await page.getByRole('button', { name: `Remove ${name}` }).press('Enter');
    const removing = page.getByRole('dialog', { name: `Remove ${name}` });
    const confirm = removing.getByRole('button', { name: 'Remove' });
    await expectSoon(() => confirm.isDisabled()).toBe(true);
    await removing.getByLabel('Reason').fill('Signed up again');
    await removing.getByLabel('Reason').press('Enter');
    await page.getByText('The opt-out was removed.').waitFor();
    await page.getByText('No opt-out fits.').waitFor();
    expect(await listed()).toEqual([]);
    const { entries } = (await api().get('/api/v1/audit', { act: 'optout.remove' })).body;
    expect(entries).toMatchObject([
      { object: known, details: 'marketing: Signed up again', channel: 'portal' },
    ]);
  });

  test('[OPT-3] [OPT-2] [PORT-5] On a phone, SMS that may mean an opt-out stand above the list, and two taps decide about two of them', async () => {
    await arriveFrom(portal.demo, stranger, rented, 'Please stop sending me these');
    await arriveFrom(portal.demo, other, rented, 'Stop by tomorrow');
    const page = await portal.visit('/admin/opt-outs', { width: 360, height: 740, touch: true });
    const near = page.getByRole('table', { name: 'Do these opt out?' });
    await near.getByText('Please stop sending me these').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await near.getByRole('button', { name: /^Opts out: .+06.?91$/ }).tap();
    await near.getByText('Please stop sending me these').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Opt-outs' }).getByText('Please stop sending me these').waitFor();
    await near.getByRole('button', { name: /^Does not: .+06.?92$/ }).tap();
    await near.waitFor({ state: 'detached' });
    expect(await listed()).toMatchObject([
      { number: stranger, category: 'all', source: 'sms', proof: 'Please stop sending me these' },
    ]);
    await portal.leave(page);
    for await (const each of portal.pages(
      ['/admin/opt-outs'],
      [
        { width: 360, theme: 'light', language: 'sv' },
        { width: 1280, theme: 'dark', language: 'sv' },
      ],
    )) {
      await each.getByRole('table', { name: 'Avanmälningar' }).waitFor();
      expect([await barriersOf(each), await overflowOf(each)]).toEqual([[], 0]);
    }
  });

  test('[OPT-3] [PORT-10] A file is checked before it is imported, faulty rows are named, and the list is narrowed by number and category', async () => {
    const page = await portal.visit('/admin/opt-outs', { width: 1280 });
    await page.getByRole('button', { name: 'Import CSV' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import CSV' });
    const take = (text: string) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles({ name: 'opt-outs.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await take('name\nEva\n');
    await dialog.getByText('no column').waitFor();
    await take(`number;category\n${other};marketing\n${known};\nx;\n${stranger};all\n`);
    await dialog.getByText('2 to add, 1 there before.').waitFor();
    await dialog.getByText('Line 4: no phone number').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 opt-outs were added.').waitFor();
    const numbers = async () =>
      (await listed({ source: 'file' })).map((one: { number: string }) => one.number);
    expect((await numbers()).sort()).toEqual([known, other]);

    const rows = () => page.getByRole('table', { name: 'Opt-outs' }).getByRole('button').count();
    await expectSoon(rows).toBe(3);
    await page.getByLabel('Does not want').selectOption('marketing');
    await page.waitForURL(/category=marketing/);
    await expectSoon(rows).toBe(1);
    await page.getByLabel('Does not want').selectOption('');
    await page.getByLabel('Number').fill('+46 70 174 06 91');
    await page.waitForURL(/number=/);
    await expectSoon(rows).toBe(1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^opt-outs .*\.csv$/);
  });
});
