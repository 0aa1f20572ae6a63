/** The audit log as an administrator reads it: sentences, filters in the address, and the file. */
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { inAnHour } from '../harness/messaging.ts';

describePortal('the page of the audit log', (portal) => {
  const path = '/admin/audit';

  test('[PORT-7] [PORT-10] The audit log tells in sentences what was done, and is narrowed by user, act, object and day by keyboard', async () => {
    const { app, username } = portal.demo;
    const admin = app.as(portal.demo);
    const { id } = (await admin.post('/api/v1/templates', { name: 'Taxi', text: 'Your taxi' })).body;
    await admin.patch(`/api/v1/templates/${id}`, { text: 'Your cab' });
    const page = await portal.visit(path);
    const rows = page.getByRole('row');
    const row = (text: string) => rows.filter({ hasText: text });
    await row(`${username} changed a template`).filter({ hasText: id }).waitFor();
    await row(`${username} signed in`).first().waitFor();

    const what = page.getByRole('combobox', { name: 'What' });
    await what.focus();
    await what.selectOption('template.make');
    await expectSoon(() => row('changed a template').count()).toBe(0);
    await row('created a template').waitFor();
    expect(new URL(page.url()).searchParams.get('act')).toBe('template.make');
    // A kind has all of its acts.
    await what.selectOption('changed');
    await row('changed a template').waitFor();
    await expectSoon(() => row('signed in').count()).toBe(0);

    const only = page.getByRole('button', { name: id, exact: true }).first();
    await only.press('Enter');
    await expectSoon(() => page.getByRole('searchbox', { name: 'Object' }).inputValue()).toBe(id);
    await page.getByRole('searchbox', { name: 'User' }).pressSequentially('nobody');
    await page.getByText('Nothing found').waitFor();
    await page.reload();
    await page.getByText('Nothing found').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await row('signed in').first().waitFor();

    // It stays unfolded.
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('Nothing found').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('From', { exact: true }).focus();
    await page.keyboard.type('01012020');
    await page.waitForURL(/from=2020-01-01/);
    await row('changed a template').waitFor();
  });

  test('[PORT-7] [PORT-13] What was sent in the portal is told in the language of the page, with how many and when, and is found among what was sent', async () => {
    const { app, username } = portal.demo;
    const page = await portal.visit(`${path}?act=sent`);
    const scheduletime = inAnHour();
    const data = { to: ['+46 70 174 06 51', '+46 70 174 06 52'], message: 'Tonight?', scheduletime };
    const headers = { 'sec-fetch-site': 'same-origin' };
    const sent = await page.request.post(`${app.baseUrl}/api/v1/send`, { data, headers });
    expect([sent.status(), await sent.text()]).toEqual([200, expect.stringContaining('accepted')]);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: `${username} sent SMS` });
    await row.filter({ hasText: `2 SMS, scheduled for ${scheduletime}` }).waitFor();
    const swedish = await portal.visit(`${path}?act=message.send`, { language: 'sv' });
    const rad = swedish.getByRole('row').filter({ hasText: `${username} skickade sms` });
    await rad.filter({ hasText: `2 sms, schemalagt till ${scheduletime}` }).waitFor();
  });

  test('[PORT-7] The filtered audit log is downloaded as CSV, which the log itself records', async () => {
    const { username } = portal.demo;
    const page = await portal.visit(`${path}?act=signedIn`);
    await page.getByRole('row').filter({ hasText: 'signed in' }).first().waitFor();
    const link = page.getByRole('link', { name: 'Download these entries as CSV' });
    const answer = await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href);
    const [head, first] = (await answer.text()).split(/\r?\n/);
    expect(head).toBe('\u{feff}time,username,channel,act,object,details');
    expect(first).toContain(`,${username},portal,session.begin,`);
    await page.goto(`${portal.demo.app.baseUrl}/portal${path}?act=exported`);
    await page.getByText(`${username} exported the audit log`).waitFor();
  });

  test('[PORT-5] [PORT-7] The audit log has no accessibility barriers in either theme, fits a phone, and is filtered there', async () => {
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 360, theme: 'light', language: 'sv' },
      { width: 1280, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    for await (const page of portal.pages([path], appearances)) {
      await page
        .getByText(/loggade in|signed in/)
        .last()
        .waitFor();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
    const page = await portal.visit(path, { width: 360, language: 'sv' });
    await page.getByRole('combobox', { name: 'Vad' }).selectOption('signedIn');
    await page.getByRole('button', { name: portal.demo.username }).first().click();
    await expectSoon(() => page.getByRole('searchbox', { name: 'Användare' }).inputValue()).toBe(
      portal.demo.username,
    );
  });
});
