/** Second factors at sign-in: what is asked for, what is taken, and that nothing is taken twice. */
import { generateSync } from 'otplib/functional';
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

const factors = '/portal/api/factors';
const stepPath = '/portal/api/session/factor';
const stepMs = 30_000;

/** The code that an app shows, some steps from now. */
function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor((Date.now() + steps * stepMs) / 1_000) });
}

/** Sets up an app with the present code, which stays right if its time ends on the way. The next code is taken after that. */
async function enrol(session: BrowserSession) {
  const { secret, token } = (await session.post(`${factors}/codes/setup`, {})).body as Record<string, string>;
  const added = await session.post(`${factors}/codes`, { token, code: codeOf(secret ?? '') });
  expect(added.status).toBe(200);
  return { secret: secret ?? '', recoveryCodes: added.body.recoveryCodes as readonly string[] };
}

describe('a second factor', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
  });
  afterAll(() => app?.close());

  const asked = async (who: object) => {
    const answer = await app.as().post('/portal/api/session', who, ownPage);
    expect([answer.status, cookieOf(answer)]).toEqual([200, '']);
    return answer.body.lacking as { readonly token: string; readonly asks: object };
  };
  const give = (token: string, code: string) => app.as().post(stepPath, { token, code }, ownPage);

  test('[PORT-12] [AUTH-10] Once codes are set up, a password alone begins no session, and each code begins one at most', async () => {
    const session = await beginSession(app, alice);
    const elsewhere = await beginSession(app, alice);
    const { secret, recoveryCodes } = await enrol(session);
    expect(recoveryCodes).toHaveLength(10);
    // Whoever is signed in elsewhere has given a password only.
    expect([await session.status(), await elsewhere.status()]).toEqual([200, 401]);
    const { token, asks } = await asked(alice);
    expect(asks).toMatchObject({ codes: true });
    expect((await give(token, '000000')).body).toMatchObject({
      code: 'invalid_value',
      errors: [{ field: 'code' }],
    });
    const code = codeOf(secret, 1);
    const entered = await give(token, code);
    expect(entered.status).toBe(200);
    expect(await sessionOf(app, entered).status()).toBe(200);
    // What was asked for has begun its session, and so has the code.
    const [recovery = '', second = ''] = recoveryCodes;
    expect((await give(token, second)).status).toBe(400);
    expect((await give((await asked(alice)).token, code)).status).toBe(400);
    const typed = ` ${recovery.toUpperCase().replace('-', ' ')}`;
    expect((await give((await asked(alice)).token, typed)).status).toBe(200);
    expect((await give((await asked(alice)).token, recovery)).status).toBe(400);
    expect((await session.get(factors)).body).toMatchObject({ recoveryCodes: 9 });
    // Programs go on as before.
    expect((await app.as(alice).get('/api/v1/messages')).status).toBe(200);
  });

  test('[PORT-12] A link asks for the second factor too, and works until it is given', async () => {
    const session = await beginSession(app, bob);
    const { secret, recoveryCodes } = await enrol(session);
    const made = await app.run('user', 'link', 'bob');
    const link = made.stdout.trim().split('#')[1] ?? '';
    const opened = await app.as().post('/portal/api/session/link', { token: link }, ownPage);
    expect([opened.status, cookieOf(opened)]).toEqual([200, '']);
    expect(opened.body).toMatchObject({ lacking: { asks: { codes: true } } });
    expect((await give(link, '123456')).status).toBe(400);
    const entered = await give(link, codeOf(secret, 1));
    expect(entered.status).toBe(200);
    expect((await sessionOf(app, entered).get('/portal/api/session')).body).toMatchObject({
      username: 'bob',
    });
    expect((await give(link, recoveryCodes[0] ?? '')).status).toBe(401);
  });

  test('[PORT-12] A factor is added only with a recent password, and removed only with a recent factor, which is asked for again', async () => {
    const carol = { username: 'carol', password: "carol's long password" };
    const begun = await beginSession(app, carol);
    const { secret, recoveryCodes } = await enrol(begun);
    const [first = '', second = ''] = recoveryCodes;
    const entered = await give((await asked(carol)).token, first);
    const session = sessionOf(app, entered);
    // The password counts for much, but not for the factors themselves.
    const withPassword = await session.post('/portal/api/session/confirm', { password: carol.password });
    expect([
      withPassword.status,
      (await session.post('/portal/api/session/confirm', { password: 'x' })).status,
    ]).toEqual([200, 400]);
    const renewed = await session.post(`${factors}/recovery-codes`, {});
    expect(renewed.body.recoveryCodes).toHaveLength(10);
    expect((await session.post('/portal/api/session/confirm', { code: second })).status).toBe(400);
    const confirmed = await session.post('/portal/api/session/confirm', { code: codeOf(secret, 1) });
    expect(confirmed.status).toBe(200);
    const fresh = sessionOf(app, confirmed);
    expect((await fresh.delete(`${factors}/codes`)).status).toBe(200);
    expect((await fresh.get(factors)).body).toEqual({ passkeys: [], recoveryCodes: 0 });
    expect((await beginSession(app, carol)).begun.body).toMatchObject({ username: 'carol' });
    expect(app.stderr).toContain('"event":"factor_added"');
    expect(app.stderr).toContain('"event":"factor_removed"');
  });

  test('[PORT-12] A session without a required factor can only set one up, from the next call on, and the last factor stays', async () => {
    const ofAll = standardProvisioning.replace(
      'name: Nordic Care',
      'name: Nordic Care\n    secondFactor: everyone',
    );
    const fresh = await startWholeApp({ engine: 'sqlite', provisioning: standardProvisioning });
    try {
      const session = await beginSession(fresh, alice);
      expect((await session.get('/api/v1/messages')).status).toBe(200);
      expect((await fresh.apply(ofAll)).stderr).toBe('');
      await until(async () => (await session.get('/api/v1/messages')).status === 403);
      expect((await session.get('/api/v1/messages')).body.code).toBe('factor_missing');
      expect((await session.get('/portal/api/sessions')).body.code).toBe('factor_missing');
      expect((await session.get('/portal/api/session')).body).toMatchObject({ factorMissing: true });
      const { secret } = await enrol(session);
      expect((await session.get('/portal/api/session')).body).toMatchObject({ factorMissing: false });
      expect((await session.get('/api/v1/messages')).status).toBe(200);
      expect((await session.delete(`${factors}/codes`)).body.code).toBe('in_use');
      expect(secret).toHaveLength(32);
      // Programs are not asked.
      expect((await fresh.as(bob).get('/api/v1/messages')).status).toBe(200);
      const shown = await fresh.run('user', 'factors', 'alice', '--json');
      expect(JSON.parse(shown.stdout)).toMatchObject({ codesOfAnApp: true, recoveryCodes: 10 });
      const removed = await fresh.run('user', 'factors', 'alice', '--remove');
      expect([removed.exitCode, removed.stderr]).toEqual([0, '']);
      await until(async () => (await session.status()) === 401);
      expect((await beginSession(fresh, alice)).begun.body).toMatchObject({ factorMissing: true });
      expect((await fresh.run('user', 'factors', 'alice', '--remove')).stdout).toContain('no second factor');
    } finally {
      await fresh.close();
    }
  });

  test('[PORT-12] [AUTH-10] Another administrator removes a lost factor, but nobody the own, and it is audited', async () => {
    const kim = { username: 'kim.admin', password: 'a password of kim' };
    const lee = { username: 'lee.admin', password: 'a password of lee' };
    const admins = [kim, lee].map(
      ({ username, password }) => `{ username: ${username}, password: ${password}, roles: [companyAdmin] }`,
    );
    expect((await app.apply(`companies: [{ name: Nordic Care, users: [${admins}] }]`)).stderr).toBe('');
    const session = await beginSession(app, kim);
    await enrol(session);
    const users = (await app.as(lee).get('/api/v1/users')).body.users as readonly Record<string, string>[];
    const id = users.find(({ username }) => username === kim.username)?.id;
    const reset = (who: { readonly username: string; readonly password: string }) =>
      app.as(who).request('DELETE', `/api/v1/users/${id}/factors`);
    expect((await reset(kim)).body.code).toBe('own_factors');
    expect((await reset(alice)).body.code).toBe('role_missing');
    expect((await reset(lee)).body).toEqual({ username: kim.username, removed: true });
    expect((await reset(lee)).body).toEqual({ username: kim.username, removed: false });
    expect(await session.status()).toBe(401);
    expect((await beginSession(app, kim)).begun.body).toMatchObject({ username: kim.username });
    const { entries } = (await app.as(lee).get('/api/v1/audit', 'act=factor.reset')).body;
    expect(entries).toMatchObject([{ username: lee.username, object: kim.username }]);
  });
});
