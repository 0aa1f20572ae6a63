/**
 * Every page of the portal in English and in Swedish, with contents, empty, and after everything on it has been pressed and
 * sent with wrong values: no text of one language stands among texts of the other. Takes 30 s of processor time, since it
 * shows every page three times in each language.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import type { Node } from 'typescript/unstable/ast';
import {
  isArrayLiteralExpression,
  isCallExpression,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import { expect, test } from 'vitest';
import { actKinds, wordsOfActs } from '../../src/audit/act-words.ts';
import { catalogue } from '../../src/foundation/errors.ts';
import { faultsInSwedish } from '../../src/foundation/faults-sv.ts';
import { type Language, languages } from '../../src/foundation/language.ts';
import { inEnglish, inSwedish, sampleSentences } from '../../src/foundation/sentences.ts';
import { describePortal, type PortalInBrowser } from '../harness/browser.ts';
import { ownPage } from '../harness/browser-session.ts';
import { arriveFrom } from '../harness/documented-calls.ts';
import { inAnHour, sendOne, whenAllAre } from '../harness/messaging.ts';
import { filesBelow, parsed, root } from '../house/sources.ts';

const operator = { username: 'olle', password: 'a long password of olle' };

/** The paths of all pages, as the rooms declare them; those without parameters first. */
function declaredPaths(): readonly string[] {
  const rooms = filesBelow('portal/src').filter((path) => path.endsWith('/routes.ts'));
  const found = [...rooms, 'portal/src/app/router.tsx'].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(([, one = '']) => one),
  );
  return found.toSorted((one, other) => one.split('$').length - other.split('$').length);
}

/** The texts that stand in pairs in the source of the pages, and the sentences of the server. */
function textsOfBoth(): Readonly<Record<Language, ReadonlySet<string>>> {
  const texts = { en: new Set<string>(), sv: new Set<string>() };
  const add = (language: Language, node: Node): void => {
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) texts[language].add(node.text);
    else node.forEachChild((child) => add(language, child));
  };
  parsed(['portal/src'], (path, file) => {
    if (!/(?:texts|routes)\.ts$/.test(path)) return;
    const visit = (node: Node): void => {
      const isPlural = isCallExpression(node) && node.expression.getText(file) === 'plural';
      const pair = isArrayLiteralExpression(node) ? node.elements : isPlural ? node.arguments : [];
      const [en, sv] = pair;
      if (pair.length === 2 && en !== undefined && sv !== undefined) {
        add('en', en);
        add('sv', sv);
      } else node.forEachChild(visit);
    };
    visit(file);
  });
  for (const sentence of sampleSentences) {
    texts.en.add(inEnglish(sentence));
    texts.sv.add(inSwedish(sentence) ?? '');
  }
  for (const { meaning } of Object.values(catalogue)) texts.en.add(meaning);
  for (const said of Object.values(faultsInSwedish)) texts.sv.add(said);
  for (const language of languages)
    for (const kind of actKinds)
      for (const { words } of wordsOfActs(kind, language)) texts[language].add(words);
  return texts;
}

const texts = textsOfBoth();

/** Words without which hardly any sentence of the other language is made; within a random id they mean nothing. */
const betraying: Readonly<Record<Language, RegExp>> = {
  en: /(?<![\p{L}\p{N}_.@/-])(?:och|är|inte|för|som|att|din|ditt|en|ett|av|på|till|med)(?![\p{L}\p{N}_@/-])/iu,
  sv: /(?<![\p{L}\p{N}_.@/-])(?:the|and|is|are|your|with|was|has|have|this|must|not|by|to|from|of|at)(?![\p{L}\p{N}_@/-])/iu,
};

/** The texts that are not of this language, apart from what users have written. */
function strangeIn(
  language: Language,
  said: readonly string[],
  written: ReadonlySet<string>,
): readonly string[] {
  const other = language === 'en' ? 'sv' : 'en';
  const longestFirst = [...written].sort((one, two) => two.length - one.length);
  return said.filter((text) => {
    if (texts[language].has(text) || written.has(text)) return false;
    if (texts[other].has(text)) return true;
    return betraying[language].test(longestFirst.reduce((left, one) => left.replaceAll(one, '·'), text));
  });
}

/** The fields of answers that hold what users have written. */
const ofUsers = /^(?:name|text|message|label|username|question|jobname|word|proof|value|tag\w*|company)$/;

function addWritten(answer: unknown, written: Set<string>, key = ''): void {
  if (typeof answer === 'string') {
    if (ofUsers.test(key) && answer.trim() !== '') written.add(answer.trim().replace(/\s+/g, ' '));
  } else if (Array.isArray(answer)) for (const one of answer) addWritten(one, written, key);
  else if (typeof answer === 'object' && answer !== null)
    for (const [name, value] of Object.entries(answer)) addWritten(value, written, name);
}

