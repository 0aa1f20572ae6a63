/** API keys that may do less than their users: only the calls of their scopes, and only from their networks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import { keyScopes, scopeOf } from '../../src/accounts/key-scopes.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { sendPath, statusPath } from '../harness/messaging.ts';

const admin = { username: 'admin', password: 'limits what keys may do' };
const teller = { username: 'teller', password: 'has no role but to send' };
const provisioning = `
companies:
  - name: Nordic Care
    users:
      - { username: admin, password: "${admin.password}", roles: [send, jobs, emailAdmin, companyAdmin] }
      - { username: teller, password: "${teller.password}", roles: [send] }
`;
const path = '/api/v1/apikeys';

let app: WholeApp;
beforeAll(async () => {
  app = await startWholeApp({ engine: 'sqlite', provisioning });
});
afterAll(() => app?.close());

async function makeKey(name: string, limits: object, user = admin) {
  const { status, body } = await app.as(user).post(path, { name, ...limits });
  expect([status, body.error]).toEqual([201, undefined]);
  return { id: body.id as string, key: body.apiKey as string, body };
}

/** Waits for a security event with these values. */
function untilLogged(expected: object): Promise<void> {
  const isMeant = (line: string) => {
    const event = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return Object.entries(expected).every(([name, value]) => event[name] === value);
  };
  return until(() =>
    app.stderr.split('\n').some((line) => line.includes('"security event"') && isMeant(line)),
  );
}

const calls = allEndpoints
  .filter(({ credentials }) => credentials.apiKey)
  .flatMap(({ path, methods }) => methods.map((method) => ({ path, methods, method })));

test('[ALERT-4] Each call that accepts API keys takes one scope: a key with it alone is let in, and one with all others is not', async () => {
  const made = keyScopes.map(async (scope) => {
    const only = await makeKey(`only ${scope}`, { scopes: [scope] });
    const others = await makeKey(`all but ${scope}`, { scopes: keyScopes.filter((one) => one !== scope) });
    return [scope, { only: app.as({ key: only.key }), others: app.as({ key: others.key }) }] as const;
  });
  const clients = new Map(await Promise.all(made));
  const letIn: string[] = [];
  for (const { path, methods, method } of calls) {
    const scope = scopeOf({ path, methods });
    const { only, others } = clients.get(scope) ?? (undefined as never);
    const url = path.replaceAll(/\{\w+\}/g, '1');
    const options = method === 'GET' ? {} : { body: '{}' };
    const refused = await others.request(method, url, options);
    expect([url, refused.status]).toEqual([url, refused.text === '' ? 401 : 403]);
    if (refused.text !== '') expect(refused.text).toContain(`requires the scope ${scope}, which the API key`);
    const answer = await only.request(method, url, options);
    if (!answer.text.includes('scope_missing')) letIn.push(`${method} ${path}`);
  }
  expect(letIn).toEqual(calls.map(({ method, path }) => `${method} ${path}`));
  const used = new Set(calls.map(scopeOf));
  expect([...used].sort()).toEqual(keyScopes.toSorted());
});

test('[ALERT-4] A key for reading reads and no more; what its user may not do, no scope allows', async () => {
  const { key } = await makeKey('grafana', { scopes: ['read', 'read'] });
  const bearer = { authorization: `Bearer ${key}` };
  const stranger = app.as();
  expect((await stranger.get('/api/v1/messages', '', bearer)).status).toBe(200);
  expect((await app.as({ key }).post(statusPath, {})).status).toBe(200);
  const refused = await stranger.post('/api/v1/send', { to: ['46701740699'], message: 'Hi' }, bearer);
  expect([refused.status, refused.headers.get('www-authenticate'), refused.body]).toMatchObject([
    403,
    'Bearer realm="Carillon", error="insufficient_scope"',
    {
      result: 'ERROR',
      code: 'scope_missing',
      error:
        'This call requires the scope send, which the API key does not have. Its user, or an administrator of the company, can give it.',
      values: { sentence: 'scope_missing', scope: 'send' },
      type: '/docs/errors#scope_missing',
      status: 403,
    },
  ]);
  expect((await app.as({ key }).post(sendPath, { to: ['46701740699'], message: 'Hi' })).body).toMatchObject({
    code: 'scope_missing',
  });
  const logged = { event: 'access_denied', username: 'admin', address: '127.0.0.1', path: sendPath };
  await untilLogged({ ...logged, reason: 'scope_missing' });
  const own = await makeKey('all', { scopes: keyScopes }, teller);
  expect((await app.as({ key: own.key }).get('/api/v1/users')).body).toMatchObject({ code: 'role_missing' });
});

