/** The page at `/docs` in a browser: logging in with a wrong and a right key, and every call as it is filled in. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from './harness/demo.ts';
import { inAnHour, keyPath, sendOne } from './harness/messaging.ts';

const executablePath = '/usr/bin/chromium';

describe.skipIf(!existsSync(executablePath))(`the page at /docs (with ${executablePath})`, () => {
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  /** How each call of the page treated what the browser knows of this server. */
  let credentials: string[];

  beforeAll(async () => {
    demo = await startDemo();
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.app.close();
  });

  async function open(): Promise<void> {
    page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    credentials = [];
    await page.exposeFunction('noteCredentials', (mode: string) => void credentials.push(mode));
    await page.addInitScript(`const asIs = window.fetch;
      window.fetch = (resource, options) => {
        noteCredentials(new Request(resource, options).credentials);
        return asIs(resource, options);
      };`);
    await page.goto(`${demo.app.baseUrl}/docs`);
    await page.locator('.opblock').first().waitFor();
  }

  const form = (scheme: string) => page.locator('.auth-container', { hasText: scheme });
  const closedPadlocks = () => page.locator('.opblock [aria-label="authorization button locked"]').count();
  const calls = () => page.locator('.opblock').count();
  const answerOf = (path: string) => page.waitForResponse((one) => one.url().includes(path));

  async function logIn(scheme: 'basic' | 'apiKeyHeader', ...values: readonly string[]): Promise<void> {
    if ((await page.locator('.auth-container').count()) === 0) await page.locator('.btn.authorize').click();
    const inputs = form(scheme).locator('input');
    for (const [place, value] of values.entries()) await inputs.nth(place).fill(value);
    const answered = answerOf('/status?I=0');
    await form(scheme).getByRole('button', { name: 'Apply credentials' }).click();
    await answered;
  }

  async function execute(call: Locator, id?: string): Promise<string> {
    const summary = call.locator('.opblock-summary-control');
    await summary.click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    if (id !== undefined) await call.locator('tr[data-param-name="id"] input').fill(id);
    const answered = page.waitForResponse((one) => !one.url().includes('/docs'));
    await call.getByRole('button', { name: 'Execute' }).click();
    const answer = await answered;
    await call.locator('.live-responses-table').waitFor();
    // What stays open is drawn again with each that follows.
    await summary.click();
    return `${answer.status()} ${answer.status() < 300 ? '' : await answer.text()}`.trim();
  }

  test('[RUN-1] [AUTH-1] says that a key is wrong, and takes it for no login', async () => {
    await open();
    expect(await closedPadlocks()).toBe(0);
    await logIn('apiKeyHeader', 'demo.1.1.wrong');
    await form('apiKeyHeader').getByText('The credentials are wrong').waitFor();
    await logIn('basic', demo.username, 'not the password');
    await form('basic').getByText('The credentials are wrong').waitFor();
    expect(await form('apiKeyHeader').getByText('The credentials are wrong').count()).toBe(0);
    expect(await closedPadlocks()).toBe(0);
    expect(new Set(credentials)).toEqual(new Set(['omit']));
  });

  test('[RUN-1] [AUTH-2] has one login at a time, and closes the padlocks of the calls that it is for', async () => {
    const { body: key } = await demo.app.as(demo).get(keyPath, { name: 'page' });
    await open();
    await logIn('basic', demo.username, demo.password);
    await form('basic').getByText('Authorized', { exact: true }).waitFor();
    expect(await closedPadlocks()).toBe(await calls());
    await logIn('apiKeyHeader', String(key));
    await form('apiKeyHeader').getByText('Authorized', { exact: true }).waitFor();
    await form('basic').getByRole('button', { name: 'Apply credentials' }).waitFor();
    // Address books and keys are for passwords alone.
    expect(await closedPadlocks()).toBe((await calls()) - 5);
    await page.locator('.close-modal').click();
    const sent = page.waitForRequest((one) => one.url().includes('/send'));
    expect(await execute(page.locator('.opblock').first())).toBe('200');
    const headers = await (await sent).allHeaders();
    expect([headers['x-api-key'], headers.authorization]).toEqual([key, undefined]);
    expect(new Set(credentials)).toEqual(new Set(['omit']));
  });

  test('[RUN-1] [CONV-2] each call works as it is filled in, once something was sent and something came', async () => {
    const { app } = demo;
    const incoming = ['--to', '46701740605', '--from', '46701740699', '--text', 'Hi there'];
    expect((await app.run('simulate', 'incoming', ...incoming)).exitCode).toBe(0);
    await open();
    await logIn('basic', demo.username, demo.password);
    await form('basic').getByText('Authorized', { exact: true }).waitFor();
    await page.locator('.close-modal').click();
    const answers: Record<string, string> = {};
    for (const call of await page.locator('.opblock').all()) {
      const method = await call.locator('.opblock-summary-method').textContent();
      const path = (await call.locator('.opblock-summary-path').getAttribute('data-path')) ?? '';
      // What is removed must be there.
      if (path.endsWith('/unset'))
        await app.as(demo).get(path.replace('/unset', '/set'), { EM: 'ward7@care.example', PU: 'demo' });
      // What is cancelled must wait still.
      const waiting = path.endsWith('/cancel')
        ? await sendOne(app.as(demo), { scheduletime: inAnHour() })
        : undefined;
      answers[`${method} ${path}`] = await execute(call, waiting);
    }
    expect(Object.keys(answers).length).toBe(await calls());
    expect(Object.entries(answers).filter(([, answer]) => answer !== '200')).toEqual([]);
  }, 400_000);
});
