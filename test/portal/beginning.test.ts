/** The portal before anything has been sent: empty pages say what to do and offer nothing that leads nowhere. */
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { sendOne } from '../harness/messaging.ts';

const empty = ['/', '/messages', '/simulator'] as const;

describePortal('the portal before anything was sent', (portal) => {
  test('[PORT-4] As long as there are no messages, each page that is to show messages leads to sending a first one', async () => {
    for (const path of empty) {
      const page = await portal.visit(path);
      const first = page.getByRole('link', { name: 'Send your first message' });
      await first.waitFor();
      expect([path, await barriersOf(page), await overflowOf(page)]).toEqual([path, [], 0]);
      await first.click();
      await page.getByRole('heading', { level: 1, name: 'Send', exact: true }).waitFor();
      await portal.leave(page);
    }
  });

  test('[PORT-4] A first message is not offered to users who may not send, or when a search has found nothing', async () => {
    const { app } = portal.demo;
    const keeper = { username: 'keeper', password: 'who keeps the books' };
    const applied = await app.apply(
      `companies: [{ name: Demo, users: [{ username: ${keeper.username}, password: ${keeper.password}, roles: [companyAdmin] }] }]`,
    );
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
    const page = await portal.visit('/messages?q=46701740699');
    await page.getByText('Nothing for +46 701 74 06 99').waitFor();
    await expectSoon(() => page.getByRole('link', { name: 'Send your first message' }).count()).toBe(0);
    const other = await portal.visit('/', { as: 'nobody' });
    await portal.signIn(other.context(), keeper);
    for (const path of empty) {
      await other.goto(`${app.baseUrl}/portal${path}`);
      await other
        .getByText(path === '/simulator' ? 'No phone has received' : 'Nothing has been sent yet')
        .waitFor();
      expect([path, await other.getByRole('link', { name: 'Send your first message' }).count()]).toEqual([
        path,
        0,
      ]);
    }
  });

  test('[PORT-4] The usage page suggests a longer period only if there is one, and offers a file only once something was sent', async () => {
    const page = await portal.visit('/usage');
    await page.getByText('Everything sent is added up here').waitFor();
    const file = page.getByRole('link', { name: 'Export these sums as a CSV file' });
    expect([await page.getByText('Choose a longer period').count(), await file.count()]).toEqual([0, 0]);
    await page.getByText('This month', { exact: true }).click();
    await page.getByText('Choose a longer period').waitFor();
    await sendOne(portal.demo.app.as(portal.demo), { to: ['46701740699'] });
    await file.waitFor();
    await page.getByRole('row', { name: /Total/ }).waitFor();
  });
});
