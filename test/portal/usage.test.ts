/** Usage: every table adds up to its total, whatever was shown before and whatever the address says. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { sendOne } from '../harness/messaging.ts';

describePortal('the usage page', (portal) => {
  beforeAll(async () => {
    const client = portal.demo.app.as(portal.demo);
    for (const costcenter of ['ward', 'ward', 'kitchen', ''])
      await sendOne(client, { to: ['46701740699'], message: 'Hello', costcenter });
  });

  /** The heading of the first column, the rows with their messages, and the sum at the foot. */
  const tableOf = async (page: Page) => {
    const table = page.getByRole('table');
    const rows = await table.locator('tbody tr').evaluateAll((all) =>
      (all as unknown as { querySelectorAll(of: string): Iterable<{ textContent: string }> }[]).map((row) => {
        const [name = '', messages = ''] = [...row.querySelectorAll('th, td')].map((one) => one.textContent);
        return [name, Number(messages)] as const;
      }),
    );
    const heading = await table.locator('thead th').first().textContent();
    const total = Number(await table.locator('tfoot td').first().textContent());
    return { heading, rows, total, sum: rows.reduce((all, [, messages]) => all + messages, 0) };
  };

  test('[PORT-10] The rows of usage add up to the total after every change of what they are summed by, and while the answer is on its way', async () => {
    const page = await portal.visit('/usage');
    const table = page.getByRole('table');
    await table.getByRole('columnheader', { name: 'Month' }).waitFor();
    expect(await tableOf(page)).toMatchObject({ total: 4, sum: 4 });
    for (const [name, rows] of [
      [
        'Cost centre',
        [
          ['ward', 2],
          ['kitchen', 1],
          ['None', 1],
        ],
      ],
      ['User', [['demo', 4]]],
      [
        'Cost centre',
        [
          ['ward', 2],
          ['kitchen', 1],
          ['None', 1],
        ],
      ],
    ] as const) {
      let mayAnswer = () => {};
      const isAnswered = new Promise<void>((resolve) => {
        mayAnswer = resolve;
      });
      await page.route(/\/api\/v1\/usage\?/, async (route) => {
        await isAnswered;
        await route.continue();
      });
      await page.getByText(name, { exact: true }).first().click();
      const meanwhile = await tableOf(page);
      expect([meanwhile.total, meanwhile.sum]).toEqual([4, 4]);
      mayAnswer();
      await table.getByRole('columnheader', { name }).waitFor();
      const shown = await tableOf(page);
      expect([shown.total, shown.sum]).toEqual([4, 4]);
      expect(shown.rows.toSorted()).toEqual(rows.toSorted());
      await page.unroute(/\/api\/v1\/usage\?/);
    }
    await page.getByText('Month', { exact: true }).first().click();
    await table.getByRole('columnheader', { name: 'Month' }).waitFor();
    expect((await tableOf(page)).rows).toHaveLength(12);
    await page.getByText('Three months', { exact: true }).click();
    await expectSoon(async () => (await tableOf(page)).rows.length).toBe(3);
    expect(await tableOf(page)).toMatchObject({ total: 4, sum: 4 });
  });

  test('[PORT-10] An address with a grouping that does not exist shows usage by month, and no error', async () => {
    for (const width of [360, 1280]) {
      const page = await portal.visit('/usage?by=user&months=7', { width });
      await page.getByRole('columnheader', { name: 'Month' }).waitFor();
      expect(await tableOf(page)).toMatchObject({ total: 4, sum: 4 });
      await expectSoon(() => page.getByRole('alert').count()).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await portal.leave(page);
    }
  });
});
