/**
 * What was sent to several people at once, as a person sees it: who got it, who answered, writing to those who have not, and
 * acts on all of it.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { storedMessages } from '../harness/messaging.ts';

const text = 'Can you take a shift tonight? Answer YES or NO.';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describePortal('sendings in the portal', (portal) => {
  const call = async (path: string, body: object) => {
    const answer = await portal.demo.app.as(portal.demo).post(path, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return answer.body;
  };
  const phones = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => `467017406${first + at}`);
  /** Returns the id of the sending. */
  const send = async (to: readonly string[], more: object = {}): Promise<string> => {
    const sent = await call('/api/v1/send', { to, message: text, from: rented, ...more });
    return sent.accepted[0].id;
  };
  const rented = '46701740605';
  const answer = (phone: string, said: string) =>
    call(`/api/v1/simulator/phones/${phone}/answer`, { text: said, to: rented });
  const figure = (page: Page, name: RegExp) => page.getByRole('link', { name });
  const people = (page: Page) => page.getByRole('table', { name: 'People' });

  /** Tabs until the focus is on what has this name. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let steps = 0; steps < 60; steps += 1) {
      const label = await page.locator(':focus').evaluate((element) => {
        const { ariaLabel, textContent } = element as unknown as {
          ariaLabel: string | null;
          textContent: string;
        };
        return ariaLabel ?? textContent;
      });
      if (name.test(label)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`no key leads to ${name}`);
  }

  test('[PORT-4] [PORT-5] Who answered is seen live by the keyboard alone, and those who have not can be written to', async () => {
    const to = phones(41, 4);
    const [yes = '', no = '', other = '', silent = ''] = to;
    const id = await send(to);
    const page = await portal.visit('/sendings');
    await tabTo(page, /Can you take a shift tonight/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Can you take a shift tonight?' }).waitFor();
    await figure(page, /^4 Delivered/).waitFor();
    await answer(yes, 'Yes!');
    await answer(no, 'No, sorry');
    await answer(other, 'What time?');
    await figure(page, /^1 YES/).waitFor();
    await figure(page, /^1 NO/).waitFor();
    await figure(page, /^1 other/).waitFor();
    await people(page).getByText('What time?').waitFor();
    await tabTo(page, /^1 silent/);
    await page.keyboard.press('Enter');
    await expectSoon(() => people(page).locator('tbody tr').count()).toBe(1);
    await people(page).getByText('+46 701 74 06 44').waitFor();
    await page.waitForURL(/meaning=silent/);
    await page.getByRole('link', { name: 'Show everybody' }).click();
    await expectSoon(() => people(page).locator('tbody tr').count()).toBe(4);

    await page.getByRole('link', { name: 'Write to the silent' }).press('Enter');
    await page.getByRole('list', { name: 'To' }).getByText('+46 701 74 06 44').waitFor();
    await expectSoon(() => page.getByRole('list', { name: 'To' }).getByRole('listitem').count()).toBe(1);
    await page.waitForURL(/\/send$/);
    await page.getByRole('textbox', { name: 'Message' }).fill('Please answer');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('1 message accepted.').waitFor();
    // The people written to next are not shown as recipients of that message.
    await page.getByRole('link', { name: 'Sent', exact: true }).first().click();
    await page
      .getByRole('link', { name: /Can you take a shift tonight/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'Write to the silent' }).click();
    await page.getByRole('list', { name: 'To' }).getByText('+46 701 74 06 44').waitFor();
    await expectSoon(() => page.getByText('1 message accepted.').count()).toBe(0);
    const reminded = (await storedMessages(portal.demo.app)).filter((one) => one.text === 'Please answer');
    expect(reminded.map(({ recipient, sender }) => [recipient, sender])).toEqual([[silent, rented]]);
    // The reminder is a message of its own; the answer to it still belongs to the sending that asked.
    await answer(silent, 'Yes');
    const { answers } = (await portal.demo.app.as(portal.demo).get(`/api/v1/sendings/${id}`)).body;
    expect(answers).toEqual({ yes: 2, no: 1, other: 1, silent: 0 });
  });

  test('[PORT-4] The result of sending to several people leads to who got it, and so does each message', async () => {
    const page = await portal.visit('/send');
    await page.getByRole('combobox', { name: 'To', exact: true }).fill('46701740650, 46701740651');
    await page.getByRole('textbox', { name: 'Message' }).fill('To two people');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('2 messages accepted.').waitFor();
    await page.getByRole('link', { name: 'Who got it, and who answered' }).click();
    await page.getByRole('heading', { level: 1, name: 'To two people' }).waitFor();
    // Nobody can answer to a name.
    await figure(page, /^2 Delivered/).waitFor();
    await expectSoon(() => figure(page, /silent/).count()).toBe(0);
    await people(page).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Who got it, and who answered' }).click();
    await page.getByRole('heading', { level: 1, name: 'To two people' }).waitFor();
  });

  test('[PORT-4] What is scheduled for several people is one row, gets another time, and is canceled as a whole', async () => {
    const to = phones(60, 3);
    const message = 'Scheduled for three';
    await send(to, { scheduletime: inHours(3), message });
    const page = await portal.visit('/scheduled');
    const row = page.getByRole('row').filter({ hasText: message });
    await row.waitFor();
    await expectSoon(() => row.count()).toBe(1);
    await row.getByRole('button', { name: `Change time: ${message}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Change time' });
    const later = await page.evaluate(() => {
      const at = new Date(Date.now() + 5 * 3_600_000);
      return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    });
    await dialog.getByLabel('Send at').fill(later);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It will be sent at the new time.').waitFor();
    await row.getByRole('link', { name: message }).click();
    await figure(page, /^3 Scheduled/).waitFor();
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel all' }).click();
    await page.getByText('3 SMS are cancelled.').waitFor();
    await figure(page, /^3 Cancelled/).waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Cancel all' }).count()).toBe(0);
    const { scheduled } = (await portal.demo.app.as(portal.demo).get('/api/v1/scheduled')).body;
    expect(scheduled.filter(({ title }: { title?: string }) => title === message)).toEqual([]);
  });

  test('[PORT-5] The pages of sendings have no barriers and fit, on a phone and on a desk, in both themes and languages', async () => {
    const id = await send(phones(70, 3));
    await answer('46701740670', 'Yes, and here is a long answer that goes on and on, about trains and buses');
    await send(phones(80, 2), { scheduletime: inHours(2), message: 'Later' });
    const appearances = (['en', 'sv'] as const).flatMap((language) =>
      (['light', 'dark'] as const).flatMap((theme) =>
        [360, 1280].map((width) => ({ language, theme, width })),
      ),
    );
    const paths = ['/sendings', `/sendings/${id}?meaning=yes`, '/scheduled'];
    for await (const page of portal.pages(paths, appearances)) {
      await page.getByRole('table').first().waitFor();
      const at = [page.url(), page.viewportSize()?.width];
      expect([...at, await barriersOf(page), await overflowOf(page)]).toEqual([...at, [], 0]);
    }
  });

  test('[PORT-5] On a phone, a figure is pressed by touch, and is high enough', async () => {
    await send(phones(85, 2));
    const page = await portal.visit('/sendings', { width: 360 });
    await page
      .getByRole('link', { name: /Can you take a shift/ })
      .first()
      .click();
    const silent = figure(page, /^2 silent/);
    expect((await silent.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await silent.click();
    await page.waitForURL(/meaning=silent/);
    await page.getByRole('link', { name: 'Write to the silent' }).waitFor();
  });
});
