/**
 * Conversations and the phone simulator in a browser: who has answered, and replying from the same number by keyboard alone.
 */
import { expect, test } from 'vitest';
import { aDayLater, barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';

const rented = '46701740605';

describePortal('conversations in the portal', (portal) => {
  const call = async (path: string, body: object) => {
    const answer = await portal.demo.app.as(portal.demo).post(path, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return answer.body;
  };
  const write = (phone: string, text: string) =>
    call(`/api/v1/simulator/phones/${phone}/answer`, { text, to: rented });

  test('[PORT-4] Two people see new SMS, and what either of them does in a conversation, without a reload', async () => {
    const [one, other] = [await portal.visit('/conversations'), await portal.visit('/conversations')];
    await one.getByText('Nobody has answered yet').waitFor();
    await other.getByText('Nobody has answered yet').waitFor();
    await write('46701740640', 'Which entrance is it?');
    for (const page of [one, other]) await page.getByText('Which entrance is it?').waitFor();
    const badge = other.getByRole('link', { name: 'Conversations 1 unread' });
    await badge.waitFor();
    await one.getByRole('link', { name: /\+46 701 74 06 40/ }).click();
    await badge.waitFor({ state: 'detached' });
    await one.getByLabel('Answer from +46 701 74 06 05').fill('The one on Storgatan');
    await one.getByText('1 SMS part').waitFor();
    await one.getByRole('button', { name: 'Send' }).click();
    await one.getByRole('log').getByText('The one on Storgatan').waitFor();
    await one.getByRole('log').getByText('Delivered').waitFor();
    await one.getByRole('log').getByText('simulated').waitFor();
    await other.getByRole('link', { name: /You: The one on Storgatan/ }).waitFor();
    await one.getByRole('button', { name: 'Archive' }).click();
    await other.getByRole('link', { name: /Storgatan/ }).waitFor({ state: 'detached' });
    await one.getByRole('button', { name: 'Undo' }).click();
    await other.getByRole('link', { name: /Storgatan/ }).waitFor();
  });

  test('[PORT-5] Conversations can be read, answered and archived by the keyboard alone', async () => {
    await write('46701740641', 'First of two');
    await write('46701740642', 'Second of two');
    const page = await portal.visit('/conversations');
    await page.getByRole('link', { name: /Second of two/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('First of two').waitFor();
    const field = page.getByLabel(/^Answer from/);
    await field.waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('log').getByText('By keyboard').waitFor();
    // The message may be shown before the call's response arrives; once the response arrives, the field has the focus again.
    await expectSoon(() => field.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByText('The conversation is archived.').waitFor();
    await page.getByText('Choose a conversation').waitFor();
    await page.getByRole('radio', { name: 'Archived' }).check({ force: true });
    await page.getByRole('link', { name: /By keyboard/ }).waitFor();
  });

  test('[PORT-5] A conversation keeps what was typed across a reload, and is found by its number', async () => {
    await write('46701740643', 'Do you find me?');
    const page = await portal.visit('/conversations');
    await page.getByRole('searchbox').fill('+46 701-74 06 43');
    await page.waitForURL(/search=/);
    await page.getByRole('link', { name: /Do you find me/ }).click();
    await page.getByLabel(/^Answer from/).fill('Half an answ');
    await page.reload();
    await page.getByRole('log').getByText('Do you find me?').waitFor();
    await expectSoon(() => page.getByLabel(/^Answer from/).inputValue()).toBe('Half an answ');
    const listed = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link');
    await expectSoon(() => listed.count()).toBe(1);
  });

  test('[PORT-5] A search that is still being typed does not take a user back from the page they have gone to', async () => {
    const page = await portal.visit('/conversations');
    let load = () => {};
    const mayLoad = new Promise<void>((resolve) => {
      load = resolve;
    });
    // Pages of one file are shown at once, so this one is of another.
    const isAsked = page.waitForRequest(/assets\/sent-/);
    await page.route(/assets\/sent-/, async (route) => {
      await mayLoad;
      await route.continue();
    });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await isAsked;
    await page.clock.runFor(2_000);
    await page.clock.resume();
    load();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    expect(page.url()).toMatch(/messages$/);
  });

  test('[PORT-5] [SEND-20] A reply that has gone is not left to be sent again, whatever page shows at that moment', async () => {
    await write('46701740647', 'Is there a lift?');
    await write('46701740648', 'Who has the key?');
    const page = await portal.visit('/conversations');
    // By keyboard, since the list changes its order while it is clicked.
    const open = (name: RegExp) => page.getByRole('link', { name }).press('Enter');
    const field = page.getByLabel(/^Answer from/);
    let answer = () => {};
    const isAway = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/reply', async (route) => {
      const response = await route.fetch();
      await isAway;
      await route.fulfill({ response });
    });
    await open(/\+46 701 74 06 47/);
    await field.fill('Yes, in the yard');
    await field.press('Control+Enter');
    await expectSoon(() => field.getAttribute('readonly')).not.toBe(null);
    await open(/\+46 701 74 06 48/);
    await page.getByRole('log').getByText('Who has the key?').waitFor();
    const answered = page.waitForResponse('**/reply');
    answer();
    await answered;
    await open(/\+46 701 74 06 47/);
    await page.getByRole('log').getByText('Is there a lift?').waitFor();
    await expectSoon(() => field.inputValue()).toBe('');
  });

  test('[SEND-20] A reply is not sent again when the server may have forgotten its idempotency key, even after a reload', async () => {
    await write('46701740649', 'Are you open?');
    const page = await portal.visit('/conversations');
    await page.getByRole('link', { name: /\+46 701 74 06 49/ }).click();
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/reply')) calls += 1;
    });
    await page.route('**/reply', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    const send = page.getByRole('button', { name: 'Send' });
    await page.getByLabel(/^Answer from/).fill('Until eight');
    await send.click();
    await page.getByText('can’t be reached').waitFor();
    await aDayLater(page);
    await page.reload();
    await send.click();
    await page.getByText('about a day ago').waitFor();
    expect(calls).toBe(1);
  });

  test('[PORT-4] A conversation is found by the name for its number, and leads to the person, their messages and back', async () => {
    await write('46701740620', 'It is Anna');
    const page = await portal.visit('/conversations');
    await page.getByRole('searchbox').fill('berg');
    await page.waitForURL(/search=berg/);
    await page.getByRole('link', { name: /It is Anna/ }).click();
    await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'Anna Berg' }).click();
    await page.getByRole('table').getByRole('link', { name: 'Anna Berg' }).click();
    await page.getByRole('link', { name: 'Conversation with this number' }).click();
    await page.getByRole('link', { name: /It is Anna/ }).waitFor();
    await call('/api/v1/batches', { name: 'To Anna', message: 'Hello', batch: [{ t: '46701740620' }] });
    await page.goto(`${portal.demo.app.baseUrl}/portal/batches`);
    await page.getByRole('link', { name: 'To Anna' }).click();
    await page.getByRole('link', { name: 'Show messages' }).click();
    await page
      .getByRole('table')
      .getByRole('link', { name: /Anna Berg/ })
      .click();
    await page.getByRole('link', { name: 'Conversation with this number' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Show the batch' }).click();
    await page.getByRole('heading', { level: 1, name: 'To Anna' }).waitFor();
  });

  test('[PORT-4] Simulated phones show and answer what they got, and an unrouted SMS can be given to a user', async () => {
    await call('/restsms/svcrest/send', { to: ['46701740644'], message: 'Can you come?', twoway: true });
    const page = await portal.visit('/simulator');
    await page.getByRole('link', { name: /\+46 701 74 06 44/ }).click();
    await page.getByRole('log').getByText('Can you come?').waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('log').getByText('Yes').waitFor();
    await page.getByRole('link', { name: 'Conversations' }).click();
    await page.getByRole('link', { name: /\+46 701 74 06 44/ }).click();
    await page.getByRole('log').getByText('Can you come?').waitFor();
    const stray = ['--to', '46701740698', '--from', '46701740645', '--text', 'Is this the clinic?'];
    expect((await portal.demo.app.run('simulate', 'incoming', ...stray)).exitCode).toBe(0);
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('link', { name: 'Unclaimed SMS' }).click();
    await page
      .getByRole('row', { name: /Is this the clinic/ })
      .getByRole('button')
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give' }).click();
    await page.getByText('demo has it now.').waitFor();
    await page.getByText('No unclaimed SMS').waitFor();
  });

  test('[PORT-4] An unrouted SMS can be given to a chosen user, but not to one who was removed meanwhile', async () => {
    await call('/api/v1/users', { name: 'day.desk', roles: ['send'] });
    const leaving = await call('/api/v1/users', { name: 'leaving.desk', roles: ['send'] });
    const stray = ['--to', '46701740698', '--from', '46701740647', '--text', 'Where is the clinic?'];
    expect((await portal.demo.app.run('simulate', 'incoming', ...stray)).exitCode).toBe(0);
    const page = await portal.visit('/unrouted');
    await page
      .getByRole('row', { name: /Where is the clinic/ })
      .getByRole('button')
      .click();
    const dialog = page.getByRole('dialog');
    const users = dialog.getByRole('combobox', { name: 'User' });
    await users.getByRole('option', { name: 'leaving.desk' }).waitFor({ state: 'attached' });
    expect((await users.getByRole('option').allTextContents())[0]).toBe('Me (demo)');
    await users.selectOption('leaving.desk');
    expect(
      (await portal.demo.app.as(portal.demo).request('DELETE', `/api/v1/users/${leaving.id}`)).status,
    ).toBe(200);
    await dialog.getByRole('button', { name: 'Give' }).click();
    await dialog.getByRole('alert').getByText('no user').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await users.selectOption('day.desk');
    await dialog.getByRole('button', { name: 'Give' }).click();
    await page.getByText('day.desk has it now.').waitFor();
  });

  test('[PORT-4] A conversation can be assigned to a colleague, which others see at once, and is found by its assignee', async () => {
    await call('/api/v1/users', { name: 'night.desk', roles: ['send', 'companyAdmin'] });
    await write('46701740650', 'The door is locked');
    const [page, other] = [await portal.visit('/conversations'), await portal.visit('/conversations')];
    await page.getByRole('link', { name: /The door is locked/ }).click();
    const field = page.getByRole('region').getByRole('combobox', { name: 'Assigned to' });
    await field.selectOption('night.desk');
    const given = other.getByRole('link', { name: /The door is locked.*Assigned to night.desk/ });
    await given.waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await given.waitFor({ state: 'detached' });
    await field.selectOption({ label: 'Me (demo)' });
    await other.getByLabel('Assigned to', { exact: true }).selectOption({ label: 'Assigned to me' });
    await other.waitForURL(/assigned=me/);
    const listed = other.getByRole('navigation', { name: 'Conversations' }).getByRole('link');
    await expectSoon(() => listed.count()).toBe(1);
    await other.goto(`${portal.demo.app.baseUrl}/portal/`);
    const line = other.getByRole('listitem').filter({ hasText: '1 conversation is assigned to you' });
    await line.getByRole('link', { name: 'Open' }).click();
    await other.getByRole('link', { name: /The door is locked/ }).waitFor();
    await field.selectOption({ label: 'Nobody' });
    await other.getByText('No conversations found').waitFor();
  });

  test('[PORT-5] The conversation pages have no accessibility barriers, in either theme and language, at any width', async () => {
    await write(
      '46701740646',
      'A rather long text, as people write them when they are standing outside a locked door.',
    );
    const { conversations } = (await portal.demo.app.as(portal.demo).get('/api/v1/conversations')).body;
    const paths = [`/conversations?open=${conversations[0].id}`, '/simulator?phone=46701740646', '/unrouted'];
    const appearances = [
      { width: 360, theme: 'dark', language: 'sv' },
      { width: 1280, theme: 'light', language: 'en' },
    ] as const;
    for await (const page of portal.pages(paths, appearances)) {
      await expectSoon(() => page.getByRole('status').count()).toBe(0);
      expect([page.url(), await barriersOf(page)]).toEqual([page.url(), []]);
      expect([page.url(), await overflowOf(page)]).toEqual([page.url(), 0]);
    }
  });
});
