/**
 * The portal in a real browser, as a person has it. Whatever happens on any page of it, these are faults: an error of its
 * scripts, a line in the console, something that its policy forbids, a request to anybody but this server.
 */
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { WholeApp } from './app.ts';
import {
  type BrowserWindow,
  BrowserWindows,
  hasBrowser,
  type Look,
  patienceMs,
  sharedWindows,
  testPatienceMs,
} from './browser-windows.ts';
import { type Demo, startDemo, startDemoAgain } from './demo.ts';

export { executablePath, hasBrowser } from './browser-windows.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface VisitOptions extends Look {
  /** Of the server's user; nobody: what a stranger sees. */
  readonly as?: 'demo' | 'nobody';
  /** Whether the browser has loaded anything of this server before. */
  readonly isFirst?: boolean;
}

/** One server, and windows of a browser, for all tests of a file. */
export class PortalInBrowser {
  readonly #windows: BrowserWindows;
  readonly #faults: string[] = [];
  /** Of the test that runs. */
  readonly #open = new Map<Page, BrowserWindow>();
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

  /** A page of a window of its own, signed in, once it has loaded. */
  async visit(path = '/', { as = 'demo', isFirst = false, ...look }: VisitOptions = {}): Promise<Page> {
    const window = await this.#windows.open(look, isFirst);
    const { context, page } = window;
    this.#open.set(page, window);
    if (as === 'demo') await this.signIn(context);
    page.on('pageerror', this.#tellError).on('console', this.#tellLine).on('request', this.#tellRequest);
    await this.#load(page, path);
    return page;
  }

  /** Gives back a page before its test ends, and all of its window. */
  async leave(page: Page): Promise<void> {
    const window = this.#open.get(page);
    if (window === undefined) throw new Error('nobody visits this page');
    this.#open.delete(page);
    page.off('pageerror', this.#tellError).off('console', this.#tellLine);
    await this.#windows.takeBack(window, this.demo.app.baseUrl);
  }

  /**
   * Each of these pages in each of these looks, one after the other: loaded once for each language, since theme and width
   * may change while a page shows.
   */
  async *pages(
    paths: readonly string[],
    looks: readonly Required<Omit<Look, 'height'>>[],
    as: 'demo' | 'nobody' = 'demo',
  ): AsyncGenerator<Page> {
    for (const language of new Set(looks.map((look) => look.language))) {
      let page: Page | undefined;
      for (const path of paths) {
        if (page === undefined) page = await this.visit(path, { language, as });
        else await this.#load(page, path);
        for (const { width, theme } of looks.filter((look) => look.language === language)) {
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
    // What a call answers is for the page to show; the browser writes a line all the same.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
      this.#tell(`${line.location().url}: ${line.text()}`);
  };
  readonly #tellRequest = (request: Request) => {
    const url = request.url();
    if (!url.startsWith(`${this.demo.app.baseUrl}/`) && !/^(data|blob):/.test(url)) this.#tell(`asks ${url}`);
  };

  /** What went wrong since this was asked before. */
  faults(): readonly string[] {
    return this.#faults.splice(0);
  }

  /** After each test: no faults, and no page left. */
  async expectNoFaults(): Promise<void> {
    for (const page of [...this.#open.keys()]) await this.leave(page);
    expect(this.faults()).toEqual([]);
  }
}

/** With a browser of its own. `close` ends both. */
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

/** The server that this process has started for the files before: what browsers have loaded of its address they keep. */
let server: WholeApp | undefined;

async function sharedDemo(): Promise<Demo> {
  if (server !== undefined) return startDemoAgain(server);
  // Some tests have a receiver on this machine.
  const demo = await startDemo({ env: { CARILLON_CALLBACK_ALLOW: '127.0.0.1' } });
  server = demo.app;
  const folder = dirname(server.env.CARILLON_DATA as string);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return demo;
}

/** A block of tests of a server as at its first start; it is skipped where there is no browser. */
export function describePortal(title: string, tests: (portal: PortalInBrowser) => void): void {
  describe.skipIf(!hasBrowser)(title, { timeout: testPatienceMs }, () => {
    const portal = new PortalInBrowser(sharedWindows());
    beforeAll(async () => {
      portal.demo = await sharedDemo();
    }, testPatienceMs);
    afterEach(() => portal.expectNoFaults(), testPatienceMs);
    // Until another file needs it, which gives it another store.
    afterAll(() => server?.kill(), testPatienceMs);
    tests(portal);
  });
}

/** Waits until a page has it so. */
export function expectSoon<Value>(look: () => Value | Promise<Value>) {
  return expect.poll(look, { timeout: patienceMs });
}

/** What keeps somebody from using the page (WCAG 2.2 AA), a line each, by a script that the page's policy would not load. */
export async function barriersOf(page: Page): Promise<readonly string[]> {
  await settled(page);
  await page.evaluate(axe);
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
 * Colours that change with the theme do so by a transition, which needs a frame to be drawn however short it is. A change
 * that all elements inherit has each of them take its colours anew, once rows out of sight are no longer left out.
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
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });
}

/** By how many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** For the browser, and for what the server says of the time: 23 hours. */
export async function aDayLater(page: Page): Promise<void> {
  // And a minute: times of headers are whole seconds.
  const at = new Date(Date.now() + 23 * 3_600_000 + 60_000);
  await page.route(/\/(api\/v1|portal\/api\/session)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), date: at.toUTCString() } });
  });
  await page.clock.setFixedTime(at);
}

/** From now on what goes by itself after some time does so: for a test that has the clock of the page in its hand. */
export async function letTimePass(page: Page): Promise<void> {
  await page.evaluate('window.timePasses = true');
}
