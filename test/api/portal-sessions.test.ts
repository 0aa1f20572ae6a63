/** Tests signing in to the portal and out of it: what a session gives access to, and what ends it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  type BrowserSession,
  beginSession,
  cookieOf,
  ownPage,
  sessionOf,
} from '../harness/browser-session.ts';
import { sendPath, statusPath } from '../harness/messaging.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const sessionPath = '/portal/api/session';
const newPassword = 'another long password';
const anotherPassword = 'yet another long password';
/** The file of an operator who lets a user choose another password; the current one stays until then. */
const withoutPasswordOf = (username: string) =>
  standardProvisioning.replace(`password: "${username}'s long password", `, '');

describe('a session of the portal', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  });
  afterAll(() => app?.close());

  test('[PORT-2] Signing in with a password sets a cookie that no script reads, and the session shows who is signed in', async () => {
    const session = await beginSession(app, alice);
    expect(session.begun.status).toBe(200);
    expect(session.begun.headers.get('set-cookie')).toMatch(
      /^carillon=[\w-]{43}\.[\w-]{16}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await session.get(sessionPath)).body).toMatchObject({
      username: 'alice',
      company: { name: 'Nordic Care', language: 'en', hasSimulator: true },
      roles: ['send'],
      replaceCharacters: false,
      passwordNeeded: false,
      hasSmppServer: false,
    });
    const again = await beginSession(app, alice);
    expect(again.cookie).not.toBe(session.cookie);
  });

  test('[PORT-5] A session tells whether a route of its company leads to a simulator, and names the administrators of the company only', async () => {
    const erin = { username: 'erin', password: 'a password of erin' };
    const elsewhere = `
  - name: Elsewhere
    users:
      - { username: erin, password: a password of erin, roles: [send], replaceCharacters: true }
      - { username: per.admin, password: a password of per, roles: [companyAdmin] }
      - { username: kim.admin, password: a password of kim, roles: [companyAdmin], active: false }
carriers:`;
    const limited = standardProvisioning
      .replace('\ncarriers:', elsewhere)
      .replace('carriers: [sim] }', 'carriers: [sim], users: [alice, bob] }');
    expect((await app.apply(limited)).stderr).toBe('');
    const [own, other] = [await beginSession(app, alice), await beginSession(app, erin)];
    expect((await own.get(sessionPath)).body.company).toMatchObject({ hasSimulator: true });
    expect((await other.get(sessionPath)).body).toMatchObject({
      company: { name: 'Elsewhere', hasSimulator: false },
      replaceCharacters: true,
    });
    const administratorsOf = async (session: BrowserSession) =>
      (await session.get('/portal/api/administrators')).body;
    expect(await administratorsOf(own)).toEqual({ administrators: [] });
    expect(await administratorsOf(other)).toEqual({ administrators: ['per.admin'] });
    expect((await app.apply(standardProvisioning)).exitCode).toBe(0);
  });

  test('[PORT-2] [AUTH-6] The portal refuses a wrong password or a missing session without opening the browser’s login window', async () => {
    const wrong = await app.as().post(sessionPath, { username: 'bob', password: 'not it' }, ownPage);
    expect([wrong.status, wrong.headers.get('www-authenticate'), cookieOf(wrong)]).toEqual([
      401,
      'Session',
      '',
    ]);
    const page = await app.as().get('/api/v1/messages', '', ownPage);
    expect([page.status, page.headers.get('www-authenticate')]).toEqual([401, 'Session']);
    const program = await app.as().get('/api/v1/messages');
    expect(program.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  test('[PORT-2] A portal call without a cookie is refused with a hint that the browser may keep none', async () => {
    const answer = await app.as().get(sessionPath, '', ownPage);
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorised' } });
    expect(answer.body.error).toContain('blocks cookies');
  });

  test('[PORT-2] A portal session opens the management API, but neither the messaging API nor the API keys', async () => {
    const session = await beginSession(app, alice);
    expect((await session.get('/api/v1/messages')).status).toBe(200);
    expect((await session.get(statusPath)).status).toBe(401);
    expect((await session.post(sendPath, { to: ['46701740655'], message: 'x' })).status).toBe(401);
    expect((await session.get('/authentication/auth/apikey', { name: 'x' })).status).toBe(401);
    // Signing in requires the password again.
    expect((await session.post(sessionPath, {})).status).toBe(401);
  });

  test('[PORT-2] A portal session refuses calls from a page that was made for another user', async () => {
    const session = await beginSession(app, alice);
    const shownTo = (username: string) => ({ 'x-portal-user': encodeURIComponent(username) });
    for (const times of [1, 2]) {
      expect([times, (await session.get('/api/v1/messages', '', shownTo('alice'))).status]).toEqual([
        times,
        200,
      ]);
      const refused = await session.post('/api/v1/messages/1/cancel', {}, shownTo('bob'));
      expect([refused.status, refused.body.code]).toEqual([409, 'other_session']);
    }
  });

  test('[PORT-2] [AUTH-2] Credentials that a call names take precedence over the portal session', async () => {
    const session = await beginSession(app, alice);
    const basic = `Basic ${Buffer.from(`carol:carol's long password`).toString('base64')}`;
    // A user without a role is refused.
    expect((await session.get('/api/v1/messages', '', { authorization: basic })).status).toBe(403);
    const key = String((await app.as(bob).get('/authentication/auth/apikey', { name: 'own' })).body);
    expect((await session.post('/api/v1/messages/1/cancel', { apikey: 'wrong' })).status).toBe(401);
    expect((await session.post('/api/v1/messages/1/cancel', { apikey: key })).status).toBe(404);
  });

  test('[PORT-2] A portal session ends when its user signs out, there or from the list of sessions', async () => {
    const [own, other, third] = (await Promise.all([1, 2, 3].map(() => beginSession(app, bob)))) as [
      BrowserSession,
      BrowserSession,
      BrowserSession,
    ];
    const { sessions } = (await own.get('/portal/api/sessions')).body;
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const out = await other.delete(sessionPath);
    expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect([await own.status(), await other.status(), await third.status()]).toEqual([200, 401, 200]);
    expect((await own.delete('/portal/api/sessions')).body).toEqual({ ended: 1 });
    expect([await own.status(), await third.status()]).toEqual([200, 401]);
    const [{ id }] = (await own.get('/portal/api/sessions')).body.sessions;
    const stranger = await beginSession(app, alice);
    expect((await stranger.delete(`/portal/api/sessions/${id}`)).status).toBe(404);
    expect((await own.delete(`/portal/api/sessions/${id}`)).body).toEqual({ ended: 1 });
    expect(await own.status()).toBe(401);
  });

  test('[PORT-6] A password that the provisioning file has set cannot be changed in the portal', async () => {
    const session = await beginSession(app, alice);
    expect(session.begun.body).toMatchObject({ passwordManaged: true });
    const set = await session.post('/portal/api/password', {
      current: alice.password,
      password: newPassword,
    });
    expect(set).toMatchObject({ status: 409, body: { code: 'managed' } });
    const { stdout } = await app.run('user', 'link', 'alice');
    const token = stdout.trim().split('#')[1];
    const byLink = await beginSession(app, { token }, `${sessionPath}/link`);
    expect(byLink.begun.body).toMatchObject({ passwordNeeded: false, passwordManaged: true });
    expect(await session.status()).toBe(200);
  });

  test('[PORT-2] A portal session ends when its account is closed or gains a role, but not when it loses one', async () => {
    const session = await beginSession(app, alice);
    const withRoles = (roles: string) =>
      standardProvisioning.replace('long password", roles: [send]', `long password", roles: [${roles}]`);
    await app.apply(withRoles('send, jobs'));
    await until(async () => (await session.status()) === 401);
    const later = await beginSession(app, alice);
    expect(later.begun.body.roles).toEqual(['send', 'jobs']);
    await app.apply(withRoles('jobs'));
    await until(async () => (await later.get(sessionPath)).body.roles?.join() === 'jobs');
    expect((await later.post('/api/v1/send', { to: ['46701740655'], message: 'x' })).status).toBe(403);
    await app.apply(withRoles('jobs], active: false, senders: [Alice'));
    await until(async () => (await later.status()) === 401);
    expect((await beginSession(app, alice)).begun.status).toBe(401);
  });
});

describe('a link that signs in', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite' });
  });
  afterAll(() => app?.close());

  /** Uses the password that the first of these tests sets. */
  const demo = { username: 'demo', password: newPassword };
  const open = (link: string) => beginSession(app, { token: link.split('#')[1] }, `${sessionPath}/link`);

  test('[PORT-2] [RUN-1] The first start prints a sign-in link, which works once and asks for a password', async () => {
    await until(() => app.stdout.includes('/portal/link#'));
    const link = /http\S+\/portal\/link#\S+/.exec(app.stdout)?.[0] ?? '';
    expect(link.startsWith(`${app.baseUrl}/portal/link#`)).toBe(true);
    const session = await open(link);
    expect(session.begun.body).toMatchObject({ username: 'demo', passwordNeeded: true });
    expect((await open(link)).begun).toMatchObject({ status: 401, body: { code: 'unauthorised' } });
    const set = await session.post('/portal/api/password', { password: newPassword });
    expect(set.body).toMatchObject({ passwordNeeded: false });
    expect(await session.status()).toBe(401);
    expect((await sessionOf(app, set).get(sessionPath)).body).toMatchObject({ passwordNeeded: false });
  });

  test('[PORT-2] [PORT-7] Changing a password ends all sessions of its user, and the session that changed it is replaced by a new one', async () => {
    const before = await beginSession(app, demo);
    const other = await beginSession(app, demo);
    const set = (body: object) => before.post('/portal/api/password', body);
    expect(await set({ current: 'wrong', password: anotherPassword })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'current' }] },
    });
    expect(await set({ password: anotherPassword })).toMatchObject({ status: 400 });
    expect(await set({ current: newPassword, password: 'short' })).toMatchObject({ status: 400 });
    const done = await set({ current: newPassword, password: anotherPassword });
    expect(done.status).toBe(200);
    expect([await before.status(), await other.status()]).toEqual([401, 401]);
    const own = sessionOf(app, done);
    expect(await own.status()).toBe(200);
    expect((await beginSession(app, demo)).begun.status).toBe(401);
    expect((await beginSession(app, { ...demo, password: anotherPassword })).begun.status).toBe(200);
    const { entries } = (await own.get('/api/v1/audit')).body;
    expect(entries[1]).toMatchObject({ act: 'password.set', username: 'demo', channel: 'portal' });
  });

  test('[PORT-2] [PORT-7] A command makes a sign-in link, which replaces the previous link', async () => {
    const make = async () => (await app.run('user', 'link', 'demo')).stdout.trim();
    const [first, second] = [await make(), await make()];
    expect((await open(first)).begun.status).toBe(401);
    expect((await open(`${second.slice(0, -1)}${second.endsWith('A') ? 'B' : 'A'}`)).begun.status).toBe(401);
    const byLink = await open(second);
    expect(byLink.begun.status).toBe(200);
    expect(await app.run('user', 'link', 'nobody')).toMatchObject({ exitCode: 1 });
    const { entries } = (await byLink.get('/api/v1/audit')).body;
    expect(entries.slice(0, 2)).toMatchObject([
      { act: 'session.begin', username: 'demo', channel: 'portal', details: 'by a link' },
      { act: 'user.link', channel: 'command', object: 'demo' },
    ]);
    expect(entries[1]).not.toHaveProperty('username');
    expect(app.stderr).toContain('"event":"link_made"');
    expect(app.stderr).not.toContain(second.split('#')[1]);
  });
});

describeTwoNodes('a session', standardProvisioning, (nodes) => {
  test('[PORT-2] A portal session is valid at each node, and once it ends, it has ended at each', async () => {
    const { first, second } = nodes;
    await first.apply(withoutPasswordOf('alice'));
    const signedIn = async () => {
      const here = await beginSession(first, alice);
      const there = sessionOf(second, here.begun);
      expect([await here.status(), await there.status()]).toEqual([200, 200]);
      return { here, there };
    };
    const { here, there } = await signedIn();
    expect((await there.get('/portal/api/sessions')).body.sessions).toMatchObject([{ current: true }]);
    await here.delete(sessionPath);
    expect(await here.status()).toBe(401);
    await until(async () => (await there.status()) === 401);
    const other = await signedIn();
    const link = (await first.run('user', 'link', 'alice')).stdout.trim();
    const byLink = await beginSession(second, { token: link.split('#')[1] }, `${sessionPath}/link`);
    expect(byLink.begun.status).toBe(200);
    await other.there.post('/portal/api/password', { current: alice.password, password: newPassword });
    expect(await other.there.status()).toBe(401);
    await until(async () => (await other.here.status()) === 401);
  });
});