test('[ALERT-4] A key is accepted from its networks only, as its user and administrators set them, and that is audited', async () => {
  const { id, key, body } = await makeKey('ward', { networks: [' 192.0.2.0/24', 'fd00::/8'] }, teller);
  expect(body).toMatchObject({ networks: ['192.0.2.0/24', 'fd00::/8'], state: 'enabled' });
  const read = () => app.as({ key }).get('/api/v1/messages');
  expect(await read()).toMatchObject({
    status: 403,
    body: {
      code: 'network_not_allowed',
      error: expect.stringMatching(/^The API key is not accepted from 127\.0\.0\.1\. /),
    },
  });
  const change = async (limits: object) => (await app.as(teller).patch(`${path}/${id}`, limits)).body;
  expect(await change({ networks: ['127.0.0.1', '192.0.2.0/24'], scopes: ['read'] })).toMatchObject({
    networks: ['127.0.0.1', '192.0.2.0/24'],
    scopes: ['read'],
  });
  await until(async () => (await read()).status === 200);
  for (const [field, wrong] of [
    ['networks', ['10.0.0']],
    ['networks', ['10.0.0.0/33']],
    ['networks', ['fe80::1%eth0']],
    ['scopes', ['write']],
    ['scopes', []],
    ['networks', []],
    ['networks', null],
  ] as const)
    expect(await change({ [field]: wrong })).toMatchObject({ errors: [{ field, code: 'invalid_value' }] });
  for (const empty of ['', null, []]) {
    const refused = await app.as(teller).post(path, { name: 'unset', scopes: empty, networks: empty });
    expect(refused.body.errors).toMatchObject([
      { field: 'scopes', error: '`scopes` is empty. Give at least one, or leave it out.' },
      { field: 'networks' },
    ]);
  }
  const { body: list } = await app.as(admin).get('/api/v1/company/apikeys', { limit: 200 });
  const { userId } = (list.apiKeys as { id: string; userId: string }[]).find((one) => one.id === id) ?? {};
  const cleared = await app
    .as(admin)
    .patch(`/api/v1/users/${userId}/apikeys/${id}`, { networks: '', scopes: '' });
  expect([cleared.status, cleared.body.networks, cleared.body.scopes]).toEqual([200, undefined, undefined]);
  const { body: audit } = await app.as(admin).get('/api/v1/audit', { limit: 200 });
  const acts = (audit.entries as { act: string; details: string }[]).filter(({ details }) =>
    /^ward\b/.test(details),
  );
  expect(acts.map(({ act, details }) => `${act} ${details}`)).toEqual([
    'apikey.limit ward, scopes: all, networks: all, of teller',
    'apikey.limit ward, scopes: 1, +read, networks: 2, +127.0.0.1, -fd00::/8',
    'apikey.make ward, networks: 2, +192.0.2.0/24, +fd00::/8',
  ]);
});

test('[ALERT-4] Commands show and set what a key may do, and from where, as the operator and as its user', async () => {
  await makeKey('till', {}, teller);
  const limit = (...given: readonly string[]) => app.run('keys', 'limit', 'teller', 'till', ...given);
  const limited = await limit('--operator', '--scopes', 'send,read', '--networks', '10.0.0.0/8,192.0.2.7');
  expect([limited.exitCode, limited.stderr]).toEqual([0, '']);
  expect(limited.stdout).toMatch(/ SCOPES +NETWORKS\n.* send,read +10\.0\.0\.0\/8,192\.0\.2\.7\n$/);
  const own = await limit('--user', 'teller', '--networks', 'all', '--json');
  expect(JSON.parse(own.stdout)).toMatchObject({ name: 'till', scopes: ['send', 'read'] });
  expect(JSON.parse(own.stdout).networks).toBeUndefined();
  expect(await limit('--operator', '--scopes', 'write')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('“write” is not one of read, send,'),
  });
  expect((await limit('--operator')).stderr).toContain('Give --scopes or --networks, or both.');
  await untilLogged({ event: 'key_limits_set', username: 'teller' });
});
