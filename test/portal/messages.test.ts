/** Finding a message: the log, a single message, scheduled messages and what was sent, as a person looks for them. */
import { beforeAll, expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { inAnHour, sendOne, whenAllAre } from '../harness/messaging.ts';

/** The simulator's number whose phone is switched off. */
const unreachable = '46701740608';

describePortal('the pages of messages', (portal) => {
  let failed: string;
  beforeAll(async () => {
    const client = portal.demo.app.as(portal.demo);
    failed = await sendOne(client, { to: [unreachable], message: 'Are you there?', costcenter: 'ward' });
    await whenAllAre(client, [failed], 'ABSENTSUBSCRIBER');
  });

  const send = (more: object = {}) => sendOne(portal.demo.app.as(portal.demo), { ...more });

  test('[PORT-4] The message log finds a message by its number as it is written on paper, and shows what became of it', async () => {
    const page = await portal.visit('/messages');
    await page.getByRole('searchbox', { name: 'Search' }).fill('+46 70-174 06 08');
    await page.waitForURL(/q=/);
    const file = page.getByRole('link', { name: 'Export these results as a CSV file' });
    await expectSoon(() => file.getAttribute('href')).toMatch(/messages\.csv\?q=.*&language=en$/);
    await page.getByRole('link', { name: '+46 701 74 06 08' }).first().click();
    await page.getByRole('heading', { level: 1, name: failed }).waitFor();
    await page.getByText('The phone was switched off or out of reach').waitFor();
    await page.getByText('The original receipt').click();
    await page.getByRole('row', { name: /^err 008 .*ABSENTSUBSCRIBER/ }).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Sent again as a new message.').waitFor();
    expect(page.url()).not.toContain(failed);
    // Another administrator who saw the failure is led to the same new message.
    const other = await portal.demo.app.as(portal.demo).post(`/api/v1/messages/${failed}/resend`, {
      ifStatus: 'ABSENTSUBSCRIBER',
    });
    expect(page.url()).toContain(`/${other.body.id}`);
  });

  test('[PORT-4] When nothing was found, the message log names the number it looked for and the next step', async () => {
    const page = await portal.visit('/messages?q=%2B46701740617&state=failed');
    await page.getByText('Nothing for +46 701 74 06 17').waitFor();
    await page.getByRole('button', { name: 'Search all messages' }).press('Enter');
    await page.getByText('Is the country code right?').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Send to this number' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Send' }).waitFor();
    await page.getByRole('button', { name: /^Remove .*46.?701.?74.?06.?17/ }).waitFor();
    await page.goto(`${portal.demo.app.baseUrl}/portal/messages?q=Clinic`);
    await page.getByText('Nothing for Clinic').waitFor();
  });

  test('[PORT-4] The message log shows new messages live, and on request only those that failed', async () => {
    const page = await portal.visit('/messages');
    await page.getByRole('table', { name: 'Messages' }).waitFor();
    await send({ to: ['46701740677'] });
    await page.getByRole('link', { name: '+46 701 74 06 77' }).waitFor();
    await page.getByText('Failed', { exact: true }).click();
    await page.waitForURL(/state=failed/);
    await page.getByRole('link', { name: '+46 701 74 06 77' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '+46 701 74 06 08' }).first().waitFor();
  });

  test('[PORT-4] [SEND-21] A waiting message can be cancelled in the portal, and the cancellation can be undone', async () => {
    await send({ to: ['46701740678'], scheduletime: inAnHour() });
    const page = await portal.visit('/scheduled');
    await page.getByRole('button', { name: 'Cancel the message to +46 701 74 06 78' }).click();
    await page.getByText('is cancelled').waitFor();
    await page.getByRole('link', { name: '+46 701 74 06 78' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: '+46 701 74 06 78' }).waitFor();
    await page.getByText('It is scheduled again').waitFor();
    await page.getByText('Calendar').click();
    await page.getByRole('columnheader').first().waitFor();
  });

  test('[PORT-4] The portal says when a cancellation cannot be undone, and offers to undo it only for a user’s own messages', async () => {
    for (const to of ['46701740679', '46701740680']) await send({ to: [to], scheduletime: inAnHour() });
    const page = await portal.visit('/scheduled');
    const cancel = (number: string) =>
      page.getByRole('button', { name: `Cancel the message to ${number}` }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.route('**/resend', (route) => route.abort('connectionreset'));
    await cancel('+46 701 74 06 79');
    await page.getByRole('link', { name: '+46 701 74 06 79' }).waitFor({ state: 'detached' });
    await undo.click();
    await page.getByText('can’t be reached').waitFor();
    // If an administrator resent somebody else's message, the new message would belong to the administrator.
    await page.route(/\/api\/v1\/scheduled/, async (route) => {
      const response = await route.fetch();
      const { scheduled, ...rest } = await response.json();
      const json = { ...rest, scheduled: scheduled.map((one: object) => ({ ...one, username: 'ward' })) };
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByRole('cell', { name: 'ward' }).first().waitFor();
    await cancel('+46 701 74 06 80');
    await page.getByText('06 80 is cancelled').waitFor();
    await expectSoon(() => undo.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('[PORT-5] The message pages have no accessibility barriers, in either theme and language', async () => {
    const paths = ['/messages', `/messages/${failed}`, '/scheduled', '/usage'];
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 768, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    for await (const page of portal.pages(paths, appearances)) {
      await expectSoon(() => page.getByRole('status').count()).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