/**
 * All that a page says in its own language, to those who see it and to those who hear it. What has another language says so,
 * and only quotations of others do.
 */
const textsShown = `(() => {
  const said = new Set([document.title]);
  const add = (text) => text && text.trim() !== '' && said.add(text.trim().replace(/\\s+/g, ' '));
  const isOwn = (element) =>
    element.closest('[lang]') === document.documentElement && element.closest('code, pre, textarea, script, style, noscript') === null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node.nodeType === Node.TEXT_NODE) isOwn(node.parentElement) && add(node.data);
    else if (isOwn(node))
      for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt', 'label']) add(node.getAttribute(name));
  return [...said];
})()`;

/** Presses each button of the page, sends each form empty and with wrong values, and returns all that is said meanwhile. */
const textsAfterActs = `(async () => {
  const said = new Set();
  const look = async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    for (const text of ${textsShown}) said.add(text);
  };
  const fill = (field, text) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const send = async (within) => {
    const submit = () => {
      // The browser itself would stop some of what is wrong, in its own language.
      for (const form of within.querySelectorAll('form')) form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
      return look();
    };
    await submit();
    for (const field of within.querySelectorAll('input:not([type]), input[type=text], input[type=tel], input[type=email], textarea'))
      if (field.isConnected) fill(field, '?:');
    await submit();
  };
  const start = location.href;
  const pressed = new Set();
  const nameOf = (button) => (button.textContent || button.ariaLabel || '').replace(/[0-9]/g, '');
  const isNew = (button) => !button.disabled && button.checkVisibility() && !pressed.has(nameOf(button));
  for (let left = 24; left > 0 && location.href === start; left -= 1) {
    const button = [...document.querySelectorAll('main button, main summary')].find(isNew);
    if (button === undefined) break;
    pressed.add(nameOf(button));
    button.click();
    await look();
    const dialog = document.querySelector('dialog[open]');
    if (dialog === null) continue;
    await send(dialog);
    dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
  }
  if (location.href === start) await send(document.querySelector('main'));
  return [...said];
})()`;

/** A window that goes from page to page without loading them. */
class Walk {
  readonly #page: Page;
  readonly #language: Language;
  readonly #written = new Set<string>();
  readonly #links = new Set<string>();
  readonly #reading: Promise<void>[] = [];
  #unanswered = 0;

