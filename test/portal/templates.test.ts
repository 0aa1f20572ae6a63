/**
 * The template pages as an administrator uses them: writing, trying, changing and comparing, without losing work to someone
 * else's change.
 */
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';

describePortal('the pages of templates', (portal) => {
  test('[PORT-4] A template can be made, tried, changed, compared with its earlier version, and removed', async () => {
    const page = await portal.visit('/templates');
    await page.getByRole('link', { name: 'New template' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Taxi');
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Your taxi comes at {DateTime:when}.');
    await page.getByRole('textbox', { name: 'when' }).fill('eight');
    await page.getByText('Your taxi comes at eight.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Taxi' }).waitFor();
    await text.fill('Your cab comes at {DateTime:when}.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'version 1' }).click();
    await expectSoon(() => page.locator('del').textContent()).toBe('taxi');
    await expectSoon(() => page.locator('ins').textContent()).toBe('cab');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await page.getByText('Taxi is removed').waitFor();
  });

  test('[PORT-4] A template can be tried with a person of the address book', async () => {
    const page = await portal.visit('/templates/new');
    await page.getByRole('textbox', { name: 'Text' }).fill('Hi {Text:first name}, you are our {Text:role}.');
    await page.getByRole('combobox', { name: 'Try it with a person' }).pressSequentially('berg');
    await page.getByRole('option', { name: /Anna Berg/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Hi Anna, you are our nurse.').waitFor();
    await page.getByText('1 part').or(page.getByText('1 SMS part')).first().waitFor();
  });

  test('[PORT-6] Of two concurrent changes to a template, the second is refused and keeps what was written', async () => {
    const path = '/templates/1001';
    const page = await portal.visit(path);
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Mine');
    await portal.demo.app.as(portal.demo).patch('/api/v1/templates/1001', { text: 'Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this meanwhile').waitFor();
    await page.getByRole('cell', { name: 'Theirs' }).waitFor();
    await expectSoon(() => text.inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await portal.demo.app.as(portal.demo).get('/api/v1/templates/1001')).body.text).toBe('Mine');
  });

  test('[PORT-5] The template pages say in Swedish what the server refuses', async () => {
    const page = await portal.visit('/templates/1001', { language: 'sv' });
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Min');
    await portal.demo.app.as(portal.demo).patch('/api/v1/templates/1001', { text: 'Deras' });
    await page.getByRole('button', { name: 'Spara' }).click();
    await page.getByText('Någon annan har ändrat det här under tiden.').waitFor();
    await expectSoon(() => text.inputValue()).toBe('Min');
  });

  test('[PORT-5] The template pages have no accessibility barriers, in either theme and language', async () => {
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    for await (const page of portal.pages(['/templates', '/templates/1001'], appearances)) {
      await page.getByText('Visit').first().waitFor();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
