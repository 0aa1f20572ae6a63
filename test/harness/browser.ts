/**
 * The portal in a real browser, as a person sees it. On any page these count as faults: a script error, a line in the
 * console, a violation of the content security policy, or a request to any other server.
 */
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { WholeApp } from './app.ts';
import {
  type Appearance,
  type BrowserWindow,
  BrowserWindows,
  hasBrowser,
  patienceMs,
  sharedWindows,
  testPatienceMs,
} from './browser-windows.ts';
import { type Demo, startDemo, startDemoAgain } from './demo.ts';

export { executablePath, hasBrowser } from './browser-windows.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface VisitOptions extends Appearance {
  /** The server's demo user, or nobody for what a stranger sees. */
  readonly as?: 'demo' | 'nobody';
  /** Whether this is the first time that the browser loads anything of this server. */
  readonly isFirst?: boolean;
}

/** One server and the windows of one browser, for all tests in a file. */
export class PortalInBrowser {
  readonly #windows: BrowserWindows;
  readonly #faults: string[] = [];
  /** The pages of the running test. */
  readonly #open = new Map<Page, BrowserWindow>();
  /** Other servers to which pages lead on purpose. */
  readonly elsewhere = new Set<string>();
  #demo: Demo | undefined;

  constructor(windows: BrowserWindows) {
    this.#windows = windows;
  }

  get demo(): Demo {
    if (this.#demo === undefined) throw new Error('its server has not started yet');
    return this.#demo;
  }

  set demo(started: Demo) {
    this.#demo = started;
  }

  /** Opens a signed-in page in its own window and waits until it has loaded. */
  async visit(path = '/', { as = 'demo', isFirst = false, ...appearance }: VisitOptions = {}): Promise<Page> {
    const window = await this.#windows.open(appearance, isFirst);
    const { context, page } = window;
    this.#open.set(page, window);
    if (as === 'demo') await this.signIn(context);
    page.on('pageerror', this.#tellError).on('console', this.#tellLine).on('request', this.#tellRequest);
    await this.#load(page, path);
    return page;
  }

  /** Gives back a page and its window before its test ends. */
  async leave(page: Page): Promise<void> {
    const window = this.#open.get(page);
    if (window === undefined) throw new Error('nobody visits this page');
    this.#open.delete(page);
    page.off('pageerror', this.#tellError).off('console', this.#tellLine);
    await this.#windows.takeBack(window, this.demo.app.baseUrl);
  }

  /**
   * Shows each page in each appearance, one after the other. A page is loaded once per language, since theme and width can
   * change while it is shown.
   */
  async *pages(
    paths: readonly string[],
    appearances: readonly Required<Omit<Appearance, 'height' | 'touch'>>[],
    as: 'demo' | 'nobody' = 'demo',
  ): AsyncGenerator<Page> {
    for (const language of new Set(appearances.map((one) => one.language))) {
      let page: Page | undefined;
      for (const path of paths) {
        if (page === undefined) page = await this.visit(path, { language, as });
        else await this.#load(page, path);
        for (const { width, theme } of appearances.filter((one) => one.language === language)) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme: theme });
          yield page;
        }
      }
      if (page !== undefined) await this.leave(page);
    }
  }

