/** The frame of all portal pages: signing in, navigation, appearance and languages, and page weight. */
import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { barriersOf, describePortal, expectSoon, overflowOf } from '../harness/browser.ts';
import { filesOfPages } from '../harness/built-pages.ts';
import { inAnHour, sendOne } from '../harness/messaging.ts';

/** What the browser exposes about the page; the page's types are not available in tests. */
interface HTMLElementLike {
  readonly textContent: string;
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

describePortal('the frame of the portal', (portal) => {
  test('[PORT-2] The portal asks for a login, reports a wrong login, and lets in a user whose login is right', async () => {
    const page = await portal.visit('/', { as: 'nobody' });
    await page.getByLabel('User name').fill(portal.demo.username);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('wrong').waitFor();
    await page.getByLabel('Password').fill(portal.demo.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('[PORT-2] The portal asks for the password over the page when the session has ended elsewhere', async () => {
    const page = await portal.visit('/');
    const other = await portal.visit('/');
    await other.evaluate(() =>
      fetch('/portal/api/sessions', { method: 'DELETE', headers: { 'content-type': 'application/json' } }),
    );
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill('not the password');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByRole('alert').getByText('wrong').waitFor();
    await dialog.getByLabel('Password').fill(portal.demo.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
  });

  test('[PORT-2] When another user signs in in another tab, the portal shows no more of the former user’s page', async () => {
    const colleague = { username: 'colleague', password: 'a colleague of theirs' };
    const applied = await portal.demo.app.apply(
      `companies: [{ name: Demo, users: [{ username: ${colleague.username}, password: ${colleague.password}, roles: [send] }] }]`,
    );
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
    const page = await portal.visit('/send');
    await portal.signIn(page.context(), colleague);
    // A call of the first page may have told it already; a click while it begins again is lost.
    await expectSoon(async () => {
      await page.getByRole('link', { name: 'Messages' }).click();
      return page.getByRole('heading', { level: 1, name: 'Messages' }).count();
    }).toBe(1);
    await page.getByRole('button', { name: colleague.username }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
  });

  test('[PORT-5] By ⌘K a user reaches any page and finds a number, and chooses another language, in which the portal then opens', async () => {
    const page = await portal.visit('/');
    await page.getByRole('link', { name: 'Send', exact: true }).focus();
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('a:focus', { hasText: 'Send' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('sta');
    await page.getByRole('option', { name: 'Start', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('070-174 06 99');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toContain('070-174 06 99');
    await page.getByRole('button', { name: portal.demo.username }).click();
    await page.getByText('Svenska').click();
    await page.getByText('Sök överallt').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Meddelanden' }).waitFor();
    await expectSoon(() => page.getAttribute('html', 'lang')).toBe('sv');
    await page.goto(`${portal.demo.app.baseUrl}/portal/`);
    await page.getByText('Sök överallt').waitFor();
  });

  test('[PORT-5] ⌘K finds people, groups, templates and batches by name, and sends to somebody, by keyboard and on a phone', async () => {
    const { app } = portal.demo;
    const group = { name: 'Night shift', add: ['46701740699'] };
    const made = await app.as(portal.demo).post('/api/v1/addressbooks/11/groups', group);
    expect(made.status).toBe(201);
    const batch = { name: 'Nightly rota', message: 'Hello', batch: [{ t: '46701740699' }] };
    await app.as(portal.demo).post('/api/v1/batches', { ...batch, scheduletime: inAnHour() });
    const page = await portal.visit('/');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('dialog').getByRole('combobox');
    const option = (name: string | RegExp) => page.getByRole('option', { name, exact: true });
    await box.fill('nig');
    for (const name of ['Night shift Group', 'Send to Night shift Group', 'Nightly rota Batch'])
      await option(name).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await box.fill('visit');
    await option('Visit Template').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Visit' }).waitFor();
    await page.keyboard.press('Control+k');
    await box.fill('zzz');
    await page.getByText('Nothing for “zzz”.').waitFor();
    await box.fill('anna');
    await option(/^Anna \S+ \+46/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Send to Anna/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Send' }).waitFor();
    await page.getByRole('button', { name: /^Remove Anna/ }).waitFor();
    await page.waitForURL(/\/send$/);
    const phone = await portal.visit('/people', { width: 360, theme: 'dark', language: 'sv' });
    await phone.getByRole('button', { name: 'Sök överallt' }).click();
    await phone.getByRole('combobox').fill('anna');
    await phone.getByRole('option', { name: /^Anna/ }).click();
    await phone.getByRole('heading', { level: 1, name: /^Anna/ }).waitFor();
    expect(await overflowOf(phone)).toBe(0);
  });

  test('[PORT-5] Notifications can be read and used over an open dialog, and on the page again once it is closed', async () => {
    const to = ['46701740678'];
    const { app } = portal.demo;
    await sendOne(app.as(portal.demo), { to, message: 'Later', scheduletime: inAnHour() });
    for (const width of [360, 1280]) {
      const page = await portal.visit('/scheduled', { width });
      await page.getByRole('button', { name: 'Cancel the message to +46 701 74 06 78' }).click();
      await page.getByRole('button', { name: 'Undo' }).hover();
      await page.keyboard.press('Control+k');
      const dialog = page.getByRole('dialog');
      const news = dialog.getByRole('region', { name: 'Notifications' });
      await news.getByText('06 78 is cancelled').waitFor();
      await expectSoon(() => news.getAttribute('aria-live')).toBe('polite');
      expect(await barriersOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Undo' }).click();
      await news.getByText('It is scheduled again').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'Notifications' }).getByText('It is scheduled').waitFor();
      await portal.leave(page);
    }
  });

  test('[PORT-5] Each name in the navigation is on one line, even in bold, and is not cut off', async () => {
    for (const language of ['en', 'sv'] as const) {
      const page = await portal.visit('/unrouted', { language });
      for (const width of [768, 1280]) {
        await page.setViewportSize({ width, height: 500 });
        const names = page.getByRole('navigation').first().getByRole('link');
        const shown = await names.evaluateAll((links) =>
          (links as unknown as { offsetHeight: number; querySelector(of: string): HTMLElementLike }[]).map(
            (link) => {
              const { textContent, scrollWidth, clientWidth } = link.querySelector('span');
              return { name: textContent, height: link.offsetHeight, cutOff: scrollWidth - clientWidth };
            },
          ),
        );
        expect(shown.filter(({ height, cutOff }) => height !== shown[0]?.height || cutOff > 0)).toEqual([]);
      }
      await portal.leave(page);
    }
  });

  test('[PORT-5] In a low window the account, the search and Administration stay in sight, and the pages scroll between them', async () => {
    const page = await portal.visit('/', { width: 1366, height: 650 });
    const boxOf = async (element: Locator) => (await element.boundingBox()) as { y: number; height: number };
    const account = page.getByRole('button', { name: portal.demo.username });
    const people = page.getByRole('link', { name: 'People' });
    const administration = page.getByRole('link', { name: 'Administration' });
    for (const element of [account, administration, people]) {
      const { y, height } = await boxOf(element);
      expect(y + height).toBeLessThanOrEqual(650);
    }
    // Every page fits above Administration, so that nothing has to be scrolled.
    const last = await boxOf(people);
    expect(last.y + last.height).toBeLessThanOrEqual((await boxOf(administration)).y);
    await page.setViewportSize({ width: 1366, height: 360 });
    await people.focus();
    for (const element of [account, people, page.getByRole('button', { name: 'Find anything' })]) {
      const { y, height } = await boxOf(element);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(360);
    }
  });

  test('[PORT-5] Administration leads to its first page, and the tabs above each of its pages to the others, by keyboard and on a phone', async () => {
    for (const appearance of [
      { width: 1280, theme: 'light' },
      { width: 360, theme: 'dark' },
    ] as const) {
      const page = await portal.visit('/', appearance);
      if (appearance.width === 360) await page.getByRole('button', { name: 'More' }).press('Enter');
      await page.getByRole('link', { name: 'Administration' }).press('Enter');
      await page.waitForURL(/\/usage$/);
      await page.locator('h1:focus', { hasText: 'Usage' }).waitFor();
      const tabs = page.getByRole('navigation', { name: 'Administration' });
      await expectSoon(() => tabs.getByRole('link', { name: 'Usage' }).getAttribute('aria-current')).toBe(
        'page',
      );
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await tabs.getByRole('link', { name: 'Unclaimed SMS' }).press('Enter');
      await page.locator('h1:focus', { hasText: 'Unclaimed SMS' }).waitFor();
      await expectSoon(() =>
        tabs.getByRole('link', { name: 'Usage' }).getAttribute('aria-current'),
      ).toBeNull();
      await page.goBack();
      await page.locator('h1', { hasText: 'Usage' }).waitFor();
      await portal.leave(page);
    }
  });

  test('[PORT-5] The account opens over the page, leads to its own pages, and gives the focus back when it closes', async () => {
    const page = await portal.visit('/send');
    const account = page.getByRole('button', { name: portal.demo.username });
    await account.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Your account' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: portal.demo.username }).waitFor();
    await account.press('Enter');
    await dialog.getByRole('link', { name: 'Security' }).press('Enter');
    await page.locator('h1:focus', { hasText: 'Where you are signed in' }).waitFor();
    const tabs = page.getByRole('navigation', { name: 'Your account' });
    await tabs.getByRole('link', { name: 'API keys' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await expectSoon(() => tabs.getByRole('link').allTextContents()).toEqual(['API keys', 'Security']);
  });

  test('[PORT-5] Beside Conversations stands how many are unread, which changes as answers come, on a phone too', async () => {
    const wide = await portal.visit('/people');
    const narrow = await portal.visit('/people', { width: 360 });
    await expectSoon(() => narrow.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
      'Start',
      'Jobs',
      'Send',
      'Answers',
    ]);
    for (const [count, from] of [
      [1, '46701740651'],
      [2, '46701740652'],
    ] as const) {
      const answer = ['--to', '46701740605', '--from', from, '--text', 'Yes, I can'];
      expect((await portal.demo.app.run('simulate', 'incoming', ...answer)).exitCode).toBe(0);
      await wide.getByRole('link', { name: `Conversations ${count} unread` }).waitFor();
      await narrow.getByRole('link', { name: `Answers ${count} unread` }).waitFor();
    }
    expect(await barriersOf(narrow)).toEqual([]);
    await wide.getByRole('link', { name: 'Conversations 2 unread' }).click();
    await wide.getByRole('link', { name: /06 52/ }).click();
    await narrow.getByRole('link', { name: 'Answers 1 unread' }).waitFor();
  });

  test('[PORT-5] A user without the role for a page is told which role it takes and who can give it, and finds usage in the own account', async () => {
    const nurse = { username: 'nurse', password: 'the password of a nurse' };
    const applied = await portal.demo.app.apply(
      `companies: [{ name: Demo, users: [{ username: ${nurse.username}, password: ${nurse.password}, roles: [send] }] }]`,
    );
    expect([applied.exitCode, applied.stderr]).toEqual([0, '']);
    const page = await portal.visit('/unrouted', { as: 'nobody' });
    await portal.signIn(page.context(), nurse);
    await page.reload();
    await page.getByText('This page needs the role Administrator, which you don’t have.').waitFor();
    await page.getByText('An administrator of your company can give it to you: demo.').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await expectSoon(() => page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await page.getByRole('button', { name: nurse.username }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Usage' }).click();
    const tabs = page.getByRole('navigation', { name: 'Your account' });
    await tabs.getByRole('link', { name: 'Usage' }).waitFor();
    await expectSoon(() => tabs.getByRole('link').allTextContents()).toEqual([
      'Usage',
      'Webhooks',
      'API keys',
      'Security',
    ]);
    await page.goto(`${portal.demo.app.baseUrl}/portal/admin`);
    await page.getByText('the role Administrator or E-mail senders').waitFor();
  });

  test('[PORT-5] The frame of the portal has no accessibility barriers, in either theme and language, at any width', async () => {
    const appearances = [
      { width: 360, theme: 'light', language: 'sv' },
      { width: 768, theme: 'dark', language: 'en' },
      { width: 1280, theme: 'light', language: 'en' },
      { width: 2560, theme: 'dark', language: 'sv' },
    ] as const;
    for (const as of ['demo', 'nobody'] as const)
      for await (const page of portal.pages(['/'], appearances, as)) {
        expect(await barriersOf(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
      }
  });

  test('[PORT-1] A page that does not exist says so, in the frame of the portal', async () => {
    const page = await portal.visit('/nowhere/at/all');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to Start' }).click();
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
  });

  test.each([
    ['en', 'Sign in'],
    ['sv', 'Logga in'],
  ] as const)(
    '[PORT-1] In %s the first screen of the portal weighs less than 130 kB compressed, and all pages together less than 300 kB',
    async (language, signIn) => {
      const page = await portal.visit('/', { as: 'nobody', isFirst: true, language });
      const loaded = new Set<string>();
      page.on('request', (request) => loaded.add(request.url().split('/assets/')[1] ?? ''));
      await page.reload();
      await page.getByRole('heading', { name: signIn }).waitFor();
      await portal.signIn(page.context());
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
      loaded.delete('');
      const files = filesOfPages(language);
      const sum = (names: Iterable<string>) =>
        [...names].reduce((total, name) => total + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0);
      expect([...loaded]).toContainEqual(expect.stringMatching(/\.js$/));
      expect([...files.keys()]).toEqual(expect.arrayContaining([...loaded]));
      expect(sum(loaded)).toBeLessThan(130_000);
      expect(sum(files.keys())).toBeLessThan(300_000);
    },
  );
});
