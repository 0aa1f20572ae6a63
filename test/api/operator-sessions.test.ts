/** Tests how operators sign in to the portal and out of it, and that nobody but them makes their calls. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOperatorEndpoints } from '../../scripts/docs/generated-documents.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  type BrowserSession,
  beginSession,
  cookieOf,
  ownPage,
  sessionOf,
} from '../harness/browser-session.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const path = '/portal/api/operator/session';
const companies = '/api/v1/operator/companies';
const olle = { username: 'olle', password: "olle's long password" };
/** Has the name of a user. */
const both = { username: 'alice', password: 'the password of operator alice' };
const newPassword = 'another long password';
const provisioning = `${standardProvisioning}operators:
  - { username: olle, password: "${olle.password}" }
  - { username: alice, password: "${both.password}" }
`;
/** The password stays as it is, and is no longer set by the file. */
const withoutPasswords = `${standardProvisioning}operators:
  - { username: olle }
  - { username: alice }
`;

const signIn = (app: Pick<WholeApp, 'as'>, who: object) => beginSession(app, who, path);
const statusOf = async (session: BrowserSession) => (await session.get(path)).status;

describe('a session of an operator', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const auditOf = async () => {
    const { stdout } = await app.run('audit', '--json');
    return JSON.parse(stdout) as { act: string; channel: string; username: string; company: string }[];
  };

  test('[PORT-3] [PORT-2] An operator signs in with a password, and gets a cookie of their own that no script reads', async () => {
    const session = await signIn(app, olle);
    expect(session.begun.status).toBe(200);
    expect(session.begun.headers.get('set-cookie')).toMatch(
      /^carillon-operator=[\w-]{43}\.[\w-]{16}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await session.get(path)).body).toMatchObject({
      username: 'olle',
      readsTexts: false,
      passwordManaged: true,
    });
    expect((await session.get(companies)).body.companies).toMatchObject([{ name: 'Nordic Care', users: 3 }]);
    expect(await auditOf()).toContainEqual(
      expect.objectContaining({ act: 'session.begin', channel: 'operator', username: 'olle', company: '' }),
    );
  });

  test('[PORT-3] [AUTH-6] An unknown name and a wrong password of an operator get the same answer, and are limited', async () => {
    const tried = (username: string) =>
      app.as().post(path, { username, password: 'not the right one' }, ownPage);
    const [unknown, wrong] = [await tried('nobody'), await tried('olle')];
    expect([unknown.status, wrong.status, cookieOf(wrong)]).toEqual([401, 401, '']);
    expect(unknown.body).toEqual(wrong.body);
    expect(app.stderr).toMatch(/"event":"login_failed"[^\n]*"operator":"olle"/);
    for (let times = 1; times < 8; times += 1) expect((await tried('anna')).status).toBe(401);
    expect([(await tried('anna')).status, (await tried('anna')).status]).toEqual([401, 429]);
    // The user of the same name has an allowance of its own.
    for (let times = 0; times < 8; times += 1) expect((await tried('bob')).status).toBe(401);
    expect((await app.as(bob).get('/api/v1/messages')).status).toBe(200);
  });

  test('[PORT-3] A user and an operator of the same name are two, and each signs in at a place of their own', async () => {
    const [user, operator] = [await beginSession(app, alice), await signIn(app, both)];
    expect([user.begun.status, operator.begun.status]).toEqual([200, 200]);
    expect((await beginSession(app, both)).begun.status).toBe(401);
    expect((await signIn(app, alice)).begun.status).toBe(401);
    expect((await user.get('/portal/api/session')).body).toMatchObject({ company: { name: 'Nordic Care' } });
    // One browser keeps both.
    const cookie = `${user.cookie}; ${operator.cookie}`;
    const browser = sessionOf(app, user.begun, cookie);
    expect([await browser.status(), await statusOf(browser)]).toEqual([200, 200]);
  });

  test('[PORT-3] No call of operators is answered for a stranger, a user’s password, session or key', async () => {
    const user = await beginSession(app, alice);
    const key = String((await app.as(alice).get('/authentication/auth/apikey', { name: 'own' })).body);
    const stolen = sessionOf(app, user.begun, user.cookie.replace('carillon=', 'carillon-operator='));
    const calls = allOperatorEndpoints.flatMap(({ path, methods }) =>
      methods.map((method) => ({ method, path: path.replaceAll(/\{\w+\}/g, '1') })),
    );
    expect(calls.length).toBeGreaterThan(3);
    for (const { method, path } of calls) {
      // A page of this server sends it; what a page of another site could send is refused before the credentials are looked at.
      const call = (as: Parameters<typeof app.as>[0], more: Record<string, string> = {}) =>
        app.as(as).request(method, path, {
          headers: { ...ownPage, 'content-type': 'application/json', ...more },
          ...(method !== 'GET' && { body: '{}' }),
        });
      const answers = [
        await call(undefined),
        await call(alice),
        await call(both),
        await call(undefined, { 'x-api-key': key }),
        await call(undefined, { cookie: user.cookie }),
        await call(undefined, { cookie: stolen.cookie }),
      ];
      const statuses = answers.map(({ status }) => status);
      // What asks for a password of a browser would send it to each call.
      const asking = answers.map(({ headers }) => headers.get('www-authenticate'));
      expect([path, ...statuses]).toEqual([path, 401, 401, 401, 401, 401, 401]);
      expect(new Set(asking)).toEqual(new Set(['Session']));
    }
  });

  test('[PORT-3] An operator’s session makes no call of users, and neither does an operator’s password', async () => {
    const operator = await signIn(app, olle);
    const asUser = sessionOf(app, operator.begun, operator.cookie.replace('carillon-operator=', 'carillon='));
    for (const own of ['/api/v1/messages', '/restsms/svcrest/status', '/portal/api/session']) {
      expect([own, (await operator.get(own)).status]).toEqual([own, 401]);
      expect([own, (await asUser.get(own)).status]).toEqual([own, 401]);
      expect([own, (await app.as(olle).get(own)).status]).toEqual([own, 401]);
    }
  });

  test('[PORT-3] [PORT-2] Another site’s page can neither use an operator’s session nor begin one', async () => {
    const { cookie } = await signIn(app, olle);
    const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' };
    const read = await app.as().get(companies, '', { ...elsewhere, cookie });
    const out = await app.as().request('DELETE', path, { headers: { ...elsewhere, cookie } });
    const begun = await app.as().post(path, olle, elsewhere);
    expect([read, out, begun].map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([403, 'cross_site']),
    );
    expect(cookieOf(begun)).toBe('');
  });

  test('[PORT-3] [PORT-2] A page that was made for another operator is refused', async () => {
    const session = await signIn(app, olle);
    const refused = await session.get(companies, '', { 'x-portal-user': 'alice' });
    expect([refused.status, refused.body.code]).toEqual([409, 'other_session']);
    expect((await session.get(companies, '', { 'x-portal-user': 'olle' })).status).toBe(200);
  });

  test('[PORT-3] [PORT-2] An operator ends sessions by signing out, or in the list', async () => {
    const [own, other] = [await signIn(app, olle), await signIn(app, olle)];
    const out = await other.delete(path);
    expect([out.body, out.headers.get('set-cookie')]).toEqual([
      { ended: 1 },
      expect.stringContaining('Max-Age=0'),
    ]);
    expect([await statusOf(own), await statusOf(other)]).toEqual([200, 401]);
    const { sessions } = (await own.get('/portal/api/operator/sessions')).body;
    const [current, ...others] = sessions.toSorted((a: { current: boolean }) => (a.current ? -1 : 1));
    expect([current.current, others.some((one: { current: boolean }) => one.current)]).toEqual([true, false]);
    expect((await own.delete('/portal/api/operator/sessions')).body).toEqual({ ended: others.length });
    expect((await own.delete(`/portal/api/operator/sessions/${current.id}`)).body).toEqual({ ended: 1 });
    expect(await statusOf(own)).toBe(401);
  });

  test('[PORT-3] [PORT-2] An operator’s own new password ends all other sessions; one that the file sets stays', async () => {
    const [own, other] = [await signIn(app, olle), await signIn(app, olle)];
    const change = { current: olle.password, password: newPassword };
    expect(await own.post('/portal/api/operator/password', change)).toMatchObject({
      status: 409,
      body: { code: 'managed' },
    });
    expect((await app.apply(withoutPasswords)).stderr).toBe('');
    expect(
      await own.post('/portal/api/operator/password', { ...change, current: 'wrong one' }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'current' }] },
    });
    const set = await own.post('/portal/api/operator/password', change);
    expect(set.status).toBe(200);
    expect([await statusOf(own), await statusOf(other)]).toEqual([401, 401]);
    expect(await statusOf(sessionOf(app, set))).toBe(200);
    expect((await signIn(app, olle)).begun.status).toBe(401);
    expect((await signIn(app, { ...olle, password: newPassword })).begun.status).toBe(200);
  });

  test('[PORT-3] [PORT-2] A session ends with the operator, and does not come back with one of the same name', async () => {
    const session = await signIn(app, { ...olle, password: newPassword });
    const removed = `${standardProvisioning}operators: [{ username: olle, remove: true }]\n`;
    expect((await app.apply(removed)).stderr).toBe('');
    expect(await statusOf(session)).toBe(401);
    await app.apply(provisioning.replace(olle.password, newPassword));
    expect(await statusOf(session)).toBe(401);
    await until(async () => (await signIn(app, { ...olle, password: newPassword })).begun.status === 200);
  });
});

describeTwoNodes('operators', provisioning, (nodes) => {
  test('[PORT-3] [PORT-2] An operator who signs out at one node is signed out at every node', async () => {
    const { first, second } = nodes;
    const session = await signIn(first, olle);
    const there = sessionOf(second, session.begun);
    expect([await statusOf(session), await statusOf(there)]).toEqual([200, 200]);
    await session.delete(path);
    expect(await statusOf(there)).toBe(401);
  });
});
