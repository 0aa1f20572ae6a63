/** Batches as a person works with them: pasting, checking, correcting, sending, viewing and stopping. */
import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { patienceMs } from '../harness/browser-windows.ts';
import { inAnHour } from '../harness/messaging.ts';

const table = (rows: number, last = '') =>
  [
    'Mobile;Name',
    ...Array.from({ length: rows }, (_, at) => `+46 731 00 ${100 + at} 20;Anna ${at}`),
    last,
  ].join('\n');

describePortal('batches in the portal', (portal) => {
  test('[PORT-4] A pasted table has its faults shown by line, can be corrected and checked, and is sent as a batch', async () => {
    const page = await portal.visit('/batches');
    await page.getByRole('link', { name: 'New batch' }).click();
    const pasted = page.getByLabel('Paste from a spreadsheet');
    await pasted.fill(table(20, 'nobody;Bo'));
    await pasted.blur();
    await page.getByText('21 rows').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Don’t forget, ');
    await page.getByRole('button', { name: '{Name}' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Autumn');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Line 22, Mobile').waitFor();
    await expectSoon(() => page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
    await page.reload();
    await page.getByText('21 rows').waitFor();
    await page.getByRole('button', { name: 'Choose another' }).click();
    await pasted.fill(table(20));
    await pasted.blur();
    await page.getByText('20 rows').waitFor();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Don’t forget, Anna 0').waitFor();
    await page.getByRole('button', { name: 'Send 20 messages' }).click();
    await page.getByRole('heading', { level: 1, name: 'Autumn' }).waitFor();
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'All batches' }).click();
    await page
      .getByRole('row', { name: /Autumn/ })
      .getByText('Done')
      .waitFor();
  });

  test('[PORT-4] [PORT-5] Faulty rows of a table are mended in place, downloaded, and left out, by keyboard and on a phone', async () => {
    for (const width of [1280, 360]) {
      const name = `Skipping ${width}`;
      const page = await portal.visit('/batches/new', { width });
      const pasted = page.getByLabel('Paste from a spreadsheet');
      await pasted.fill(`${table(3)}short;Bo\n+46 731 00 200;;x\n'+46731000920;Cleo\n12345;=Dag`);
      await pasted.blur();
      await page.getByRole('textbox', { name: 'Message' }).fill('Hello {Name}');
      await check(page, name);
      await page.getByText('2 problems.').waitFor();
      await page.getByText('1 row has no value').getByText('Name', { exact: true }).waitFor();
      await expectSoon(() => page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download the 2 rows with problems' }).press('Enter'),
      ]);
      expect(download.suggestedFilename()).toBe('rows-with-problems.csv');
      expect(readFileSync(await download.path(), 'utf8')).toBe(
        `\u{feff}"Mobile";"Name";"C"\r\n"short";"Bo";""\r\n"12345";"'=Dag";""\r\n`,
      );
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
      await page.getByLabel('Line 5, Mobile').fill('+46731000820');
      await page.getByLabel('Line 5, Mobile').press('Enter');
      await page.getByText('1 problem.').waitFor();
      await page.getByLabel('Leave out the row with problems').press('Space');
      await page.getByText('1 row is left out.').waitFor();
      expect([await barriersOf(page), await overflowOf(page)]).toEqual([[], 0]);
      await page.getByRole('button', { name: 'Send 6 messages' }).press('Enter');
      await page.getByRole('button', { name: 'Send anyway' }).press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect(await batchesNamed(name)).toMatchObject([{ messages: 6, parts: 6 }]);
    }
  });

  test('[PORT-4] A batch with empty cells is sent only when confirmed, after a note of how many rows lack which columns', async () => {
    const page = await portal.visit('/batches/new');
    const pasted = page.getByLabel('Paste from a spreadsheet');
    await pasted.fill('Mobile;Name;Time\n46731000120;Anna;\n46731000220;;\n46731000320;Bo;Ten');
    await pasted.blur();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello {Name}');
    await check(page, 'Blanks');
    await page.getByRole('button', { name: 'Send 3 messages' }).click();
    const question = page.getByRole('dialog', { name: 'Send with empty fields?' });
    await question.getByText('1 row has no value').getByText('Name', { exact: true }).waitFor();
    await question.getByRole('button', { name: 'Fix the table first' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await batchesNamed('Blanks')).toEqual([]);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello {Name}, at {Time}');
    await check(page, 'Blanks');
    await page.getByRole('button', { name: 'Send 3 messages' }).click();
    await question.getByText('2 rows have no value').getByText('Time, Name', { exact: true }).waitFor();
    await question.getByRole('button', { name: 'Send anyway' }).click();
    await page.getByRole('heading', { level: 1, name: 'Blanks' }).waitFor();
    expect(await batchesNamed('Blanks')).toHaveLength(1);
  });

  const batchesNamed = async (name: string) => {
    const { app } = portal.demo;
    const { body } = await app.as(portal.demo).get('/api/v1/batches', { limit: 100 });
    return (body.batches as { name: string; id: string }[]).filter((one) => one.name === name);
  };

  async function check(page: Page, name: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('What would be sent').waitFor();
  }

  /** A new, checked batch whose call the server accepts while the response is lost in the given way. */
  async function checkedWithLostAnswer(name: string, lose: (route: Route) => Promise<void>) {
    const page = await portal.visit('/batches/new');
    const pasted = page.getByLabel('Paste from a spreadsheet');
    await pasted.fill(table(3));
    await pasted.blur();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.route('**/api/v1/batches', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await lose(route);
    });
    await check(page, name);
    return page;
  }

  const sendAgain = (page: Page) => page.getByRole('button', { name: 'Send 3 messages again' });

  test('[SEND-20] A batch is sent once even if the page is reloaded before the response comes', async () => {
    let isLost = false;
    const page = await checkedWithLostAnswer('Reloaded', () => {
      isLost = true;
      return new Promise(() => undefined);
    });
    await page.getByRole('button', { name: 'Send 3 messages' }).click();
    await until(() => isLost, patienceMs);
    expect(await batchesNamed('Reloaded')).toHaveLength(1);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.unroute('**/api/v1/batches');
    await page.getByText('no answer has come').waitFor();
    // Another batch, possibly the same one with a corrected word, cannot be sent before the unanswered one is settled.
    await page.getByText('3 rows').waitFor();
    await check(page, 'Reloaded and changed');
    await page.getByText('First find out').waitFor();
    await expectSoon(() => page.getByRole('button', { name: /^Send 3/ }).count()).toBe(0);
    await check(page, 'Reloaded');
    await sendAgain(page).click();
    await page.getByRole('heading', { level: 1, name: 'Reloaded' }).waitFor();
    expect(await batchesNamed('Reloaded')).toHaveLength(1);
  });

  test('[SEND-20] A batch is sent once even if the connection breaks after the call, and from two tabs', async () => {
    const page = await checkedWithLostAnswer('Cut', (route) => route.abort('connectionreset'));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByText('3 rows').waitFor();
    await check(other, 'Cut');
    // A background tab is drawn once a second, and clicks wait for that.
    await page.bringToFront();
    await page.getByRole('button', { name: 'Send 3 messages' }).click();
    await page.getByText('can’t be reached').waitFor();
    await other.bringToFront();
    await sendAgain(other).click();
    await other.getByRole('heading', { level: 1, name: 'Cut' }).waitFor();
    expect(await batchesNamed('Cut')).toHaveLength(1);
    await page.bringToFront();
    // The entered text is gone from this tab too, so the test types it again.
    await expectSoon(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
    await page.unroute('**/api/v1/batches');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await check(page, 'Cut');
    await page.getByText('You have already sent exactly this batch').waitFor();
    await page.getByRole('button', { name: 'Send it once more' }).click();
    await page.getByRole('button', { name: 'Send 3 messages', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Cut' }).waitFor();
    expect(await batchesNamed('Cut')).toHaveLength(2);
  });

  test('[SEND-20] Failed messages of a batch are sent again once, whatever happens to the response and however often it is tried', async () => {
    const { app } = portal.demo;
    const batch = [{ t: '46701740606' }, { t: '46731000120' }];
    const sent = await app
      .as(portal.demo)
      .post('/api/v1/batches', { name: 'Failed once', message: 'Hello', batch });
    const path = `/batches/${sent.body.batchid}`;
    const page = await portal.visit(path);
    const again = async () => {
      await page.getByRole('button', { name: 'Send failed again …' }).click();
      await page.getByRole('button', { name: 'Send them again' }).click();
    };
    await page.getByText('The network could not deliver it').waitFor();
    const file = page.getByRole('link', { name: 'As CSV' });
    await expectSoon(() => file.getAttribute('href')).toMatch(/failed\/csv\?language=en$/);
    await page.route('**/resend-failed', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await again();
    await page.getByRole('dialog').getByText('can’t be reached').waitFor();
    await page.unroute('**/resend-failed');
    await page.reload();
    await again();
    await page.waitForURL((url) => !url.pathname.endsWith(path));
    await page.goBack();
    await again();
    await page.waitForURL((url) => !url.pathname.endsWith(path));
    expect(await batchesNamed('Failed once')).toHaveLength(1);
    expect(await batchesNamed('Failed once (again)')).toHaveLength(1);
  });

  test('[PORT-4] A file can be chosen for a batch, and one that cannot be read is refused with an explanation', async () => {
    const page = await portal.visit('/batches/new');
    const choose = page.getByLabel('Choose a CSV file');
    await choose.setInputFiles({
      name: 'book.xlsx',
      mimeType: 'application/zip',
      buffer: Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1]),
    });
    await page.getByRole('alert').getByText('This is not a text file').waitFor();
    await choose.setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Nummer;Förnamn\n46701740699;Åsa', 'latin1'),
    });
    await page.getByRole('cell', { name: 'Åsa' }).waitFor();
  });

  test('[PORT-4] A batch can be paused, resumed, and aborted after a confirmation', async () => {
    const { app } = portal.demo;
    const batch = [{ t: '46731000120' }, { t: '46731000220' }];
    const later = { name: 'Later', message: 'Hello', scheduletime: inAnHour(), batch };
    const { body } = await app.as(portal.demo).post('/api/v1/batches', later);
    const page = await portal.visit(`/batches/${body.batchid}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Nothing more is sent until you resume it').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Abort …' }).click();
    await page.getByRole('dialog').getByText('2 messages will never be sent').waitFor();
    await page.getByRole('button', { name: 'Abort the batch' }).click();
    await page.getByText('Aborted', { exact: true }).waitFor();
  });

  test('[PORT-4] Failed messages of a batch are shown with the reason, and sent again as a new batch', async () => {
    const { app } = portal.demo;
    const batch = [{ t: '46701740606' }, { t: '46731000120' }];
    const sent = await app
      .as(portal.demo)
      .post('/api/v1/batches', { name: 'Mixed', message: 'Hello', batch });
    const page = await portal.visit(`/batches/${sent.body.batchid}`);
    await page.getByText('The network could not deliver it').waitFor();
    await page.getByRole('list', { name: 'How many failed' }).getByText('Undeliverable').waitFor();
    await page.getByRole('button', { name: 'Send failed again …' }).click();
    await page.getByRole('button', { name: 'Send them again' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(`/${sent.body.batchid}`));
    await page.getByRole('heading', { level: 1, name: 'Mixed (again)' }).waitFor();
    await page.getByText('The network could not deliver it').waitFor();
    const again = new URL(page.url()).pathname.split('/').at(-1);
    await page.getByRole('link', { name: `Batch ${sent.body.batchid}` }).click();
    await page.getByRole('heading', { level: 1, name: 'Mixed', exact: true }).waitFor();
    await page.getByRole('link', { name: `Batch ${again}` }).waitFor();
    const paths = ['/batches', '/batches/new', `/batches/${sent.body.batchid}`];
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 1280, theme: 'dark', language: 'en' },
    ] as const;
    for await (const seen of portal.pages(paths, appearances)) {
      expect(await barriersOf(seen)).toEqual([]);
      expect(await overflowOf(seen)).toBe(0);
    }
  });
});