  async #load(page: Page, path: string): Promise<void> {
    await page.goto(`${this.demo.app.baseUrl}/portal${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  async signIn(
    context: BrowserContext,
    { username, password }: Pick<Demo, 'username' | 'password'> = this.demo,
  ): Promise<void> {
    const answer = await context.request.post(`${this.demo.app.baseUrl}/portal/api/session`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      data: { username, password },
    });
    expect(answer.status()).toBe(200);
  }

  readonly #tell = (fault: string) => void this.#faults.push(fault);
  readonly #tellError = (error: Error) => this.#tell(error.stack ?? error.message);
  readonly #tellLine = (line: ConsoleMessage) => {
    // The page itself shows what a failed call returned, but the browser also logs a line.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
      this.#tell(`${line.location().url}: ${line.text()}`);
  };
  readonly #tellRequest = (request: Request) => {
    const url = request.url();
    const known = [this.demo.app.baseUrl, ...this.elsewhere];
    if (!known.some((server) => url.startsWith(`${server}/`)) && !/^(data|blob):/.test(url))
      this.#tell(`asks ${url}`);
  };

  /** The faults since the previous call. */
  faults(): readonly string[] {
    return this.#faults.splice(0);
  }

  /** To be called after each test: checks that there are no faults, and closes all pages. */
  async expectNoFaults(): Promise<void> {
    for (const page of [...this.#open.keys()]) await this.leave(page);
    expect(this.faults()).toEqual([]);
  }
}

/** Opens a portal with its own browser. `close` ends both. */
export async function openPortal(): Promise<{ portal: PortalInBrowser; close(): Promise<void> }> {
  const windows = new BrowserWindows();
  const portal = new PortalInBrowser(windows);
  portal.demo = await startDemo();
  const close = async () => {
    await windows.close();
    await portal.demo.app.close();
  };
  return { portal, close };
}

/**
 * The server that this process started for earlier files, reused because browsers keep what they have loaded from its
 * address.
 */
let server: WholeApp | undefined;

async function sharedDemo(): Promise<Demo> {
  if (server !== undefined) return startDemoAgain(server);
  // Some tests run a webhook receiver on this machine.
  const demo = await startDemo({ env: { CARILLON_CALLBACK_ALLOW: '127.0.0.1' } });
  server = demo.app;
  const folder = dirname(server.env.CARILLON_DATA as string);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return demo;
}

/** A block of tests against a server in its first-start state; skipped if no browser is installed. */
export function describePortal(title: string, tests: (portal: PortalInBrowser) => void): void {
  // Killed until another file needs it and starts it with a new store.
  describePortalOf(title, { start: sharedDemo, end: () => server?.kill() }, tests);
}

/** A block of tests against another server, as one of its users. */
export function describePortalOf(
  title: string,
  { start, end }: { start(): Promise<Demo>; end(demo: Demo): Promise<void> | undefined },
  tests: (portal: PortalInBrowser) => void,
): void {
  describe.skipIf(!hasBrowser)(title, { timeout: testPatienceMs }, () => {
    const portal = new PortalInBrowser(sharedWindows());
    beforeAll(async () => {
      portal.demo = await start();
    }, testPatienceMs);
    afterEach(() => portal.expectNoFaults(), testPatienceMs);
    afterAll(() => end(portal.demo), testPatienceMs);
    tests(portal);
  });
}

/** Polls until the page meets the expectation. */
export function expectSoon<Value>(look: () => Value | Promise<Value>) {
  return expect.poll(look, { timeout: patienceMs });
}

/**
 * Accessibility barriers (WCAG 2.2 AA), one line each, found by a script that the page's policy would not allow it to load.
 */
export async function barriersOf(page: Page): Promise<readonly string[]> {
  await settled(page);
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Finding {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
    }
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Finding[] }> };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
      );
  });
}

/**
 * Waits until colours have settled: those of elements with a running transition, and those of rows out of sight, whose styles
 * are computed only once the rows are no longer skipped.
 */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    interface Root {
      readonly style: { setProperty(name: string, value: string): void };
    }
    interface Sheet {
      replaceSync(text: string): void;
    }
    const { document, CSSStyleSheet, requestAnimationFrame } = globalThis as unknown as {
      CSSStyleSheet: new () => Sheet;
      document: {
        readonly documentElement: Root;
        adoptedStyleSheets: readonly Sheet[];
        getAnimations(): readonly { readonly finished: Promise<unknown> }[];
      };
      requestAnimationFrame(drawn: () => void): void;
    };
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { content-visibility: visible !important; }');
    document.adoptedStyleSheets = [sheet];
    document.documentElement.style.setProperty('--looked-at', String(performance.now()));
    await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    for (let running = document.getAnimations(); running.length > 0; running = document.getAnimations())
      await Promise.allSettled(running.map(({ finished }) => finished));
  });
}

/** How many pixels wider the page is than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** Moves the browser's clock, and the times that the server reports, ahead by 23 hours. */
export async function aDayLater(page: Page): Promise<void> {
  // One extra minute, because times in headers are whole seconds.
  const at = new Date(Date.now() + 23 * 3_600_000 + 60_000);
  await page.route(/\/(api\/v1|portal\/api\/session)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), date: at.toUTCString() } });
  });
  await page.clock.setFixedTime(at);
}

/** From now on, timed changes of the page happen again; for tests that control the page's clock. */
export async function letTimePass(page: Page): Promise<void> {
  await page.evaluate('window.timePasses = true');
}
