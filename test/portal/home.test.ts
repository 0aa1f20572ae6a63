/** The front page for someone on night duty: what needs attention, the state of today's messages, and what was sent last. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { inAnHour } from '../harness/messaging.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

describePortal('the front page of the portal', (portal) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.close());

  const call = async (path: string, body: object) => {
    const answer = await portal.demo.app.as(portal.demo).post(path, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return answer.body;
  };
  const send = (to: string) => call('/restsms/svcrest/send', { to: [to], message: 'Good morning' });

  test('[PORT-1] [PORT-4] The front page is loaded by at most 20 requests: its files, the session, the hints and few reads', async () => {
    const page = await portal.visit('/scheduled');
    let requests: string[] = [];
    page.on('request', (request) => {
      // The page before may still be reading.
      if (request.isNavigationRequest()) requests = [];
      requests.push(new URL(request.url()).pathname);
    });
    await page.goto(`${portal.demo.app.baseUrl}/portal/`);
    await page.getByText('Nothing has been sent yet').waitFor();
    // Once the hints are there, the page reads again what may have changed before.
    const reads = ['start', 'usage/latest', 'runs', 'conversations'].map((name) => `/api/v1/${name}`);
    const leastTimes = () =>
      Math.min(...reads.map((read) => requests.filter((path) => path === read).length));
    await expectSoon(leastTimes).toBeGreaterThanOrEqual(2);
    expect(requests).toContain('/portal/api/hints');
    // Further hints may already have come: they make it read again, however long ago it was loaded.
    const others = requests.filter((path) => !reads.includes(path));
    expect([others.length + 2 * reads.length <= 20, others]).toEqual([true, others]);
  });

  test('[PORT-4] The front page says that nothing needs attention until something does, and leads to it', async () => {
    const page = await portal.visit('/');
    await page.getByText('Nothing needs your attention.').waitFor();
    await page.getByText('Nothing has been sent yet').waitFor();
    await send('46701740699');
    const latest = page.getByRole('list', { name: 'Latest messages' });
    await latest.getByRole('link', { name: /46 701 74 06 99.*Delivered/ }).waitFor();
    await page.getByRole('link', { name: '1 Delivered' }).waitFor();
    await page.getByText('Nothing needs your attention.').waitFor();
    await send('46701740606');
    const needs = page.getByRole('list', { name: 'Needs your attention' });
    const failed = needs.getByRole('listitem').filter({ hasText: '1 message failed today' });
    await failed.getByRole('link', { name: 'Show' }).press('Enter');
    await page.waitForURL(/\/messages\?.*state=failed/);
    await page.getByRole('row', { name: /46 701 74 06 06/ }).waitFor();
  });

  test('[PORT-4] The front page has a line with an action for an answer, an unrouted SMS and a paused batch', async () => {
    const answer = { text: 'Which entrance is it?', to: '46701740605' };
    await call('/api/v1/simulator/phones/46701740640/answer', answer);
    const stray = ['--to', '46701740698', '--from', '46701740645', '--text', 'Is this the clinic?'];
    expect((await portal.demo.app.run('simulate', 'incoming', ...stray)).exitCode).toBe(0);
    const batch = { name: 'Open house', message: 'Come and see us', batch: [{ t: '46701740699' }] };
    const { batchid } = await call('/api/v1/batches', { ...batch, scheduletime: inAnHour() });
    await call(`/api/v1/batches/${batchid}/pause`, {});
    const page = await portal.visit('/');
    const line = (text: string) =>
      page
        .getByRole('list', { name: 'Needs your attention' })
        .getByRole('listitem')
        .filter({ hasText: text });
    await line('1 unclaimed SMS').getByRole('link', { name: 'Pass on' }).waitFor();
    const paused = await portal.demo.app.as(portal.demo).get('/api/v1/batches', { paused: true });
    expect(paused.body.batches).toMatchObject([{ id: batchid, state: 'paused' }]);
    await line('Open house').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('list', { name: 'In progress' }).getByText('Scheduled · 0 of 1 message').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await line('1 unread conversation').getByRole('link', { name: 'Read' }).press('Enter');
    await page.getByRole('log').getByText('Which entrance is it?').waitFor();
  });

  test('[HOOK-4] [PORT-4] The front page has a line for a webhook as long as its receiver does not accept events', async () => {
    receiver.answer = (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    const page = await portal.visit('/');
    const line = page
      .getByRole('list', { name: 'Needs your attention' })
      .getByRole('listitem')
      .filter({ hasText: 'webhook orders' });
    const { id } = await call('/api/v1/webhooks', {
      name: 'orders',
      url: receiver.url,
      events: ['message.status'],
    });
    await call(`/api/v1/webhooks/${id}/test`, {});
    await line.getByText('HTTP 503').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    receiver.answer = 200;
    await line.getByRole('button', { name: 'Retry now' }).press('Enter');
    await page.getByText('The waiting events are being sent.').waitFor();
    await line.waitFor({ state: 'detached' });
    await expectSoon(() => receiver.received.length).toBe(2);
    receiver.answer = 410;
    await call(`/api/v1/webhooks/${id}/test`, {});
    await line.getByText('its receiver no longer accepts events').waitFor();
    receiver.answer = 200;
    await line.getByRole('button', { name: 'Switch on' }).click();
    await line.waitFor({ state: 'detached' });
  });

  test('[PORT-5] The front page has no accessibility barriers on a phone, in Swedish and the dark theme', async () => {
    const page = await portal.visit('/', { theme: 'dark', language: 'sv', width: 360 });
    await page.getByText('1 meddelande har misslyckats i dag').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});
