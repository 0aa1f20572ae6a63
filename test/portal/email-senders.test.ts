/** E-mail senders as the people see them who keep the list: an e-mail administrator, and two who change the same entry. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf, type VisitOptions } from '../harness/browser.ts';
import { testPatienceMs } from '../harness/browser-windows.ts';

const mailer = { username: 'mailer', password: 'keeps the list of senders' };

describePortal('e-mail senders in the portal', (portal) => {
  const api = () => portal.demo.app.as(mailer);
  const write = (email: string, more = {}) =>
    api().post('/api/v1/email/senders', { email, payingUser: 'payer', ...more });

  beforeAll(async () => {
    const applied = await portal.demo.app.apply(`companies:
  - name: Demo
    allowedDomainEndings: [.care.example, care.example]
    emailDefaults: { costCenter: Wards }
    users:
      - { username: ${mailer.username}, password: ${mailer.password}, roles: [emailAdmin] }
      - { username: payer, roles: [send], smtpSplit: true }
      - { username: plain, roles: [send] }
    emailSenders:
      - { email: managed@care.example, payinguser: payer, sender: Ward7 }
`);
    expect(applied.exitCode).toBe(0);
  }, testPatienceMs);

  /** Shows a page to the e-mail administrator. */
  async function visit(path: string, appearance: VisitOptions = {}): Promise<Page> {
    const page = await portal.visit('/', { as: 'nobody', ...appearance });
    await portal.signIn(page.context(), mailer);
    await page.goto(`${portal.demo.app.baseUrl}/portal${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  const selected = async (page: Page) =>
    page.getByRole('region', { name: 'Selected' }).getByRole('status').textContent();

  test('[PORT-10] [E2S-3] An e-mail administrator sees the list alone of the company, and adds to it by keyboard', async () => {
    const page = await visit('/', { width: 1280 });
    const navigation = page.getByRole('navigation').first();
    const administration = page.getByRole('link', { name: 'Administration' });
    await administration.waitFor();
    for (const other of ['Messages', 'Send', 'Usage', 'Templates'])
      await expectSoon(() => navigation.getByRole('link', { name: other, exact: true }).count()).toBe(0);
    await administration.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'E-mail senders' }).waitFor();
    await page.getByRole('link', { name: 'New sender' }).press('Enter');
    const address = page.getByRole('textbox', { name: 'Address' });
    await address.fill('ward8@elsewhere.example');
    // It is shown once the defaults are loaded.
    await page
      .getByLabel('Cost centre')
      .and(page.getByPlaceholder('Wards (company default)', { exact: true }))
      .waitFor();
    await page.getByLabel('Paid by').fill('plain');
    // The payer lacks SMTPSPLIT, and the field says so.
    await page.getByText('Off: plain lacks the setting SMTPSPLIT').waitFor();
    await expectSoon(() => page.getByLabel('Receipts and answers by e-mail').isDisabled()).toBe(true);
    await page.getByLabel('Paid by').press('Enter');
    await page.getByRole('alert').getByText('.care.example, care.example').waitFor();
    await address.fill('Ward8@Bücher.care.example');
    await address.press('Enter');
    await page.getByRole('link', { name: 'ward8@xn--bcher-kva.care.example' }).waitFor();
    const made = await api().get('/api/v1/email/senders/ward8@bücher.care.example');
    expect(made.body).toMatchObject({ payingUser: 'plain', costCenter: 'Wards', splitCallback: false });
    await page.getByRole('link', { name: 'ward8@xn--bcher-kva.care.example' }).press('Enter');
    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    const sure = page.getByRole('dialog');
    await sure.getByText('If its whole domain has an entry').waitFor();
    await sure.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('is no longer on the list').waitFor();
    expect((await api().get('/api/v1/email/senders/ward8@bücher.care.example')).status).toBe(404);
  });

  test('[PORT-10] [MAIL-1] Several senders are chosen with Shift, blocked together, and the page says who decides for an address', async () => {
    for (const email of ['@lab.care.example', 'a@lab.care.example', 'b@lab.care.example'])
      expect((await write(email)).status).toBe(201);
    const page = await visit('/admin/email');
    await page.getByLabel('Search').fill('lab.care');
    await page.waitForURL(/q=lab/);
    await page.getByText('Whole domain').waitFor();
    await page.getByRole('checkbox', { name: 'Select @lab.care.example' }).press('Space');
    await page.getByRole('checkbox', { name: 'Select b@lab.care.example' }).click({ modifiers: ['Shift'] });
    await expectSoon(() => selected(page)).toBe('3 selected');
    await page.getByRole('checkbox', { name: 'Select a@lab.care.example' }).press('Space');
    await expectSoon(() => selected(page)).toBe('2 selected');
    await page.getByRole('button', { name: 'Block' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Block' });
    await dialog.getByText('E-mails from 2 senders will be refused').waitFor();
    await dialog.getByRole('button', { name: 'Block' }).press('Enter');
    await page.getByText('2 senders are blocked.').waitFor();
    await expectSoon(() => page.getByRole('row').filter({ hasText: 'Blocked' }).count()).toBe(2);
    const asked = page.getByLabel('Who decides for this address?');
    const says = async (address: string, words: string) => {
      await asked.fill(address);
      await asked.press('Enter');
      await page.getByText(words).waitFor();
    };
    await says('c@lab.care.example', 'that of the whole domain, @lab.care.example, decides.');
    await says('a@lab.care.example', 'It may send. The entry of the address itself, a@lab.care.example,');
    await says('c@other.example', 'No entry of your company holds for c@other.example');
    await says('nonsense', 'has no @');
    await page.getByLabel('Search').fill('');
    await page.getByRole('checkbox', { name: 'Select managed@care.example' }).press('Space');
    await page.getByRole('checkbox', { name: 'Select a@lab.care.example' }).press('Space');
    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    // One is removed; the other stays, with the reason beside its name.
    const refused = page
      .getByRole('dialog')
      .getByRole('listitem')
      .filter({ hasText: 'managed@care.example' });
    await refused.waitFor();
    expect((await api().get('/api/v1/email/senders/a@lab.care.example')).status).toBe(404);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().press('Enter');
    await expectSoon(() => selected(page)).toBe('1 selected');
  });

  test('[PORT-10] A file of senders is read in row by row, naming each faulty row, and what was downloaded comes back unchanged', async () => {
    const page = await visit('/admin/email');
    await page.getByRole('button', { name: 'Read in a CSV file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Read in a CSV file' });
    const take = (text: string) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles({ name: 'senders.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await take('email;colour\na@care.example;red\n');
    await dialog.getByText('There is no setting called “colour”').waitFor();
    await take(
      'email;payingUser;blocked;maxSms\n' +
        "'@file.care.example;payer;;2\n" +
        'kim@file.care.example;payer;yes;\n' +
        'KIM@file.care.example;payer;no;\n' +
        'x@file.care.example;payer;perhaps;\n' +
        'y@elsewhere.example;payer;;\n',
    );
    await dialog.getByText('3 rows can be read in.').waitFor();
    await dialog.getByRole('button', { name: 'Read in 3 rows' }).click();
    await dialog.getByText('3 of 3 rows: 2 new, 0 changed.').waitFor();
    const faults = (await dialog.getByRole('listitem').allTextContents()).join('\n');
    expect(faults).toContain('Line 4, KIM@file.care.example: stands in the file before.');
    expect(faults).toContain('Line 5, x@file.care.example: “perhaps” is neither yes nor no.');
    expect(faults).toContain('Line 6, y@elsewhere.example: The domain elsewhere.example is not allowed.');
    const file = async () => (await api().get('/api/v1/email/senders.csv', { q: 'file.' })).text;
    const before = await file();
    expect(before.trim().split('\n')).toHaveLength(3);
    await take(before);
    await dialog.getByRole('button', { name: 'Read in 2 rows' }).click();
    await dialog.getByText('2 of 2 rows: 0 new, 2 changed.').waitFor();
    expect(await file()).toBe(before);
  });

  test('[PORT-10] A file that a broken connection interrupts goes on where it stopped', async () => {
    const page = await visit('/admin/email');
    await page.getByRole('button', { name: 'Read in a CSV file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Read in a CSV file' });
    let posts = 0;
    await page.route('**/api/v1/email/senders', async (route) => {
      // The list below the dialog may be read again meanwhile.
      if (route.request().method() === 'POST') posts += 1;
      else return route.continue();
      // The second row is stored, but its answer is lost.
      if (posts !== 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const rows = ['r1', 'r2', 'r3'].map((name) => `${name}@care.example,payer\n`).join('');
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'senders.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`email,payingUser\n${rows}`),
    });
    await dialog.getByRole('button', { name: 'Read in 3 rows' }).click();
    await dialog.getByText('It stopped.').waitFor();
    await dialog.getByText('1 of 3 rows: 1 new, 0 changed.').waitFor();
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText('3 of 3 rows: 2 new, 1 changed.').waitFor();
    expect((await api().get('/api/v1/email/senders', { q: 'r2@' })).body.senders).toHaveLength(1);
  });

  test('[PORT-10] [PORT-4] Two who change an entry at once see both versions, and what the operator keeps cannot be changed', async () => {
    await write('two@care.example');
    const page = await visit('/admin/email/two@care.example');
    await page.getByLabel('Sender id', { exact: true }).fill('Mine');
    await api().patch('/api/v1/email/senders/two@care.example', { sender: 'Theirs' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this meanwhile' });
    await conflict.waitFor();
    await page.getByRole('row', { name: 'Sender id Mine Theirs' }).waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await conflict.waitFor({ state: 'detached' });
    expect((await api().get('/api/v1/email/senders/two@care.example')).body.sender).toBe('Mine');
    await page.goto(`${portal.demo.app.baseUrl}/portal/admin/email/managed@care.example`);
    const sender = page.getByLabel('Sender id', { exact: true });
    await sender.waitFor();
    await expectSoon(() => sender.isEditable()).toBe(false);
    await expectSoon(() => page.getByRole('button', { name: 'Remove' }).count()).toBe(0);
    await page.getByLabel('Include the subject').selectOption({ label: 'Yes' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const { body } = await api().get('/api/v1/email/senders/managed@care.example');
    expect(body).toMatchObject({ includeSubject: true, sender: 'Ward7' });
  });

  test('[PORT-10] [E2S-3] On a phone the defaults are set and cleared one by one, and the entries there stay as they are', async () => {
    await write('before@care.example', { maxSms: 9 });
    const page = await visit('/admin/email', { width: 360 });
    await page.getByRole('link', { name: 'Company defaults' }).click();
    await page.getByText(/Holds for new entries; the \d+ there are stay as they are./).waitFor();
    await expectSoon(() => page.getByLabel('Cost centre').isEditable()).toBe(false);
    await page.getByLabel('Most SMS parts per e-mail').fill('4');
    await page.getByLabel('Include the subject').selectOption('yes');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const defaults = async () => (await api().get('/api/v1/email/defaults')).body;
    expect(await defaults()).toMatchObject({ maxSms: 4, includeSubject: true });
    await page.getByRole('button', { name: 'Clear Most SMS parts per e-mail' }).click();
    await page.getByRole('button', { name: 'Clear Include the subject' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expectSoon(async () => Object.keys(await defaults()).includes('maxSms')).toBe(false);
    expect(Object.keys(await defaults())).not.toContain('includeSubject');
    expect((await api().get('/api/v1/email/senders/before@care.example')).body.maxSms).toBe(9);
    await page.getByRole('link', { name: 'Allowed domains' }).click();
    await page.getByText('such as evilcare.example').waitFor();
    await page.getByRole('link', { name: 'Latest e-mails' }).click();
    await page.getByText('No e-mails lately').waitFor();
  });

  test('[PORT-5] The pages of e-mail senders have no accessibility barriers in both themes, and fit a phone', async () => {
    await write('@axe.care.example');
    const page = await visit('/admin/email', { language: 'sv' });
    const paths = ['', '/defaults', '/domains', '/latest', '/new', '/managed@care.example'];
    for (const path of paths) {
      await page.goto(`${portal.demo.app.baseUrl}/portal/admin/email${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path === '') await page.getByRole('checkbox').first().check();
      for (const [width, colorScheme] of [
        [360, 'light'],
        [360, 'dark'],
        [1280, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        expect([path, await barriersOf(page)]).toEqual([path, []]);
        expect([path, await overflowOf(page)]).toEqual([path, 0]);
      }
    }
  });
});
