/**
 * Every page of the portal in English and in Swedish, with contents, empty, and after everything on it has been pressed and
 * sent with wrong values: no text of one language stands among texts of the other. Takes 30 s of processor time, since it
 * shows every page three times in each language.
 */
import type { Page } from 'playwright-core';
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
import { describePortal } from '../harness/browser.ts';
import { addOperator, fillPortal, visitAsOperator } from '../harness/portal-contents.ts';
import { declaredPaths, PortalWalk } from '../harness/portal-walk.ts';
import { parsed } from '../house/sources.ts';

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

/** A walk that hears what the pages say, and knows which words are those of users. */
class Listener {
  readonly #page: Page;
  readonly #language: Language;
  readonly #written = new Set<string>();
  readonly walk: PortalWalk;

  constructor(page: Page, language: Language) {
    this.#page = page;
    this.#language = language;
    this.walk = new PortalWalk(page, async (response) => {
      if (response.headers()['content-type']?.startsWith('application/json') !== true) return;
      // The browser drops an answer that comes while its page is left, and nothing shows it any more.
      const answer = await response.json().catch(() => undefined);
      addWritten(answer, this.#written);
    });
  }

  /** Goes to a page, and returns what is strange there; undefined if no link leads to such a page. */
  async strangeAt(declared: string, isActing: boolean): Promise<readonly string[] | undefined> {
    if (!(await this.walk.go(declared))) return undefined;
    const said = await this.#page.evaluate<string[]>(textsShown);
    if (isActing) {
      said.push(...(await this.#page.evaluate<string[]>(textsAfterActs)));
      await this.walk.settled();
      said.push(...(await this.#page.evaluate<string[]>(textsShown)));
    }
    return strangeIn(this.#language, [...new Set(said)], this.#written);
  }
}

describePortal('the language of every page', (portal) => {
  const paths = declaredPaths();

  async function strange(language: Language, isActing: boolean, links: readonly string[] = []) {
    const found: Record<string, readonly string[]> = {};
    const missed: string[] = [];
    for (const kind of ['company', 'operator'] as const) {
      const page = await (kind === 'operator'
        ? visitAsOperator(portal, { language })
        : portal.visit('/', { language }));
      const listener = new Listener(page, language);
      for (const link of links) listener.walk.add(link);
      for (const path of paths.filter((one) => one.startsWith('/operator') === (kind === 'operator'))) {
        const there = await listener.strangeAt(path, isActing);
        if (there === undefined) missed.push(path);
        else if (there.length > 0) found[path] = there;
      }
      listener.walk.end();
      await portal.leave(page);
    }
    return { found, missed };
  }

  test('[PORT-13] [CONV-14] No page says anything in the other language, whether it is empty or full, and whatever is refused', async () => {
    expect(paths.length).toBeGreaterThan(60);
    await addOperator(portal);
    for (const language of languages)
      expect([language, (await strange(language, false)).found]).toEqual([language, {}]);
    const links = await fillPortal(portal);
    for (const language of languages)
      expect([language, await strange(language, true, links)]).toEqual([language, { found: {}, missed: [] }]);
  });
});
