/**
 * Goes through pages and dialogs by keyboard, as somebody without a mouse does, and tells what stops or misleads such a user
 * (WCAG 2.2: 2.1.1, 2.1.2, 2.4.1, 2.4.3, 2.4.7, 2.4.11).
 */
import type { Page } from 'playwright-core';
import type { PortalWalk } from './portal-walk.ts';

/**
 * Within the page. Notes what has the focus when the next Tab is pressed, since by then the page has scrolled there, and
 * judges at the end.
 */
const focusWalk = String.raw`globalThis.focusWalk ??= (() => {
  let root;
  let stops = [];
  let last;
  let opener;
  const nameOf = (element) => {
    const name = element.ariaLabel || element.labels?.[0]?.textContent || element.textContent || element.className;
    return (element.tagName.toLowerCase() + ' ' + String(name).trim().replace(/\s+/g, ' ')).slice(0, 80);
  };
  /** A control that only screen readers see has a label that is seen in its place. */
  const seen = (element) => (element.getBoundingClientRect().width > 1 ? element : (element.labels?.[0] ?? element));
  /** The outlines of the element, and of what is around it and may show the focus for it. */
  const outlinesOf = (element) => {
    const all = [...(element.labels ?? [])];
    for (let one = element; one !== null && all.length < 8; one = one.parentElement) all.push(one);
    return all
      .flatMap((one) => ['', '::before', '::after'].map((part) => getComputedStyle(one, part)))
      .map((style) => (style.outlineStyle === 'none' ? '' : style.outline) + style.boxShadow)
      .join();
  };
  /** What is wrong with the middle of what the window shows of the element, if anything. */
  const coverOf = (element) => {
    const shown = seen(element);
    const boxes = [...shown.getClientRects()].toSorted((one, other) => other.width * other.height - one.width * one.height);
    const { left, right, top, bottom } = boxes[0] ?? new DOMRect();
    const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
    const cover = right > left && bottom > 0 && top < innerHeight && document.elementFromPoint(x, y);
    if (!cover) return ['is out of sight'];
    if (shown.contains(cover) || cover.contains(shown) || element.labels?.[0]?.contains(cover)) return [];
    return ['lies under ' + nameOf(cover)];
  };
  const note = () => {
    const element = document.activeElement;
    if (last !== undefined && last.element !== element && outlinesOf(last.element) === last.outlines) last.faults.push('has no ring');
    last = undefined;
    if (element === document.body || element.matches('main, h1, dialog')) return;
    if (stops.some((stop) => stop.element === element)) return;
    const faults = coverOf(element);
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) faults.push('is hidden');
    if (root.matches('dialog') && !root.contains(element)) faults.push('is outside of the dialog');
    last = { element, name: nameOf(element), outlines: outlinesOf(element), faults };
    stops.push(last);
  };
  addEventListener('keydown', ({ key }) => key === 'Tab' && root !== undefined && note(), true);

  const interactive = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]';
  /** Of options of which one is chosen, Tab reaches one, and the arrows the others. */
  const isReached = (element) =>
    stops.some((stop) => stop.element === element || (element.type === 'radio' && stop.element.name === element.name));
  const missing = () =>
    [...root.querySelectorAll(interactive)].filter(
      (element) =>
        element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }) && !isReached(element),
    );
  const fixedPartOf = (element) => {
    for (let one = element; one !== null; one = one.parentElement)
      if (['fixed', 'sticky'].includes(getComputedStyle(one).position)) return one;
    return null;
  };
  /** The order is from top to bottom, within a row from left to right, and upwards only into the next column. */
  const misplaced = () => {
    for (const scrolled of document.querySelectorAll('*')) scrolled.scrollTop = 0;
    const inOrder = stops
      .filter(({ element }) => element.isConnected)
      .map(({ element, name }) => ({ name, part: fixedPartOf(element), box: seen(element).getBoundingClientRect() }));
    return inOrder.filter(({ part, box }, place) => {
      const before = inOrder[place - 1];
      if (before === undefined || before.part !== part) return false;
      if (box.bottom <= before.box.top + 2) return box.left < before.box.right - 2;
      return box.top < before.box.bottom - 2 && box.left < before.box.left - 2;
    });
  };

  return {
    /** Begins at the top of the page, or of the open dialog. */
    begin() {
      root = document.querySelector('dialog[open]') ?? document.querySelector('main');
      stops = [];
      last = undefined;
      for (const closed of root.querySelectorAll('details')) closed.open = true;
      root.querySelector('tr:not(:has(:checked)) [data-place=pick] input')?.click();
      const top = root.matches('dialog') ? root : document.body;
      top.tabIndex = -1;
      top.focus();
      top.removeAttribute('tabindex');
    },
    /** How many keys it takes at least until the focus has been everywhere and is where it began. */
    keysLeft: () => (stops.length > 1 && document.activeElement === stops[0].element ? 0 : missing().length + 1),
    faults() {
      note();
      const faults = [
        ...stops.flatMap(({ name, faults }) => faults.map((fault) => name + ' ' + fault)),
        ...missing().map((element) => nameOf(element) + ' is not reached'),
        ...misplaced().map(({ name }) => name + ' comes too late'),
      ];
      root = undefined;
      return faults;
    },
    /** Puts the focus on the next button that has not been pressed, and returns its name without numbers. */
    nextButton(within, pressed) {
      const plainName = (button) => nameOf(button).replace(/\d/g, '');
      opener = [...document.querySelectorAll(within + ' button')].find(
        (one) => !one.disabled && one.checkVisibility() && one.closest('dialog') === null && !pressed.includes(plainName(one)),
      );
      opener?.focus();
      return opener && plainName(opener);
    },
    dismissToasts() {
      for (const button of document.querySelectorAll('section[aria-live] button:last-child')) button.click();
    },
    isOpen: () => document.querySelector('dialog[open]') !== null,
    isWithin: () => document.querySelector('dialog[open]').contains(document.activeElement),
    isBack: () => document.querySelector('dialog[open]') === null && document.activeElement === opener,
    /** While true, no button changes anything: such calls fail. */
    refuses: false,
  };
})();
globalThis.fetch = ((asIs) => (to, options) =>
  focusWalk.refuses && (options?.method ?? 'GET') !== 'GET' ? Promise.reject(new TypeError('refused')) : asIs(to, options)
)(globalThis.fetch)`;

