/**
 * The send page as a person uses it: typing, pasting, counting, trying, undoing, sending once, and keeping everything when
 * something goes wrong.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import {
  aDayLater,
  barriersOf,
  describePortal,
  expectSoon,
  letTimePass,
  overflowOf,
} from '../harness/browser.ts';
import { patienceMs } from '../harness/browser-windows.ts';
import { storedMessages } from '../harness/messaging.ts';

const [anna, bo] = ['46701740620', '46701740621'];

describePortal('the page that sends', (portal) => {
  const recipients = (page: Page) => page.getByRole('combobox', { name: 'To', exact: true });
  const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const sent = async (text: string) =>
    (await storedMessages(portal.demo.app)).filter((one) => one.text === text);

  /** Pastes text in the form that a spreadsheet puts on the clipboard. */
  async function paste(page: Page, text: string): Promise<void> {
    await recipients(page).focus();
    await page.evaluate((pasted) => {
      const { document, DataTransfer, ClipboardEvent } = globalThis as unknown as {
        document: { activeElement: { dispatchEvent(event: unknown): void } };
        DataTransfer: new () => { setData(type: string, data: string): void };
        ClipboardEvent: new (type: string, options: object) => unknown;
      };
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);
  }

  async function write(page: Page, text: string): Promise<void> {
    await paste(page, `Anna\t+46 (0) 70\nAnna Berg\t+46 701-74 06 20`);
    await message(page).fill(text);
    await page.getByText('1 recipient', { exact: true }).waitFor();
  }

  const sendNow = async (page: Page) => {
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
  };

  test('[PORT-5] The send page works by the keyboard alone, and shows what becomes of the message', async () => {
    const page = await portal.visit('/send');
    const to = async (name: string | RegExp) => {
      for (let steps = 0; steps < 40; steps += 1) {
        const focused = page.locator(':focus');
        const label = await focused.evaluate((element) => {
          const { labels, textContent, ariaLabel } = element as unknown as {
            labels?: ArrayLike<{ textContent: string }>;
            textContent: string;
            ariaLabel: string | null;
          };
          return ariaLabel ?? labels?.[0]?.textContent ?? textContent;
        });
        if (label.match(name)?.[0] === label) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`no key leads to ${name}`);
    };
    await to(/To/);
    await page.keyboard.type('+46 701 74 06 20');
    await page.keyboard.press('Enter');
    await page.keyboard.type(`${bo};`);
    await to(/Message/);
    await page.keyboard.type('By the keyboard');
    await to(/Send/);
    await page.keyboard.press('Enter');
    await to(/Send now/);
    await page.keyboard.press('Enter');
    await page.getByText('2 messages accepted.').waitFor();
    const table = page.getByRole('table', { name: 'Delivery status' });
    await table.getByText('Delivered').nth(1).waitFor();
    await table.getByText('simulated').nth(1).waitFor();
    expect((await sent('By the keyboard')).map(({ recipient }) => recipient)).toEqual([anna, bo]);
  });

  test('[PORT-4] [SEND-2] The send page takes pasted columns, marks what puts a text into UCS-2, and replaces it', async () => {
    const page = await portal.visit('/send');
    await paste(page, 'Name\tPhone\nAnna\t+46 701-74 06 20\nAnna\t0046701740620\nBo\t(46) 701 740621');
    await message(page).fill('“Hej” då');
    await expectSoon(() => page.getByRole('list', { name: 'To' }).getByRole('listitem').count()).toBe(2);
    await expectSoon(() => page.locator('mark').allTextContents()).toEqual(
      expect.arrayContaining(['“', '”']),
    );
    await page.getByText('All characters (UCS-2)').waitFor();
    await page.getByRole('button', { name: 'Replace each “ with "' }).click();
    await page.getByRole('button', { name: 'Replace all' }).click();
    await expectSoon(() => message(page).inputValue()).toBe('"Hej" då');
    await page.getByText('Ordinary letters (GSM-7)').waitFor();
    await page.getByText('Anna Berg').waitFor();
  });

  test('[PORT-4] The send page adds no recipients at all if they would be too many, says so, and leads to batches', async () => {
    const page = await portal.visit('/send');
    const numbers = (count: number) =>
      Array.from({ length: count }, (_, n) => `4670${1_740_000 + n}`).join('\n');
    await paste(page, numbers(10_000));
    await page.getByText('10000 numbers added').waitFor();
    await paste(page, numbers(10_001));
    await page.getByRole('alert').getByText('10001 recipients').waitFor();
    await expectSoon(() => page.getByText('numbers added').count()).toBe(0);
    await page.getByText('and 9,940 more').waitFor();
    await page.getByRole('link', { name: 'Send as a batch' }).click();
    await page.getByRole('heading', { level: 1, name: 'New batch' }).waitFor();
  });

  test('[PORT-4] A message that is undone, or whose page is closed before it is sent, is not sent', async () => {
    const page = await portal.visit('/send');
    await write(page, 'Undone');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectSoon(() => message(page).inputValue()).toBe('Undone');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('nothing was sent').waitFor();
    await expectSoon(() => message(page).inputValue()).toBe('Undone');
    expect(await sent('Undone')).toEqual([]);
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('1 message accepted.').waitFor();
    expect(await sent('Undone')).toHaveLength(1);
  });

  test('[SEND-20] A message is sent once although its response got lost, the page was reloaded and it was sent again', async () => {
    const page = await portal.visit('/send');
    await write(page, 'Only once');
    // The server carries out the call, but its response never arrives.
    await page.route('**/api/v1/send', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await sendNow(page);
    await page.getByText('The connection broke').waitFor();
    await until(async () => (await sent('Only once')).length === 1, patienceMs);
    await page.unroute('**/api/v1/send');
    await page.reload();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 message accepted.').waitFor();
    expect(await sent('Only once')).toHaveLength(1);
  });

  test('[SEND-20] The send page does not offer to send again what the server may have forgotten, and leads to the log', async () => {
    const page = await portal.visit('/send');
    await write(page, 'A day ago');
    await page.route('**/api/v1/send', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await sendNow(page);
    const again = page.getByRole('button', { name: 'Send again' });
    await again.waitFor();
    await aDayLater(page);
    await page.getByText('too long ago').waitFor();
    await expectSoon(() => again.count()).toBe(0);
    await page.getByRole('link', { name: 'Show in Messages' }).click();
    await page.getByRole('table', { name: 'Messages' }).getByRole('link').click();
    await page.getByText('A day ago').first().waitFor();
    expect(await sent('A day ago')).toHaveLength(1);
  });

  test('[PORT-4] [SEND-21] What was scheduled is shown as scheduled, with its own time, on the page that sends and on the front page', async () => {
    const page = await portal.visit('/send');
    await write(page, 'Tomorrow morning');
    await page.getByText('Sender, time and answers').click();
    const tomorrow = new Date(Date.now() + 86_400_000);
    const day = [tomorrow.getFullYear(), tomorrow.getMonth() + 1, tomorrow.getDate()];
    const [year, month, date] = day.map((part) => String(part).padStart(2, '0'));
    await page.getByLabel('Send at').fill(`${year}-${month}-${date}T02:08`);
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Nothing is scheduled yet.').waitFor();
    await page.getByRole('button', { name: 'Schedule now' }).click();
    await page.getByText(/^Scheduled for .*, 02:08 to 1 recipient\./).waitFor();
    const table = page.getByRole('table', { name: 'Delivery status' });
    await table.getByRole('columnheader', { name: 'Scheduled for' }).waitFor();
    await table.getByText(/02:08/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Start' }).first().click();
    const latest = page.getByRole('list', { name: 'Latest messages' });
    await latest.getByRole('link', { name: /Scheduled.*02:08/ }).waitFor();
  });

  test('[PORT-4] [SEND-20] A message can be followed from other pages, undone only before it has gone, and leaves no draft behind', async () => {
    const page = await portal.visit('/send');
    const second = await page.context().newPage();
    const home = () => page.getByRole('link', { name: 'Messages', exact: true }).first().click();
    const back = () => page.getByRole('link', { name: 'Send', exact: true }).first().click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.clock.install();
    await write(page, 'From another page');
    await second.goto(page.url());
    await expectSoon(() => message(second).inputValue()).toBe('From another page');
    // A background tab is drawn once a second, and clicks wait for that.
    await page.bringToFront();
    await page.clock.pauseAt(Date.now() + 60_000);
    await letTimePass(page);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send now' }).waitFor();
    await page.clock.runFor(7_000);
    await home();
    await page.getByText('Your message will be sent in 3 seconds').hover();
    await page.clock.fastForward(4_000);
    await page.clock.resume();
    await page.getByText('1 message accepted.').waitFor();
    await expectSoon(() => undo.count()).toBe(0);
    expect(await sent('From another page')).toHaveLength(1);
    await expectSoon(() => message(second).inputValue()).toBe('');
    await back();
    await page.getByRole('button', { name: 'Write another' }).click();
    await expectSoon(() => message(page).inputValue()).toBe('');

    // What someone types in a second tab meanwhile has not been sent, so it stays there.
    await write(page, 'In the first tab');
    await message(second).fill('In the second tab');
    await page.route('**/api/v1/send', (route) => route.abort('connectionreset'));
    await sendNow(page);
    await page.getByText('The connection broke').waitFor();
    await page.unroute('**/api/v1/send');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('button', { name: 'Write another' }).click();
    await expectSoon(() => message(second).inputValue()).toBe('In the second tab');
    await second.close();

    await write(page, 'Refused elsewhere');
    let answer = () => {};
    const isAway = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/send', async (route) => {
      await isAway;
      await route.fulfill({ status: 409, json: { code: 'quota_exceeded', error: 'The quota is used up.' } });
    });
    await sendNow(page);
    await home();
    answer();
    await page
      .getByText('Your message was not sent. It is still on the page Send. The quota is used up.')
      .waitFor();
    await back();
    await expectSoon(() => message(page).inputValue()).toBe('Refused elsewhere');
  });

  test('[PORT-4] The send page can send a message to its writer alone', async () => {
    const page = await portal.visit('/send');
    await write(page, 'Only to me');
    await page.getByRole('button', { name: 'Send to myself' }).click();
    await page.getByLabel('Your number').fill(bo);
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Sent to you').waitFor();
    await expectSoon(() => page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
    expect((await sent('Only to me')).map(({ recipient }) => recipient)).toEqual([bo]);
  });

  test('[SEND-20] An open dialog repeats no call whose idempotency key the server may have forgotten, not even after an answer that is a day late', async () => {
    const page = await portal.visit('/send');
    await write(page, 'To me');
    let answer = () => {};
    const isLate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/send/preview**', async (route) => {
      const response = await route.fetch();
      await isLate;
      await route.fulfill({ response });
    });
    const previewed = page.waitForRequest('**/api/v1/send/preview**');
    await message(page).fill('To myself');
    const late = (await previewed).response();
    await page.getByRole('button', { name: 'Send to myself' }).click();
    const dialog = page.getByRole('dialog');
    const send = dialog.getByRole('button', { name: 'Send', exact: true });
    await dialog.getByLabel('Your number').fill(anna);
    await page.route('**/api/v1/send', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await send.click();
    await dialog.getByText('can’t be reached').waitFor();
    await page.unroute('**/api/v1/send');
    await aDayLater(page);
    answer();
    await (await late)?.finished();
    await page.locator('li').getByText('To myself').waitFor();
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/send')) calls += 1;
    });
    await send.click();
    await dialog.getByText('about a day ago').waitFor();
    expect(calls).toBe(0);
    expect(await sent('To myself')).toHaveLength(1);
  });

  test('[PORT-4] An attempt to send belongs to the tab that has it, and no tab sends an attempt that another has let go', async () => {
    const page = await portal.visit('/send');
    await write(page, 'In one tab');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('in another tab').waitFor();
    await expectSoon(() => other.getByRole('button', { name: 'Keep editing' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await other.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('in another tab').waitFor();
    // Imitates a tab that considers the attempt abandoned.
    await page.evaluate(`localStorage.removeItem('carillon.attempt.${portal.demo.username}')`);
    await other.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await message(other).fill('In the other tab');
    await sendNow(other);
    await other.getByText('1 message accepted.').waitFor();
    expect(await sent('In one tab')).toEqual([]);
    expect(await sent('In the other tab')).toHaveLength(1);
  });

  test('[PORT-2] [SEND-20] A message is sent once when the session ends meanwhile, and nothing that was typed is lost', async () => {
    const page = await portal.visit('/send');
    await write(page, 'Over the end');
    // Any other call would notice the ended session before the message is sent.
    await page.route(/\/api\/(v1\/(?!send$)|hints)/, (route) => route.abort());
    await page.context().clearCookies();
    await sendNow(page);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(portal.demo.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('1 message accepted.').waitFor();
    expect(await sent('Over the end')).toHaveLength(1);
  });

  test('[PORT-2] [PORT-4] After a sign-out, nothing typed and nothing to be sent is left to the next user', async () => {
    const page = await portal.visit('/send');
    await write(page, 'Signed out');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('User name').fill(portal.demo.username);
    await page.getByLabel('Password').fill(portal.demo.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectSoon(() => message(page).inputValue()).toBe('');
    await expectSoon(() => page.getByRole('list', { name: 'To' }).getByRole('listitem').count()).toBe(0);
    await expectSoon(() => page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
    expect(await sent('Signed out')).toEqual([]);
  });

  test('[PORT-5] The send page has no accessibility barriers, in either theme and language, at any width', async () => {
    for (const look of [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 1280, theme: 'dark', language: 'en' },
    ] as const) {
      const page = await portal.visit('/send', look);
      const words =
        look.language === 'sv' ? { to: 'Till', message: 'Meddelande' } : { to: 'To', message: 'Message' };
      await page.getByRole('combobox', { name: words.to, exact: true }).fill('0701740620');
      await page.getByRole('textbox', { name: words.message }).fill('“Hej” 😀');
      await page
        .getByText(/\bsim$/)
        .or(page.getByText('0701740620'))
        .first()
        .waitFor();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await portal.leave(page);
    }
  });
});