  constructor(page: Page, language: Language) {
    this.#page = page;
    this.#language = language;
    page.on('request', (request) => this.#count(request, 1));
    page.on('requestfailed', (request) => this.#count(request, -1));
    page.on('requestfinished', (request) => {
      this.#count(request, -1);
      if (request.resourceType() === 'fetch') this.#reading.push(this.#read(request));
    });
  }

  /** The stream of hints is never answered in full. */
  #count(request: Request, change: 1 | -1): void {
    if (request.resourceType() !== 'eventsource') this.#unanswered += change;
  }

  async #read(request: Request): Promise<void> {
    const response = await request.response();
    if (response?.headers()['content-type']?.startsWith('application/json') !== true) return;
    // The browser drops an answer that comes while its page is left, and nothing shows it any more.
    const answer = await response.json().catch(() => undefined);
    addWritten(answer, this.#written);
  }

  /** Goes to a page, and returns what is strange there; undefined if no link leads to such a page. */
  async go(declared: string, isActing: boolean): Promise<readonly string[] | undefined> {
    const address = this.#addressOf(declared);
    if (address === undefined) return undefined;
    await this.#page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/portal${address}`)})`);
    await this.#settled();
    const hrefs = `[...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '')`;
    for (const href of await this.#page.evaluate<string[]>(hrefs)) this.add(href.replace(/^\/portal/, ''));
    const said = await this.#page.evaluate<string[]>(textsShown);
    if (isActing) {
      said.push(...(await this.#page.evaluate<string[]>(textsAfterActs)));
      await this.#settled();
      said.push(...(await this.#page.evaluate<string[]>(textsShown)));
    }
    return strangeIn(this.#language, [...new Set(said)], this.#written);
  }

  /** Adds a page that may be gone to. */
  add(address: string): void {
    this.#links.add(address.split('?')[0] ?? '');
  }

  #addressOf(declared: string): string | undefined {
    if (!declared.includes('$')) return declared;
    const form = new RegExp(`^${declared.replace(/\$\w+/g, '[^/]+')}$`);
    return [...this.#links].find(
      (link) => form.test(link) && (declared.endsWith('/new') || !link.endsWith('/new')),
    );
  }

  /** The window is used again by another walk. */
  end(): void {
    for (const event of ['requestfinished', 'requestfailed'] as const) this.#page.removeAllListeners(event);
  }

  /** Waits until every call is answered and drawn. */
  async #settled(): Promise<void> {
    const isWaiting = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() =>
      drawn(document.querySelector('h1') === null || document.querySelector('[role=status][aria-label^=La], [role=status][aria-label^=Lo]') !== null))))`;
    while ((await this.#page.evaluate<boolean>(isWaiting)) || this.#unanswered > 0);
    await Promise.all(this.#reading.splice(0));
  }
}

/** Something of everything, with the outcomes that need words. The last digits of a number decide what becomes of an SMS. */
async function fill({
  demo,
}: PortalInBrowser): Promise<{ readonly message: string; readonly webhook: string }> {
  const api = demo.app.as(demo);
  const post = async (path: string, body: object = {}) => {
    const answer = await api.post(path, body);
    expect([path, answer.text, answer.status < 300]).toEqual([path, answer.text, true]);
    return answer.body;
  };
  await api.patch('/api/v1/company', { optOuts: 'honour' });
  for (const text of ['Veni', 'STOP', 'stop vidi'])
    await arriveFrom(demo, '46701740640', '46701740605', text);
  await arriveFrom(demo, '46701740640', '46701740698', 'Vici');
  const ends = ['01', '05', '10', '12', '14', '16', '20', '31', '41', '50', '60', '99'];
  const batch = ends.map((end) => ({ t: `467310002${end}` }));
  await post('/api/v1/batches', { name: 'Lorem', message: 'Ipsum', batch });
  const later = { name: 'Dolor', message: 'Ipsum', batch: [{ t: '46701740699' }], scheduletime: inAnHour() };
  await post(`/api/v1/batches/${(await post('/api/v1/batches', later)).batchid}/pause`);
  const message = await sendOne(api, { to: ['46701740620'], message: 'Sit' });
  for (const end of ends) await sendOne(api, { to: [`467310001${end}`], message: 'Sit amet' });
  const pair = { to: ['46701740621', '46701740622'], message: 'Amet', from: 'twoway' };
  await sendOne(api, pair);
  await sendOne(api, { ...pair, scheduletime: inAnHour() });
  const stopped = await sendOne(api, { to: ['46701740621'], message: 'Elit', scheduletime: inAnHour() });
  await post(`/api/v1/messages/${stopped}/cancel`);
  await post('/api/v1/jobs/71/start');
  await post('/api/v1/email/senders', { email: 'anna@care.example', payingUser: 'demo' });
  const { id } = await post('/api/v1/webhooks', {
    name: 'curia',
    url: 'https://receiver.example/',
    events: ['message.status'],
  });
  await post(`/api/v1/webhooks/${id}/test`);
  await post('/api/v1/users', { name: 'bo', roles: ['send'] });
  await post('/api/v1/jobtypes', { name: 'Primus', generic: 'GMA' });
  await post('/api/v1/systemusers', { name: 'secundus' });
  await whenAllAre(api, [message], 'DELIVERED');
  return { message, webhook: id };
}

describePortal('the language of every page', (portal) => {
  const paths = declaredPaths();

  async function strange(language: Language, isActing: boolean, links: readonly string[] = []) {
    const found: Record<string, readonly string[]> = {};
    const missed: string[] = [];
    for (const kind of ['company', 'operator'] as const) {
      const page = await portal.visit(kind === 'operator' ? '/operator' : '/', {
        language,
        as: kind === 'operator' ? 'nobody' : 'demo',
      });
      if (kind === 'operator') {
        const session = `${portal.demo.app.baseUrl}/portal/api/operator/session`;
        await page.context().request.post(session, { headers: ownPage, data: operator });
        await page.reload();
      }
      const walk = new Walk(page, language);
      for (const link of links) walk.add(link);
      for (const path of paths.filter((one) => one.startsWith('/operator') === (kind === 'operator'))) {
        const there = await walk.go(path, isActing);
        if (there === undefined) missed.push(path);
        else if (there.length > 0) found[path] = there;
      }
      walk.end();
      await portal.leave(page);
    }
    return { found, missed };
  }

  test('[PORT-13] [CONV-14] No page says anything in the other language, whether it is empty or full, and whatever is refused', async () => {
    expect(paths.length).toBeGreaterThan(60);
    const operators = `operators: [{ username: ${operator.username}, password: "${operator.password}" }]\n`;
    expect((await portal.demo.app.apply(operators)).stderr).toBe('');
    for (const language of languages)
      expect([language, (await strange(language, false)).found]).toEqual([language, {}]);
    const { message, webhook } = await fill(portal);
    const links = [`/operator/companies/1/messages/${message}`, `/webhooks/${webhook}`];
    for (const language of languages)
      expect([language, await strange(language, true, links)]).toEqual([language, { found: {}, missed: [] }]);
  });
});
