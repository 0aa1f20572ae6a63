/** The pages at `/docs` in a browser: reading them, finding a call, and trying it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { executablePath, hasBrowser } from './harness/browser.ts';
import { patienceMs, sharedWindows, testPatienceMs } from './harness/browser-windows.ts';
import { type Demo, startDemo } from './harness/demo.ts';
import { keyPath } from './harness/messaging.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const title = `the pages at /docs (with ${executablePath})`;

describe.skipIf(!hasBrowser)(title, { timeout: testPatienceMs }, () => {
  let demo: Demo;
  const open: Page[] = [];
  /** Script errors, lines in the console, and requests to any other server. */
  const faults: string[] = [];

  beforeAll(async () => {
    demo = await startDemo();
  }, testPatienceMs);
  afterEach(async () => {
    await Promise.all(open.splice(0).map((page) => page.close()));
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(() => demo?.app.close(), testPatienceMs);

  async function visit(name: string, width: number, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const browser = await sharedWindows().browser();
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    open.push(page);
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(demo.app.baseUrl)) faults.push(request.url());
    });
    page.on('console', (line) => {
      // The browser notes each refusal of a call.
      if (!/status of 4\d\d/.test(line.text())) faults.push(line.text());
    });
    await page.goto(`${demo.app.baseUrl}/docs/${name}`);
    return page;
  }

  test.each([
    ['', 1_280, 'light'],
    ['sendSms', 1_280, 'dark'],
    ['sendSms', 360, 'light'],
    ['errors', 360, 'dark'],
    ['receipts', 1_280, 'light'],
  ] as const)(
    '[RUN-1] The page /docs/%s, %i pixels wide and %s, is accessible and not too wide',
    async (name, width, theme) => {
      const page = await visit(name, width, theme);
      await page.getByRole('searchbox').waitFor();
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(tooWide).toBeLessThanOrEqual(0);
      // A string, since the policy of the page forbids further scripts but not what the debugger runs.
      await page.evaluate(axe);
      const found = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      expect(found.violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    },
  );

  test('[RUN-1] A call at /docs is found with the keyboard, by the name of one of its fields', async () => {
    const page = await visit('', 1_280);
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency_mismatch scheduletime');
    await page.locator('#found a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Send SMS', exact: true }).waitFor();
    await page.getByRole('radio', { name: 'TypeScript' }).focus();
    await page.keyboard.press('Space');
    await page.getByText('await fetch(').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('no such thing');
    await page.getByText('Nothing for “no such thing”.').waitFor();
  });

  test('[RUN-1] [AUTH-1] [CONV-2] A call at /docs is tried with the given credentials only, and shows what the server answers', async () => {
    const { body: key } = await demo.app.as(demo).get(keyPath, { name: 'page' });
    const page = await visit('sendSms', 360);
    await page.getByText('Try it').click();
    const call = page.getByRole('button', { name: 'Call', exact: true });
    const output = page.locator('output');
    await call.click();
    await output.getByText('Enter a user name and a password, or an API key.').waitFor();
    await page.getByLabel('or API key').fill('demo.1.1.wrong');
    await call.click();
    await output.getByText('"unauthorised"').waitFor();
    await page.getByLabel('or API key').fill(String(key));
    const [sent] = await Promise.all([page.waitForRequest(/svcrest\/send$/), call.click()]);
    await output.getByText('"accepted"').waitFor();
    const headers = await sent.allHeaders();
    expect([headers['x-api-key'], headers.authorization, headers.cookie]).toEqual([
      key,
      undefined,
      undefined,
    ]);
    await page.goto(`${demo.app.baseUrl}/docs/getRun`);
    await page.getByText('Try it').click();
    await page.getByLabel('User name').fill(demo.username);
    await page.getByLabel('Password', { exact: true }).fill(demo.password);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await output.getByText(/^(200|404) /).waitFor();
  });
});
