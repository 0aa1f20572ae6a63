/**
 * Windows of one browser, which are used again: a browser takes half a second of a processor to start, and a window that
 * has loaded the portal before shows it in a quarter of the time that a new one takes.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Debian's, without what a desktop needs where that is installed: it takes two thirds of the processor time. */
const [found] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].filter((path) => existsSync(path));

/** Whether there is a browser; CI installs it. */
export const hasBrowser = found !== undefined;
export const executablePath = found ?? '';

/** How long one step of a page may take: as long as a machine does that is many times slower than usual. */
export const patienceMs = 180_000;

/** For all that a test does, or a hook. */
export const testPatienceMs = 900_000;

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'sv';
}

/** What nobody shares with it: cookies, what the browser stores and has loaded. */
export interface BrowserWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly language: string;
}

/**
 * What goes by itself after some seconds, such as short news or the time in which something can be undone, stays: no test
 * has to be quicker. Whatever the time of the page goes by, be it Playwright's clock, unless `letTimePass` says otherwise.
 */
const stay = `{
  let asIs = window.setTimeout;
  const neverMs = 2 ** 31 - 1;
  Object.defineProperty(window, 'setTimeout', {
    configurable: true,
    get() {
      const within = asIs;
      return (work, ms, ...given) => within.call(window, work, window.timePasses !== true && ms >= 5_000 ? neverMs : ms, ...given);
    },
    set(other) {
      asIs = other;
    },
  });
}`;

/** What it leaves in this folder is for whoever starts it to remove. */
function startBrowser(temporaryFolder: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--renderer-process-limit=1'],
    timeout: patienceMs,
    env: { ...process.env, TMPDIR: temporaryFolder },
    // The process ends as it would without a browser, which ends with it.
    handleSIGTERM: false,
  });
}

export class BrowserWindows {
  readonly #free: BrowserWindow[] = [];
  readonly #temporaryFolder: string;
  #browser: Promise<Browser> | undefined;

  constructor(temporaryFolder = tmpdir()) {
    this.#temporaryFolder = temporaryFolder;
  }

  browser(): Promise<Browser> {
    this.#browser ??= startBrowser(this.#temporaryFolder);
    return this.#browser;
  }

  /** One that nobody has, with nothing in it; `unused`: that has loaded nothing yet. */
  async open({ width = 1280, height = 800, theme = 'light', language = 'en' }: Look, unused: boolean) {
    const found = unused ? -1 : this.#free.findLastIndex((one) => one.language === language);
    const [window = await this.#make(language)] = found < 0 ? [] : this.#free.splice(found, 1);
    await window.page.setViewportSize({ width, height });
    await window.page.emulateMedia({ colorScheme: theme });
    return window;
  }

  async #make(language: string): Promise<BrowserWindow> {
    const browser = await this.browser();
    const context = await browser.newContext({
      locale: language === 'sv' ? 'sv-SE' : 'en-GB',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(patienceMs);
    await context.addInitScript(
      `${stay}\nlocalStorage.getItem('carillon.language') ?? localStorage.setItem('carillon.language', '${language}')`,
    );
    return { context, page: await context.newPage(), language };
  }

  /** Takes it back, once nothing of what was done in it is left; a window of which something stays is closed. */
  async takeBack(window: BrowserWindow, baseUrl: string): Promise<void> {
    const { context, page } = window;
    // An answer that is on its way to a page would find it gone.
    for (const one of context.pages()) await one.unrouteAll({ behavior: 'ignoreErrors' });
    for (const other of context.pages()) if (other !== page) await other.close();
    if (!page.isClosed() && (await isCleared(window, baseUrl))) this.#free.push(window);
    else await context.close();
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
  }
}

/** From a page of the server that runs no script: the portal's own would store again what it has in hand. */
async function isCleared({ context, page }: BrowserWindow, baseUrl: string): Promise<boolean> {
  page.removeAllListeners('dialog');
  page.removeAllListeners('request');
  await context.clearCookies();
  await page.goto(`${baseUrl}/readyz`);
  return page.evaluate<boolean>(`(() => {
    try {
      localStorage.clear();
      sessionStorage.clear();
      return Date.isFake !== true;
    } catch {
      return false;
    }
  })()`);
}

let shared: BrowserWindows | undefined;

/** Of this process: for all test files that it runs, one after the other. */
export function sharedWindows(): BrowserWindows {
  if (shared === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-browser-'));
    shared = new BrowserWindows(folder);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    // Playwright ends its browsers when the process exits, which a signal alone would not be.
    process.once('SIGTERM', () => process.exit());
  }
  return shared;
}
