/** Second factors of operators: what is asked for after the password, and that no call leads around it. */
import { generateSync } from 'otplib/functional';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import {
  type BrowserSession,
  beginSession,
  cookieOf,
  ownPage,
  sessionOf,
} from '../harness/browser-session.ts';

const path = '/portal/api/operator/session';
const factors = '/portal/api/operator/factors';
const companies = '/api/v1/operator/companies';
const olle = { username: 'olle', password: "olle's long password" };
/** Has the name of a user. */
const both = { username: 'alice', password: 'the password of operator alice' };
const provisioning = `${standardProvisioning}operators:
  - { username: olle, password: "${olle.password}" }
  - { username: alice, password: "${both.password}" }
`;

/** The code that an app shows, some steps from now. */
function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
}

async function enrol(session: BrowserSession, at = factors) {
  const { secret = '', token } = (await session.post(`${at}/codes/setup`, {})).body as Record<string, string>;
  const added = await session.post(`${at}/codes`, { token, code: codeOf(secret) });
  expect(added.status).toBe(200);
  return { secret, recoveryCodes: added.body.recoveryCodes as readonly string[] };
}

describe('a second factor of an operator', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const signIn = (who: object) => beginSession(app, who, path);
  const asked = async (who: object): Promise<string> => {
    const answer = await app.as().post(path, who, ownPage);
    expect([answer.status, cookieOf(answer)]).toEqual([200, '']);
    expect(answer.body.lacking.asks).toEqual({ codes: true });
    return answer.body.lacking.token;
  };
  const give = (token: string, code: string, at = `${path}/factor`) =>
    app.as().post(at, { token, code }, ownPage);

  test('[PORT-12] [PORT-3] Once codes are set up, an operator’s password begins no session, and no other call begins one or is answered', async () => {
    const [session, elsewhere] = [await signIn(olle), await signIn(olle)];
    const { secret, recoveryCodes } = await enrol(session);
    expect([(await session.get(path)).status, (await elsewhere.get(path)).status]).toEqual([200, 401]);
    const token = await asked(olle);
    // What the password left is no session, and nothing for a user.
    for (const cookie of [`carillon-operator=${token}`, `carillon=${token}`])
      for (const call of [path, companies, factors, '/portal/api/session'])
        expect((await app.as().get(call, '', { ...ownPage, cookie })).status).toBe(401);
    expect((await give(token, codeOf(secret, 1), '/portal/api/session/factor')).status).toBe(401);
    expect((await give(token, '000000')).body).toMatchObject({ errors: [{ field: 'code' }] });
    expect((await give('made up', codeOf(secret, 1))).status).toBe(401);
    const code = codeOf(secret, 1);
    const entered = await give(token, code);
    expect(entered.status).toBe(200);
    expect((await sessionOf(app, entered).get(companies)).status).toBe(200);
    const [first = '', second = ''] = recoveryCodes;
    // Neither the code nor what was left begins another one.
    expect((await give(token, first)).status).toBe(400);
    expect((await give(await asked(olle), code)).status).toBe(400);
    const tokens = [await asked(olle), await asked(olle)];
    const begun = await Promise.all(tokens.map((one) => give(one, second)));
    expect(begun.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(app.stderr).toMatch(/"operator":"olle","event":"login_failed","method":"factor"/);
    expect(app.stderr).toMatch(/"event":"factor_added"[^\n]*"operator":"olle"/);
  });

  test('[PORT-12] An operator confirms with a code, changes factors then only, and keeps the factor with a new password', async () => {
    const { secret, recoveryCodes } = await enrol(await signIn(both));
    const [first = '', second = ''] = recoveryCodes;
    const session = sessionOf(app, await give(await asked(both), first));
    expect((await session.post(`${path}/confirm`, { password: 'not the right one' })).body).toMatchObject({
      errors: [{ field: 'password' }],
    });
    expect((await session.get(`${path}/confirm`)).body).toEqual({ codes: true });
    expect((await session.post(`${path}/confirm`, { code: second })).status).toBe(200);
    expect((await session.post(`${path}/confirm`, { code: second })).status).toBe(400);
    const file = `${standardProvisioning}operators:\n  - { username: alice }\n`;
    expect((await app.apply(file)).stderr).toBe('');
    const password = 'another long password';
    const change = { current: both.password, password };
    const changed = sessionOf(app, await session.post('/portal/api/operator/password', change));
    expect((await changed.post(`${factors}/recovery-codes`, {})).body.recoveryCodes).toHaveLength(10);
    const token = await asked({ ...both, password });
    const entered = sessionOf(app, await give(token, codeOf(secret, 1)));
    expect((await entered.delete(`${factors}/codes`)).body).toEqual({ removed: true });
    expect((await entered.get(factors)).body).toEqual({ passkeys: [], recoveryCodes: 0 });
    // The user of the same name never had one.
    expect((await beginSession(app, alice)).begun.body).toMatchObject({ username: 'alice' });
    expect((await app.run('user', 'factors', 'alice')).stdout).toContain('no');
  });

  test('[PORT-12] [AUTH-10] Where a factor is required, a session without one can only set one up; a command removes a lost one, and it is audited', async () => {
    await app.close();
    const env = { CARILLON_OPERATORS_SECOND_FACTOR: 'required' };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env });
    const session = await signIn(olle);
    expect((await session.get(path)).body).toMatchObject({ factorMissing: true });
    for (const call of [companies, '/api/v1/operator/service', '/portal/api/operator/sessions'])
      expect((await session.get(call)).body.code).toBe('factor_missing');
    const others = await session.delete('/portal/api/operator/sessions');
    expect(others.body.code).toBe('factor_missing');
    await enrol(session);
    expect((await session.get(path)).body).toMatchObject({ factorMissing: false });
    expect((await session.get(companies)).status).toBe(200);
    expect((await session.delete(`${factors}/codes`)).body.code).toBe('in_use');
    const shown = await app.run('user', 'factors', 'olle', '--operator', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ codesOfAnApp: true, recoveryCodes: 10 });
    const remove = () => app.run('user', 'factors', 'olle', '--operator', '--remove');
    expect((await remove()).stdout).toContain('are removed');
    expect((await session.get(path)).status).toBe(401);
    expect((await remove()).stdout).toContain('no second factor');
    expect((await app.run('user', 'factors', 'nobody', '--operator')).exitCode).not.toBe(0);
    const log = JSON.parse((await app.run('audit', '--json')).stdout) as Record<string, string>[];
    expect(log.filter(({ act = '' }) => act.startsWith('factor.'))).toMatchObject([
      { act: 'factor.reset', channel: 'command', object: 'operator olle' },
      { act: 'factor.add', channel: 'operator', username: 'olle', object: 'operator olle' },
    ]);
    expect((await (await signIn(olle)).get(path)).body).toMatchObject({ factorMissing: true });
  });
});