/** More than any page has: the focus does not come out of it. */
const maxKeys = 400;
/** More buttons of different names than a page has; what they show may have more. */
const maxButtons = 24;

/** On a phone, bars lie over the end of a page; the buttons of the other size open the same dialogs. */
const sizes = [
  { width: 360, height: 640 },
  { width: 1280, height: 800 },
];

/** Goes through page after page of a walk. */
export class KeyboardUser {
  readonly #walk: PortalWalk;
  readonly #page: Page;
  #hasSeenFrame = false;
  /** The number of dialogs that have been gone through. */
  dialogs = 0;

  constructor(walk: PortalWalk) {
    this.#walk = walk;
    this.#page = walk.page;
  }

  /** What is wrong with the page that the walk is at, and with its dialogs. The frame is gone through only once. */
  async faults(): Promise<readonly string[]> {
    await this.#page.evaluate(`globalThis.focusWalk === undefined && (() => {${focusWalk}})()`);
    const found: string[] = [];
    for (const size of sizes) {
      await this.#page.setViewportSize(size);
      found.push(
        ...(await this.#faultsOf(() => this.#pageFaults())).map((fault) => `${size.width} px: ${fault}`),
      );
    }
    found.push(...(await this.#dialogFaults()));
    this.#hasSeenFrame = true;
    return found;
  }

  /** What appears where the focus has already been is not reached: then all is gone through once more. */
  async #faultsOf(pass: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const faults = await pass();
    return faults.some((fault) => fault.endsWith(' is not reached')) ? pass() : faults;
  }

  /** The first stop leads past the navigation to the page. */
  async #pageFaults(): Promise<readonly string[]> {
    await this.#page.evaluate('focusWalk.begin()');
    await this.#walk.settled();
    await this.#page.keyboard.press('Tab');
    const isSkip = `document.activeElement.matches('a[href="#page"]')`;
    if (!(await this.#page.evaluate<boolean>(isSkip))) return ['the first stop does not lead to the page'];
    if (this.#hasSeenFrame) {
      await this.#page.keyboard.press('Enter');
      await this.#walk.settled();
    }
    return this.#faultsByTab();
  }

  /** Presses Tab until the focus is where it began. */
  async #faultsByTab(): Promise<readonly string[]> {
    for (let keys = 0; keys < maxKeys; ) {
      const left = await this.#page.evaluate<number>('focusWalk.keysLeft()');
      if (left === 0) return this.#page.evaluate<string[]>('focusWalk.faults()');
      // The keys are sent together, since waiting for each takes longer than the page does.
      await Promise.all(Array.from({ length: left }, () => this.#page.keyboard.press('Tab')));
      keys += left;
    }
    return [`Tab does not come back within ${maxKeys} keys`];
  }

  /** Opens, goes through and closes by keyboard each dialog that a button of the page opens without changing anything. */
  async #dialogFaults(): Promise<readonly string[]> {
    const found: string[] = [];
    const pressed: string[] = [];
    const within = this.#hasSeenFrame ? 'main' : 'body';
    const address = this.#page.url();
    await this.#page.evaluate('void (focusWalk.refuses = true)');
    while (pressed.length < maxButtons && this.#page.url() === address) {
      const next = `focusWalk.nextButton(${JSON.stringify(within)}, ${JSON.stringify(pressed)})`;
      const name = await this.#page.evaluate<string | undefined>(next);
      if (name === undefined) break;
      pressed.push(name);
      const opens = await this.#page.evaluate<boolean>(`document.activeElement.ariaHasPopup === 'dialog'`);
      await this.#page.keyboard.press('Enter');
      if (opens) await this.#page.locator('dialog[open]').waitFor();
      await this.#walk.settled();
      if (!(await this.#page.evaluate<boolean>('focusWalk.isOpen()'))) continue;
      found.push(...(await this.#faultsOfDialog()).map((fault) => `${name}: ${fault}`));
    }
    await this.#page.evaluate('void (focusWalk.refuses = false)');
    await this.#page.evaluate('focusWalk.dismissToasts()');
    return found;
  }

  async #faultsOfDialog(): Promise<readonly string[]> {
    this.dialogs += 1;
    const isWithin = await this.#page.evaluate<boolean>('focusWalk.isWithin()');
    const pass = async () => {
      await this.#page.evaluate('focusWalk.begin()');
      await this.#walk.settled();
      await this.#page.keyboard.press('Tab');
      return this.#faultsByTab();
    };
    const faults = [...(await this.#faultsOf(pass))];
    if (!isWithin) faults.push('the focus does not go in');
    await this.#page.keyboard.press('Escape');
    await this.#walk.settled();
    if (!(await this.#page.evaluate<boolean>('focusWalk.isBack()')))
      faults.push('Escape does not lead back to the button');
    return faults;
  }
}
