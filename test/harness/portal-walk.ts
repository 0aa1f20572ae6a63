/** A window that goes through the pages of the portal without loading them, which takes a tenth of the time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request, Response } from 'playwright-core';

/** The paths of all pages, as the rooms declare them; those without parameters first. */
export function declaredPaths(): readonly string[] {
  const found = readdirSync('portal/src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)routes\.ts$|^app\/router\.tsx$/.test(file))
    .flatMap((file) => [...readFileSync(join('portal/src', file), 'utf8').matchAll(/\bpath: '([^']+)'/g)])
    .map(([, path = '']) => path);
  return found.toSorted((one, other) => one.split('$').length - other.split('$').length);
}

/** Waits for the next frame, and tells whether the page that was left is still shown. */
const isFormerShown = `new Promise((drawn) => requestAnimationFrame(() => drawn(document.querySelector('h1[data-left]') !== null)))`;
/** Two pages may share a title, which then stays. */
const maxFramesToLeave = 100;

export class PortalWalk {
  readonly page: Page;
  readonly #links = new Set<string>();
  readonly #withoutParameters = new Set(declaredPaths());
  readonly #read: ((response: Response) => Promise<void>) | undefined;
  readonly #reading: Promise<void>[] = [];
  #unanswered = 0;

  /** `read` is given the answer of each call of the pages. */
  constructor(page: Page, read?: (response: Response) => Promise<void>) {
    this.page = page;
    this.#read = read;
    page.on('request', (request) => this.#count(request, 1));
    page.on('requestfailed', (request) => this.#count(request, -1));
    page.on('requestfinished', (request) => {
      this.#count(request, -1);
      if (request.resourceType() === 'fetch') this.#reading.push(this.#readAnswer(request));
    });
  }

  /** The stream of hints is never answered in full. */
  #count(request: Request, change: 1 | -1): void {
    if (request.resourceType() !== 'eventsource') this.#unanswered += change;
  }

  async #readAnswer(request: Request): Promise<void> {
    const response = await request.response();
    if (response !== null) await this.#read?.(response);
  }

  /** Goes to a page, or to one of those with a parameter; false if no link seen so far leads to such a page. */
  async go(declared: string): Promise<boolean> {
    const address = this.#addressOf(declared);
    if (address === undefined) return false;
    await this.page.evaluate(`document.querySelector('h1')?.setAttribute('data-left', '');
      history.pushState(null, '', ${JSON.stringify(`/portal${address}`)})`);
    for (
      let frames = 0;
      frames < maxFramesToLeave && (await this.page.evaluate<boolean>(isFormerShown));
      frames += 1
    );
    await this.settled();
    const hrefs = `[...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '')`;
    for (const href of await this.page.evaluate<string[]>(hrefs)) this.add(href.replace(/^\/portal/, ''));
    return true;
  }

  /** Adds a page that may be gone to. */
  add(address: string): void {
    this.#links.add(address.split('?')[0] ?? '');
  }

  #addressOf(declared: string): string | undefined {
    if (!declared.includes('$')) return declared;
    const form = new RegExp(`^${declared.replace(/\$\w+/g, '[^/]+')}$`);
    return [...this.#links].find((link) => form.test(link) && !this.#withoutParameters.has(link));
  }

  /** The window is used again by another walk. */
  end(): void {
    for (const event of ['requestfinished', 'requestfailed'] as const) this.page.removeAllListeners(event);
  }

  /** Waits until every call is answered and drawn. */
  async settled(): Promise<void> {
    const isWaiting = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() =>
      drawn(document.querySelector('h1') === null || document.querySelector('[role=status][aria-label^=La], [role=status][aria-label^=Lo]') !== null))))`;
    while ((await this.page.evaluate<boolean>(isWaiting)) || this.#unanswered > 0);
    await Promise.all(this.#reading.splice(0));
  }
}
