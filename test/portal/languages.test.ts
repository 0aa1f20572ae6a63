/** The portal in two languages: each has pages of its own, and what a reader loads has no text of the other language. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { describe, expect, test } from 'vitest';
import { oneLanguage } from '../../portal/one-language.ts';
import { describePortal, expectSoon } from '../harness/browser.ts';
import { filesOfPages } from '../harness/built-pages.ts';
import { filesBelow, root } from '../house/sources.ts';

/** Texts of several words that the source has in pairs, and whatever has Swedish letters. */
function textsInSource() {
  const [english, swedish] = [new Set<string>(), new Set<string>()];
  for (const path of filesBelow('portal/src').filter((one) => /(texts|routes)\.ts$/.test(one))) {
    const source = readFileSync(join(root, path), 'utf8');
    const pairs = source.replace(/plural\((?:[^()]|\([^()]*\))*\)/g, '');
    const isLong = (text = '') => text.trim().split(' ').length > 3 && !/[#\\]/.test(text);
    for (const [, en = '', sv = ''] of pairs.matchAll(/\[\s*'([^'\n]+)',\s*'([^'\n]+)',?\s*\]/g)) {
      if (isLong(en) && en !== sv) english.add(en);
      if (isLong(sv) && en !== sv) swedish.add(sv);
    }
    for (const [, text = ''] of source.matchAll(/['`}]([^'`${}\n]+)['`$]/g))
      if (isLong(text) && /[åäö]/.test(text)) swedish.add(text);
  }
  return { english: [...english], swedish: [...swedish] };
}

describe('the files of the portal’s pages', () => {
  test('[PORT-13] A Swedish reader’s files hold no English texts of the pages, and an English reader’s no Swedish ones', () => {
    const texts = textsInSource();
    expect(Math.min(texts.english.length, texts.swedish.length)).toBeGreaterThan(300);
    const [en = '', sv = ''] = (['en', 'sv'] as const).map((one) =>
      [...filesOfPages(one).values()].join('\n'),
    );
    expect(texts.english.filter((text) => !en.includes(text) || sv.includes(text))).toEqual([]);
    expect(texts.swedish.filter((text) => !sv.includes(text) || en.includes(text))).toEqual([]);
  });

  const inSwedish = (code: string): string => {
    const { transform } = oneLanguage('sv');
    const source = `import { plural, wordsOf } from '../words/words.ts';\nimport { page } from '../routing/page.ts';\n${code}`;
    const made = (transform as unknown as (code: string, id: string) => { readonly code: string }).call(
      { parse: parseAst },
      source,
      '/portal/src/room/texts.ts',
    );
    return made.code.split('\n').slice(2).join('\n');
  };

  test.each([
    [
      "wordsOf({ a: ['yes', 'ja'], b: { c: [(n) => n + ' yes', (n) => n + ' ja'] } })",
      "wordsOf({ a: 'ja', b: { c: (n) => n + ' ja' } })",
    ],
    [
      "wordsOf({ a: plural(['# day', '# days'], ['# dag', '# dagar']) })",
      "wordsOf({ a: plural(['# dag', '# dagar']) })",
    ],
    [
      "const [n, nSv] = plural(['a', 'b'], ['c', 'd']); wordsOf({ n: [n, nSv] })",
      "const nSv = plural(['c', 'd']); wordsOf({ n: nSv })",
    ],
    ["wordsOf({ all: [['a', 'b'], ['c', 'd']] })", "wordsOf({ all: ['c', 'd'] })"],
    [
      "const name = ['Books', 'Böcker']; page({ place: { name, inBar: { name: ['B', 'Bö'] } } })",
      "const name = 'Böcker'; page({ place: { name, inBar: { name: 'Bö' } } })",
    ],
  ])('[PORT-13] The build for Swedish takes the other language out of %s', (code, built) => {
    expect(inSwedish(code)).toBe(built);
  });

  test.each([
    ['wordsOf(texts)', 'texts'],
    ['wordsOf({ ...texts })', '...texts'],
    ["wordsOf({ a: ['yes'] })", "['yes']"],
    ["wordsOf({ a: 'yes' })", "'yes'"],
    ["wordsOf({ a: of('yes', 'ja') })", "of('yes', 'ja')"],
    ['plural(...forms)', 'forms'],
    ["page({ place: { name: nameOf('books') } })", "nameOf('books')"],
    [
      "const [n, nSv] = plural(['a', 'b'], ['c', 'd']); wordsOf({ a: [() => n(1), () => n(1)] })",
      'n is of another language',
    ],
  ])('[PORT-13] The build ends with what it cannot read: %s', (code, named) => {
    expect(() => inSwedish(code)).toThrow(named);
  });
});

describePortal('the language of the portal', (portal) => {
  /** A browser in which nothing has been chosen. */
  const stranger = async (locale: string) => {
    const browser = (await portal.visit('/', { as: 'nobody' })).context().browser();
    if (browser === null) throw new Error('the page has no browser');
    const context = await browser.newContext({ locale });
    let loads = 0;
    const page = await context.newPage();
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1;
    });
    return { context, page, loads: () => loads };
  };
  const address = () => `${portal.demo.app.baseUrl}/portal/`;
  const speakSwedish = () => portal.demo.app.apply('companies: [{ name: Demo, language: sv }]');

  test('[PORT-5] A browser that has chosen nothing gets the portal in its own language, and after the sign-in in that of the company, until it chooses', async () => {
    await speakSwedish();
    const { context, page, loads } = await stranger('en-GB');
    await page.goto(address());
    await page.getByLabel('User name').fill(portal.demo.username);
    await page.getByLabel('Password').fill(portal.demo.password);
    await page.keyboard.press('Enter');
    await page.getByText('Sök överallt').waitFor();
    expect([await page.getAttribute('html', 'lang'), loads()]).toEqual(['sv', 2]);
    await page.reload();
    await page.getByText('Sök överallt').waitFor();
    expect(loads()).toBe(3);
    await page.getByRole('link', { name: 'Skicka', exact: true }).click();
    const message = 'Half a sent';
    await page.getByRole('textbox', { name: 'Meddelande', exact: true }).fill(message);
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.getByText('English', { exact: true }).click();
    await page.getByText('Find anything').waitFor();
    await expectSoon(() => page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe(
      message,
    );
    await page.reload();
    await page.getByText('Find anything').waitFor();
    expect(loads()).toBe(5);
    await context.close();
  });

  test('[PORT-5] What is typed about a user stays when another language is chosen, and another tab goes on in its own', async () => {
    await speakSwedish();
    const { context, page } = await stranger('en-GB');
    await portal.signIn(context);
    await page.goto(`${address()}admin/users/new`);
    await page.getByLabel('Användarnamn').fill('åsa');
    const other = await context.newPage();
    await other.goto(address());
    await other.getByText('Sök överallt').waitFor();
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.getByText('English', { exact: true }).click();
    await page.getByText('Find anything').waitFor();
    await expectSoon(() => page.getByLabel('User name').inputValue()).toBe('åsa');
    const asked = other.waitForRequest((request) => request.url().includes('/api/v1/templates'));
    await other.getByRole('link', { name: 'Mallar', exact: true }).click();
    await other.getByRole('heading', { level: 1, name: 'Mallar' }).waitFor();
    expect((await asked).headers()['accept-language']).toBe('sv');
    await context.close();
  });

  test('[PORT-5] A browser that keeps no choice of language shows the portal in its own language, and does not load it again and again', async () => {
    await speakSwedish();
    const { context, page, loads } = await stranger('en-GB');
    await portal.signIn(context);
    await page.addInitScript(() => {
      const { document } = globalThis as unknown as { readonly document: object };
      Object.defineProperty(document, 'cookie', { get: () => '', set() {} });
    });
    await page.goto(address());
    await page.getByText('Find anything').waitFor();
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.getByText('Svenska').click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(loads()).toBe(1);
    await context.close();
  });

  test('[PORT-5] If something between the browser and the server holds back the choice, the portal is loaded only once more', async () => {
    await speakSwedish();
    const { context, page, loads } = await stranger('en-GB');
    await portal.signIn(context);
    await page.route(address(), async (route) => {
      const answer = await fetch(address(), { headers: { 'accept-language': 'en' } });
      const headers = Object.fromEntries(answer.headers);
      await route.fulfill({ status: answer.status, headers, body: await answer.text() });
    });
    await page.goto(address());
    await page.getByText('Find anything').waitFor();
    await expectSoon(loads).toBe(2);
    await page.getByText('Find anything').waitFor();
    await expectSoon(() => page.getAttribute('html', 'lang')).toBe('en');
    await context.close();
  });
});
