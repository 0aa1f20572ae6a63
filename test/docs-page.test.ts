/**
 * The page at `/docs` in a browser: logging in with a wrong key and with a valid one, and making the calls as they are
 * filled in, both with JSON and with text and parameters in the URL. test/api/documented-calls.test.ts checks that all
 * examples work.
 */
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allEndpoints } from '../scripts/docs/generated-documents.ts';
import { executablePath, expectSoon, hasBrowser } from './harness/browser.ts';
import { patienceMs, sharedWindows, testPatienceMs } from './harness/browser-windows.ts';
import { type Demo, startDemo } from './harness/demo.ts';
import { keyPath } from './harness/messaging.ts';

const calls = allEndpoints.flatMap(({ methods, credentials }) => methods.map(() => credentials));
const byKey = calls.filter(({ apiKey }) => apiKey).length;

const title = `the page at /docs (with ${executablePath})`;

describe.skipIf(!hasBrowser)(title, { timeout: testPatienceMs }, () => {
  let demo: Demo;
  let page: Page;
  /** The fetch `credentials` mode of each of the page's calls: whether the browser adds what it has stored for this server. */
  const credentials: string[] = [];

  /** Opens the page once for all tests, because that takes seconds, in a tall window, because only visible parts are drawn. */
  beforeAll(async () => {
    demo = await startDemo();
    const browser = await sharedWindows().browser();
    page = await browser.newPage({ viewport: { width: 1_280, height: 20_000 } });
    page.setDefaultTimeout(patienceMs);
    await page.exposeFunction('noteCredentials', (mode: string) => void credentials.push(mode));
    await page.addInitScript(`const asIs = window.fetch;
      window.fetch = (resource, options) => {
        noteCredentials(new Request(resource, options).credentials);
        return asIs(resource, options);
      };`);
    await page.goto(`${demo.app.baseUrl}/docs`);
    await page
      .locator('.opblock')
      .nth(calls.length - 1)
      .waitFor();
  }, testPatienceMs);
  afterAll(async () => {
    await page?.close();
    await demo?.app.close();
  }, testPatienceMs);

  const form = (scheme: string) => page.locator('.auth-container', { hasText: scheme });
  const closedPadlocks = () => page.locator('.opblock [aria-label="authorization button locked"]').count();
  const answerOf = (path: string) => page.waitForResponse((one) => one.url().includes(path));

  async function logIn(scheme: 'basic' | 'apiKeyHeader', ...values: readonly string[]): Promise<void> {
    if ((await page.locator('.auth-container').count()) === 0) await page.locator('.btn.authorize').click();
    const inputs = form(scheme).locator('input');
    for (const [place, value] of values.entries()) await inputs.nth(place).fill(value);
    const answered = answerOf('/status?I=0');
    await form(scheme).getByRole('button', { name: 'Apply credentials' }).click();
    await answered;
  }

  /** Executes the call as prefilled. Each opened call makes the page process the whole document. */
  async function execute(method: string, path: string): Promise<Request> {
    const call = page
      .locator(`.opblock-${method.toLowerCase()}`)
      .filter({ has: page.locator(`[data-path="${path}"]`) });
    const summary = call.locator('.opblock-summary-control');
    await summary.click();
    await call.getByRole('button', { name: 'Try it out' }).click();
    const [answer] = await Promise.all([
      page.waitForResponse((one) => !one.url().includes('/docs')),
      call.getByRole('button', { name: 'Execute' }).click(),
    ]);
    await call.locator('.live-responses-table').waitFor();
    // If the call stayed open, the page would redraw it during each later call.
    await summary.click();
    expect([path, answer.status()]).toEqual([path, 200]);
    return answer.request();
  }

  test('[RUN-1] [AUTH-1] The page at /docs says that credentials are wrong, and does not count them as a login', async () => {
    expect(await closedPadlocks()).toBe(0);
    await logIn('apiKeyHeader', 'demo.1.1.wrong');
    await form('apiKeyHeader').getByText('The credentials are wrong').waitFor();
    await logIn('basic', demo.username, 'not the password');
    await form('basic').getByText('The credentials are wrong').waitFor();
    expect(await form('apiKeyHeader').getByText('The credentials are wrong').count()).toBe(0);
    expect(await closedPadlocks()).toBe(0);
    expect(new Set(credentials)).toEqual(new Set(['omit']));
  });

  test('[RUN-1] [AUTH-2] [CONV-2] The page at /docs has one login at a time, closes the padlocks of its calls, and sends what is filled in', async () => {
    const { body: key } = await demo.app.as(demo).get(keyPath, { name: 'page' });
    await logIn('basic', demo.username, demo.password);
    await form('basic').getByText('Authorized', { exact: true }).waitFor();
    await expectSoon(closedPadlocks).toBe(calls.length);
    await logIn('apiKeyHeader', String(key));
    await form('apiKeyHeader').getByText('Authorized', { exact: true }).waitFor();
    await form('basic').getByRole('button', { name: 'Apply credentials' }).waitFor();
    // Some calls accept only a password, such as those that create keys and users.
    await expectSoon(closedPadlocks).toBe(byKey);
    await page.locator('.close-modal').click();
    const sent = await execute('POST', '/restsms/svcrest/send');
    expect(sent.postData()).toMatch(/"message": *"Hello/);
    const headers = await sent.allHeaders();
    expect([headers['x-api-key'], headers.authorization]).toEqual([key, undefined]);
    const batch = await execute('POST', '/restsms/svcrest/batchsend/list');
    expect(batch.url()).toMatch(/[?&]M8=Dear/);
    expect(batch.postData()).toMatch(/^46\d+;;;Anna\n/);
    expect(new Set(credentials)).toEqual(new Set(['omit']));
  });
});
