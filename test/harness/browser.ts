/**
 * The portal in a real browser, as a person has it. Whatever happens on any page of it, these are faults: an error of its
 * scripts, a line in the console, something that its policy forbids, a request to anybody but this server.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { WholeAppOptions } from './app.ts';
import { type Demo, startDemo } from './demo.ts';

export const executablePath = '/usr/bin/chromium';

/** Whether there is a browser; CI installs it. */
export const hasBrowser = existsSync(executablePath);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'sv';
}

export interface VisitOptions extends Look {
  /** Of the server's user; nobody: what a stranger sees. */
  readonly as?: 'demo' | 'nobody';
}

/** One server and one browser, for all tests of a file. */
export class PortalInBrowser {
  readonly demo: Demo;
  readonly #browser: Browser;
  readonly #faults: string[] = [];
  readonly #contexts: BrowserContext[] = [];

  constructor(demo: Demo, browser: Browser) {
    this.demo = demo;
    this.#browser = browser;
  }

  /** A page of a browser of its own, signed in, once it has loaded. */
  async visit(path = '/', { as = 'demo', ...look }: VisitOptions = {}): Promise<Page> {
    const { width = 1280, height = 800, theme = 'light', language = 'en' } = look;
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      locale: language === 'sv' ? 'sv-SE' : 'en-GB',
      reducedMotion: 'reduce',
    });
    this.#contexts.push(context);
    await context.addInitScript(
      `localStorage.getItem('carillon.language') ?? localStorage.setItem('carillon.language', '${language}')`,
    );
    if (as === 'demo') await this.signIn(context);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    this.#watch(page);
    await this.#open(page, path);
    return page;
  }

  /** Each of these pages, one after the other in one browser, which loads the program once. */
  async *pages(paths: readonly string[], look: Look): AsyncGenerator<Page> {
    const [first = '/', ...others] = paths;
    const page = await this.visit(first, look);
    yield page;
    for (const path of others) {
      await this.#open(page, path);
      yield page;
    }
    await page.context().close();
  }

  async #open(page: Page, path: string): Promise<void> {
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

  #watch(page: Page): void {
    const tell = (fault: string) => this.#faults.push(`${page.url()}: ${fault}`);
    page.on('pageerror', (error) => tell(error.stack ?? error.message));
    page.on('console', (line) => {
      // What a call answers is for the page to show; the browser writes a line all the same.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) tell(line.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${this.demo.app.baseUrl}/`) && !/^(data|blob):/.test(url)) tell(`asks ${url}`);
    });
  }

  /** What went wrong since this was asked before. */
  faults(): readonly string[] {
    return this.#faults.splice(0);
  }

  /** After each test: no faults, and no browser left. */
  async expectNoFaults(): Promise<void> {
    for (const context of this.#contexts.splice(0)) {
      // An answer that is on its way to a page would find it gone.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    expect(this.faults()).toEqual([]);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.demo.app.close();
  }
}

export async function openPortal(options: Pick<WholeAppOptions, 'env'> = {}): Promise<PortalInBrowser> {
  const demo = await startDemo(options);
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  return new PortalInBrowser(demo, browser);
}

/** What keeps somebody from using the page (WCAG 2.2 AA), a line each, by a script that the page's policy would not load. */
export async function barriersOf(page: Page): Promise<readonly string[]> {
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
