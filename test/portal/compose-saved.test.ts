/** Sending with saved data: people, filters, groups and tags as recipients, and templates with their fields. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon } from '../harness/browser.ts';
import { storedMessages } from '../harness/messaging.ts';

describePortal('the page that sends, with what is saved', (portal) => {
  const recipients = (page: Page) => page.getByRole('combobox', { name: 'To', exact: true });
  const sent = async (text: string) =>
    (await storedMessages(portal.demo.app)).filter((one) => one.text === text);

  const sendNow = async (page: Page) => {
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
  };

  test('[PORT-5] The send page suggests people by name or number, filters, groups and tags, for keyboard and pointer', async () => {
    const page = await portal.visit('/send');
    const options = page.getByRole('listbox', { name: 'From the address book' }).getByRole('option');
    const chips = page.getByRole('list', { name: 'To' }).getByRole('listitem');
    await recipients(page).pressSequentially('berg');
    await page.getByRole('option', { name: /Anna Berg/, selected: true }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await chips.getByText('Anna Berg').waitFor();
    await recipients(page).pressSequentially('role:');
    await page.getByRole('option', { name: /Tag role:doctor 1 person/ }).waitFor();
    await page.getByRole('option', { name: /Tag role:nurse 2 people/ }).click();
    await chips.getByText('role:nurse', { exact: true }).waitFor();
    await recipients(page).pressSequentially('role:doc');
    await page.getByRole('option', { name: /Tag role:doctor/ }).click();
    await chips.getByText('role:nurse|doctor').waitFor();
    await recipients(page).pressSequentially('07017406');
    await options.first().waitFor();
    await page.keyboard.press('Escape');
    await expectSoon(() => options.count()).toBe(0);
    // The results for the last digit may replace the selected option.
    await expectSoon(async () => {
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      return options.and(page.getByRole('option', { selected: true })).count();
    }).toBe(1);
    await expectSoon(() => chips.count()).toBe(2);
  });

  test('[SEND-7] The send page fills in a template by its fields, for people of the address book too', async () => {
    const page = await portal.visit('/send');
    await recipients(page).pressSequentially('nurs');
    await page.getByRole('option', { name: /Saved filter nurses/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'To' }).getByText('nurses').waitFor();
    await page.getByRole('combobox', { name: 'Template' }).selectOption({ label: 'Visit' });
    await page.getByRole('textbox', { name: 'customer' }).fill('friend');
    await page.getByRole('textbox', { name: 'when' }).fill('Friday');
    await page.getByText('2 recipients', { exact: true }).waitFor();
    await sendNow(page);
    await page.getByText('2 messages accepted.').waitFor();
    expect(await sent('Dear friend, welcome on Friday.')).toHaveLength(2);
  });

  test('[PORT-4] The send page asks before a template goes out with a blank field, and sends it only when confirmed', async () => {
    const page = await portal.visit('/send');
    await recipients(page).pressSequentially('46701740620,');
    await page.getByRole('combobox', { name: 'Template' }).selectOption({ label: 'Visit' });
    await page.getByRole('textbox', { name: 'customer' }).fill('blank');
    await page.getByRole('textbox', { name: 'when' }).fill(' ');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await send.click();
    const question = page.getByRole('dialog', { name: 'Send with empty fields?' });
    await expectSoon(() => question.getByRole('listitem').allTextContents()).toEqual(['when']);
    expect(await barriersOf(page)).toEqual([]);
    await question.getByRole('button', { name: 'Fill in' }).click();
    await question.waitFor({ state: 'detached' });
    await page.keyboard.type('soon');
    await expectSoon(() => page.getByRole('textbox', { name: 'when' }).inputValue()).toContain('soon');
    await page.getByRole('textbox', { name: 'when' }).fill('');
    await expectSoon(() => page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
    await send.click();
    await question.getByRole('button', { name: 'Send anyway' }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('1 message accepted.').waitFor();
    expect((await storedMessages(portal.demo.app)).filter(({ text }) => /blank/.test(text))).toHaveLength(1);
  });
});
