/** What administrators set for their company, as a person does it: its settings, and who gets the SMS to its numbers. */
import { expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { sendPath } from '../harness/messaging.ts';

describePortal('the company and its numbers in the portal', (portal) => {
  const api = () => portal.demo.app.as(portal.demo);
  const company = async () => (await api().get('/api/v1/company')).body;

  test('[PORT-10] [SEND-2] The country code is set by keyboard, and the pages of the portal then say that it applies', async () => {
    const page = await portal.visit('/admin/company');
    const field = page.getByLabel('Country code');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expectSoon(() => save.isDisabled()).toBe(true);
    await field.fill('0');
    await field.press('Enter');
    await page.getByRole('alert').getByText('country code').waitFor();
    await expectSoon(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('46');
    await page.getByText('070… becomes +46 70…').waitFor();
    await field.press('Enter');
    await page.getByText('Saved. It holds from now on.').waitFor();
    expect(await company()).toMatchObject({ countryCode: '46' });
    // The page of the same tab knows it at once, and others as they are opened.
    await page.getByRole('link', { name: 'Messages' }).first().click();
    await page.getByText('070… is +46 70…').waitFor();
    const compose = await portal.visit('/send');
    await compose.getByRole('combobox', { name: 'To' }).fill('070-174 06 99');
    await compose.keyboard.press('Enter');
    await compose.getByText('+46 701 74 06 99').first().waitFor();
    await compose.getByText('Left empty, it is 46').waitFor();
    await compose.getByLabel('Country code').fill('47');
    await compose.getByRole('list', { name: 'To' }).getByText('+47').waitFor();
    const people = await portal.visit('/people/11/import');
    const csv = Buffer.from('name;phone\nDan Holm;070-174 06 90\n');
    await people
      .locator('input[type=file]')
      .setInputFiles({ name: 'staff.csv', mimeType: 'text/csv', buffer: csv });
    await people.getByRole('button', { name: 'Next: Columns' }).click();
    await people.getByRole('button', { name: 'Next: Check' }).click();
    await people.getByText('Left empty, it is 46').waitFor();
    await expectSoon(() => people.getByLabel('Country code').inputValue()).toBe('');
    await people.getByText('1 new').first().waitFor();
  });

  test('[PORT-10] Send hours are set, changed and lifted, and hours that end as they begin are refused at their field', async () => {
    const page = await portal.visit('/admin/company', { width: 360 });
    await page.getByText('Between certain hours').click();
    await page.getByLabel('From', { exact: true }).fill('07:00');
    await page.getByLabel('To', { exact: true }).fill('07:00');
    await page.getByLabel('Time zone of the hours').selectOption('Europe/Stockholm');
    await page.getByLabel('A batch outside these hours').selectOption('Is not sent at all');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('must not end at the time').waitFor();
    await page.getByLabel('To', { exact: true }).fill('21:00');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. It holds from now on.').waitFor();
    expect(await company()).toMatchObject({
      sendHoursFrom: '07:00',
      sendHoursTo: '21:00',
      sendHoursZone: 'Europe/Stockholm',
      sendHoursBatch: 'drop',
    });
    await page.getByText('At all hours', { exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expectSoon(async () => (await company()).sendHoursFrom).toBeUndefined();
  });

  test('[PORT-10] A time zone holds for hours without their own, and a named cost centre is suggested and shown in the usage', async () => {
    const page = await portal.visit('/admin/company');
    await page.getByLabel('Time zone', { exact: true }).selectOption('Europe/Stockholm');
    await page.getByLabel('Cost centres').fill('4711; Ward 7');
    await page.getByText('Between certain hours').click();
    await page.getByLabel('Time zone of the hours').selectOption('The company’s');
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText('Saved. It holds from now on.').waitFor();
    const stored = await company();
    expect(stored).toMatchObject({ timeZone: 'Europe/Stockholm', sendHoursFrom: '08:00' });
    expect(stored.sendHoursZone).toBeUndefined();
    expect(stored.costCenters).toEqual([{ code: '4711', name: 'Ward 7' }]);
    await api().patch('/api/v1/company', { sendHoursFrom: '' });
    const sent = await api().post(sendPath, { to: ['+46701740699'], message: 'Hello', costcenter: '4711' });
    expect(sent.status, sent.text).toBe(200);
    const compose = await portal.visit('/send');
    await compose.getByText('Sender, time and answers').click();
    await expectSoon(() => compose.locator('datalist option[value="4711"]').getAttribute('label')).toBe(
      'Ward 7',
    );
    const usage = await portal.visit('/usage');
    await usage.getByText('Cost centre', { exact: true }).click();
    await usage.getByRole('row', { name: 'Ward 7 (4711)' }).waitFor();
  });

  test('[PORT-10] If somebody else changes the company meanwhile, both versions are shown, and nothing typed is lost', async () => {
    const page = await portal.visit('/admin/company');
    await page.getByLabel('Default sender').fill('Mine');
    const { version } = await company();
    const theirs = await api().patch('/api/v1/company', { defaultSender: 'Theirs' }, ifMatch(version));
    expect(theirs.status, theirs.text).toBe(200);
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await page.getByRole('row', { name: 'Default sender Mine Theirs' }).waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved. It holds from now on.').waitFor();
    expect(await company()).toMatchObject({ defaultSender: 'Mine' });
  });

  test('[PORT-6] What a provisioning file has set is marked and cannot be changed, and limits say who sets them', async () => {
    const { app } = portal.demo;
    const file = `companies: [{ name: Demo, defaultSender: Ward, sendHours: { from: "07:00", to: "20:00", zone: UTC } }]`;
    expect((await app.apply(file)).exitCode).toBe(0);
    const page = await portal.visit('/admin/company');
    await page.getByText('Set by your operator', { exact: true }).first().waitFor();
    await expectSoon(() => page.getByLabel('Default sender').isDisabled()).toBe(true);
    await expectSoon(() => page.getByLabel('Default sender').inputValue()).toBe('Ward');
    await expectSoon(() => page.getByLabel('From', { exact: true }).isDisabled()).toBe(true);
    await expectSoon(() => page.getByText('At all hours', { exact: true }).count()).toBe(0);
    await page.getByLabel('Language of e-mails').selectOption('Swedish');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. It holds from now on.').waitFor();
    expect(await company()).toMatchObject({ language: 'sv', defaultSender: 'Ward' });
    await page.getByText('Set by your operator. Ask them if you need others.').waitFor();
    await page.getByText('20,000').waitFor();
  });

  test('[PORT-10] A rented number is given to another user by keyboard, and those that a file has set are not', async () => {
    const made = await api().post('/api/v1/users', { name: 'night desk', roles: ['send'] });
    expect(made.status, made.text).toBe(201);
    const page = await portal.visit('/admin/numbers');
    await page
      .getByRole('row')
      .filter({ hasText: '+46 701 74 06 06' })
      .getByText('The user who asked')
      .waitFor();
    await page.getByRole('button', { name: 'Give to …: +46 701 74 06 05' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Who gets the SMS to +46 701 74 06 05?' });
    await dialog.locator('select:focus').selectOption('night desk');
    await dialog.getByText('Earlier conversations stay with').waitFor();
    await dialog.getByRole('button', { name: 'Give', exact: true }).press('Enter');
    await page.getByText('SMS to +46 701 74 06 05 now go to night desk.').waitFor();
    await page.getByRole('row').filter({ hasText: '+46 701 74 06 05' }).getByText('night desk').waitFor();
    await portal.demo.app.apply('numbers: [{ number: "46701740605", rentedBy: night desk }]');
    await until(async () => {
      await page.reload();
      return (await page.getByRole('row').getByText('Set by your operator').count()) === 1;
    });
    await expectSoon(() => page.getByRole('button', { name: 'Give to …: +46 701 74 06 05' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Unclaimed SMS' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Unclaimed SMS' }).waitFor();
    await page.getByRole('link', { name: 'Numbers' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
  });

  test('[PORT-5] The pages of the company and its numbers have no accessibility barriers, and fit a phone', async () => {
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 1280, theme: 'light', language: 'en' },
      { width: 1280, theme: 'dark', language: 'en' },
    ] as const;
    for await (const page of portal.pages(['/admin/company', '/admin/numbers'], appearances)) {
      await page
        .getByRole('table')
        .or(page.getByText(/Limits|Gränser/))
        .first()
        .waitFor();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
