/** Finding messages by what people know of them, and doing something with several of those found. */
import { beforeAll, expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { inAnHour, sendOne, whenAllAre } from '../harness/messaging.ts';

describePortal('the search of the message log', (portal) => {
  /** The number of Anna Berg of the demo's address book. */
  let anna: string;
  beforeAll(async () => {
    const client = portal.demo.app.as(portal.demo);
    const { people } = (await client.get('/api/v1/find', { q: 'anna berg' })).body;
    anna = people[0].phone;
    await sendOne(client, { to: [anna], message: 'Träffa läkaren på torsdag' });
    await sendOne(client, { to: ['46701740699'], message: 'The board meets at 8', from: 'Board' });
  });

  const columnOf = async (status: string, to: readonly string[]) => {
    const client = portal.demo.app.as(portal.demo);
    return Promise.all(
      to.map(
        async (number) => (await client.get('/api/v1/messages', { to: number, status })).body.messages.length,
      ),
    );
  };

  test('[PORT-4] [PORT-5] The search says what it took the text for, and looks for something else on request, by keyboard', async () => {
    const page = await portal.visit('/messages');
    const search = page.getByRole('searchbox', { name: 'Search' });
    const kind = page.getByRole('combobox', { name: 'Look for' });
    const rows = page.getByRole('table', { name: 'Messages' }).getByRole('row');
    await search.press('a');
    await search.fill('berg');
    await expectSoon(() => kind.inputValue()).toBe('name');
    await page.getByText('1 person', { exact: true }).waitFor();
    await expectSoon(() => rows.count()).toBe(2);
    await page.getByRole('link', { name: /Anna Berg/ }).waitFor();
    await search.fill('lakaren');
    await expectSoon(() => kind.inputValue()).toBe('words');
    await page.getByText('In what you have sent').waitFor();
    await page.getByRole('link', { name: /Anna Berg/ }).waitFor();
    await search.fill('board');
    await expectSoon(() => kind.inputValue()).toBe('from');
    await page.getByRole('link', { name: '+46 701 74 06 99' }).waitFor();
    await kind.focus();
    await kind.selectOption('words');
    await page.waitForURL(/kind=words/);
    await page.getByRole('link', { name: '+46 701 74 06 99' }).waitFor();
    await kind.selectOption('name');
    await page.getByText('Nothing for board').waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });

  test('[PORT-4] [PORT-5] A period of days narrows the messages, in the URL and in the file, by touch on a phone', async () => {
    const page = await portal.visit('/messages', { width: 360, height: 740, touch: true, theme: 'dark' });
    await page.getByRole('link', { name: /Anna Berg/ }).waitFor();
    await page.getByText('Dates', { exact: true }).tap();
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('No messages found').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(new URL(page.url()).searchParams.get('to')).toBe('2020-01-31');
    const file = await page.getByRole('link', { name: 'Export these results' }).getAttribute('href');
    expect(file).toMatch(/until=2020-0[12]/);
    await page.getByRole('button', { name: 'Search all messages' }).tap();
    await page.getByRole('link', { name: /Anna Berg/ }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('[PORT-4] [SEND-21] Several messages that wait are cancelled at once, and those that failed are sent again', async () => {
    const client = portal.demo.app.as(portal.demo);
    const failing = ['46701740608', '46701740606'] as const;
    const failed = [];
    for (const to of failing) failed.push(await sendOne(client, { to: [to], message: 'Hello' }));
    await whenAllAre(client, [failed[0] as string], 'ABSENTSUBSCRIBER');
    const waiting = ['46701740681', '46701740682'] as const;
    for (const to of waiting) await sendOne(client, { to: [to], message: 'Later', scheduletime: inAnHour() });
    const page = await portal.visit('/messages');
    await page.getByRole('link', { name: '+46 701 74 06 82' }).waitFor();
    await page.getByRole('link', { name: '+46 701 74 06 08' }).waitFor();
    for (const number of ['+46 701 74 06 81', '+46 701 74 06 82', '+46 701 74 06 08'])
      await page.getByRole('checkbox', { name: `Select ${number}` }).press('Space');
    const bar = page.getByRole('region', { name: 'Selected' });
    await bar.getByRole('button', { name: 'Cancel' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Cancel 2 messages that wait?').waitFor();
    await dialog.getByText('1 other is left as it is.').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    // One of them is cancelled elsewhere meanwhile; it is as it should be.
    const { messages } = (await client.get('/api/v1/messages', { to: waiting[0] })).body;
    await client.post(`/api/v1/messages/${messages[0].id}/cancel`);
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByText('2 messages cancelled.').waitFor();
    expect(await columnOf('CANCELED', waiting)).toEqual([1, 1]);
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select +46 701 74 06 08' }).press('Space');
    await page.getByRole('checkbox', { name: 'Select +46 701 74 06 81' }).press('Space');
    // Hints may still be reloading the list, in which it waits until then.
    await expectSoon(() => bar.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    await bar.getByRole('button', { name: 'Send again' }).press('Enter');
    // The answer to the first try is lost; the second try sends nothing twice.
    await page.route('**/resend', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await dialog.getByRole('button', { name: 'Send again' }).press('Enter');
    await dialog.getByText('It stopped; 1 is left.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await dialog.getByRole('button', { name: 'Go on' }).press('Enter');
    await page.getByText('1 message sent again.').waitFor();
    const { messages: sent } = (await client.get('/api/v1/messages', { to: failing[0] })).body;
    expect(sent).toHaveLength(2);
  });

  test('[PORT-4] What cannot be done with some of several messages is told with the reason', async () => {
    const client = portal.demo.app.as(portal.demo);
    const ids: string[] = [];
    for (const to of ['46701740683', '46701740684'])
      ids.push(await sendOne(client, { to: [to], message: 'Later', scheduletime: inAnHour() }));
    const page = await portal.visit('/messages', { language: 'sv', width: 360, height: 740, touch: true });
    for (const number of ['+46 701 74 06 83', '+46 701 74 06 84'])
      await page.getByRole('checkbox', { name: `Markera ${number}` }).tap();
    await page.getByRole('region', { name: 'Markerade' }).getByRole('button', { name: 'Stoppa' }).tap();
    // It is sent while the question is shown.
    await page.route(`**/${ids[0]}/cancel`, async (route) => {
      const time = new Date(Date.now() + 2_000).toISOString();
      const changed = await client.patch(`/api/v1/scheduled/${ids[0]}`, { scheduleTime: time });
      expect(changed.status).toBe(200);
      await whenAllAre(client, [ids[0] as string], 'DELIVERED');
      await route.continue();
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Stoppa' }).tap();
    await dialog.getByText('1 gick inte:').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: '06 83: Det är för sent' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(await columnOf('CANCELED', ['46701740683', '46701740684'])).toEqual([0, 1]);
    await page.unrouteAll({ behavior: 'wait' });
  });
});
