/**
 * Reusable windows of one browser: a browser takes half a second of processor time to start, and a window that has
 * loaded the portal before shows it in a quarter of the time that a new window takes.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/**
 * Prefers Debian's headless shell if it is installed: it leaves out what a desktop needs and takes two thirds of the
 * processor time.
 */
const [found] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].filter((path) => existsSync(path));

/** Whether a browser is installed; CI installs one. */
export const hasBrowser = found !== undefined;
export const executablePath = found ?? '';

/** The time limit for one step on a page, long enough for a machine many times slower than usual. */
export const patienceMs = 180_000;

/** The time limit for a whole test or hook. */
export const testPatienceMs = 900_000;

export interface Appearance {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'sv';
  /** Whether the screen is touched, as a phone's is. */
  readonly touch?: boolean;
}

/** A window with its own cookies, storage and cache. */
export interface BrowserWindow {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly language: string;
  readonly touch: boolean;
}

/**
 * Keeps whatever disappears on its own after some seconds, such as brief notices or an undo period, so that tests need
 * not be quick. This applies whatever clock the page uses, including Playwright's, unless `letTimePass` is called.
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

/** The caller has to remove whatever the browser leaves in this folder. */
function startBrowser(temporaryFolder: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--renderer-process-limit=1'],
    timeout: patienceMs,
    env: { ...process.env, TMPDIR: temporaryFolder },
    // The process ends as it would without a browser, and the browser ends with it.
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

  /** Opens a free window with nothing in it. `unused` asks for a window that has never loaded anything. */
  async open(
    { width = 1280, height = 800, theme = 'light', language = 'en', touch = false }: Appearance,
    unused: boolean,
  ) {
    const isFit = (one: BrowserWindow) => one.language === language && one.touch === touch;
    const found = unused ? -1 : this.#free.findLastIndex(isFit);
    const [window = await this.#make(language, touch)] = found < 0 ? [] : this.#free.splice(found, 1);
    await window.page.setViewportSize({ width, height });
    await window.page.emulateMedia({ colorScheme: theme });
    return window;
  }

  async #make(language: string, touch: boolean): Promise<BrowserWindow> {
    const browser = await this.browser();
    const context = await browser.newContext({
      locale: language === 'sv' ? 'sv-SE' : 'en-GB',
      reducedMotion: 'reduce',
      hasTouch: touch,
    });
    context.setDefaultTimeout(patienceMs);
    await context.addInitScript(
      `${stay}\nif (!document.cookie.includes('carillon-language=')) document.cookie = 'carillon-language=${language}; path=/'`,
    );
    return { context, page: await context.newPage(), language, touch };
  }

  /** Takes the window back once everything done in it is cleared; a window that cannot be cleared is closed. */
  async takeBack(window: BrowserWindow, baseUrl: string): Promise<void> {
    const { context, page } = window;
    // Otherwise a response still on its way to the page would find it gone.
    for (const one of context.pages()) await one.unrouteAll({ behavior: 'ignoreErrors' });
    for (const other of context.pages()) if (other !== page) await other.close();
    if (!page.isClosed() && (await isCleared(window, baseUrl))) this.#free.push(window);
    else await context.close();
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
  }
}

/** Uses a page of the server that runs no scripts, because the portal's own page would store its state again. */
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

/** The windows of this process, shared by all test files that it runs one after the other. */
export function sharedWindows(): BrowserWindows {
  if (shared === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-browser-'));
    shared = new BrowserWindows(folder);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    // Playwright closes its browsers when the process exits, but a signal alone does not trigger that.
    process.once('SIGTERM', () => process.exit());
  }
  return shared;
}
