/** Tests who may call, and with which of the methods, on the messaging calls, which accept them all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, apiClient } from '../harness/api-client.ts';
import { alice, bob, carol, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  incomingPath,
  keyPath,
  recipient,
  sendPath,
  singleIncomingPath,
  singlePath,
  singleStatusPath,
  statusPath,
} from '../harness/messaging.ts';

const asa = { username: 'åsa', password: 'lösenord är bra' };
const provisioning = standardProvisioning
  .replace(
    '    users:\n',
    `    users:\n      - { username: ${asa.username}, password: ${asa.password}, roles: [send] }\n`,
  )
  .replace(
    'carriers:\n',
    `  - name: Closed
    active: false
    users:
      - { username: closed, password: a long password, roles: [send] }
carriers:
`,
  )
  .replace(
    'roles: [] }',
    'roles: [] }\n      - { username: away, password: a long password, roles: [send], active: false }',
  );

const base64 = (text: string) => Buffer.from(text).toString('base64');
const basic = ({ username, password }: typeof asa) => ({
  authorization: `Basic ${base64(`${username}:${password}`)}`,
});
const serviceHeaders = ({ username, password }: typeof asa) => ({
  'x-service-userid': base64(username),
  'x-service-password': base64(password),
});

describe('authentication', () => {
  let app: WholeApp;
  let key: string;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
    key = (await app.as(asa).get(keyPath, { name: 'tests' })).body;
  });
  afterAll(() => app?.close());

  const get = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    app.as().get(statusPath, query, headers);
  const post = (body: object | string, headers: Record<string, string> = {}, query = '') =>
    app.as().post(statusPath + query, body, headers);
  const { username, password } = asa;

  test('[AUTH-1] Each of the five authentication methods is accepted, by GET and, where it applies, by POST', async () => {
    const answers: Record<string, Answer> = {
      'fields of the body': await post({ username, password }),
      'U and P in the URL': await get({ U: username, P: password }),
      'Basic, GET': await get({}, basic(asa)),
      'Basic, POST': await post('', basic(asa)),
      'headers, GET': await get({}, serviceHeaders(asa)),
      'headers, POST': await post('', serviceHeaders(asa)),
      'key in the URL, GET': await get({ key }),
      'key in the URL, POST': await post('', {}, `?key=${encodeURIComponent(key)}`),
      'X-API-Key, GET': await get({}, { 'x-api-key': key }),
      'X-API-Key, POST': await post('', { 'x-api-key': key }),
      'apikey in the body': await post({ apikey: key }),
    };
    for (const [method, answer] of Object.entries(answers)) expect(answer.status, method).toBe(200);
  });

  test('[AUTH-1] Empty credentials of other methods count as absent', async () => {
    const none = { username: '', password: null, apikey: '' };
    expect((await post(none, { ...basic(asa), 'x-api-key': '', 'x-service-userid': '' })).status).toBe(200);
    expect((await get({ U: '', P: '', key: '' }, { ...basic(asa), 'x-api-key': '' })).status).toBe(200);
    expect((await post({ username, password, apikey: '' }, {}, '?key=')).status).toBe(200);
  });

  test('[AUTH-1] Credentials are not parameters of the call, and do no harm among them', async () => {
    const body = { username, password, to: [recipient(1)], message: 'Hello' };
    expect((await app.as().post(sendPath, body)).status).toBe(200);
    const query = { U: username, P: password, T: recipient(1), M8: 'Hello' };
    expect((await app.as().get(sendPath, query)).status).toBe(200);
  });

  test('[AUTH-2] A call with no method, half a method, two methods, or a method that does not apply, gets 401', async () => {
    const stranger = Object.entries({
      none: await get({}),
      'none, POST': await post(''),
      'user name alone': await get({ U: username }),
      'password alone': await get({ P: password }),
      'half a body': await post({ username }),
      'half of the headers': await get({}, { 'x-service-userid': base64(username) }),
      'Basic without a password': await get({}, { authorization: `Basic ${base64(`${username}:`)}` }),
      'another scheme': await get({}, { authorization: `Bearer ${key}` }),
      'no Base64': await get({}, { authorization: `Basic ${username}:x` }),
      'two methods': await get({ key }, basic(asa)),
      'the same key twice': await get({ key }, { 'x-api-key': key }),
      'body and header': await post({ username, password }, basic(asa)),
      'U and P on a POST': await post('', {}, `?U=${encodeURIComponent(username)}&P=x`),
      'fields of a POST in the URL': await get({ username, password }),
      'a number for a user name': await post({ username: 1, password }),
    });
    for (const [what, answer] of stranger) {
      expect(answer, what).toMatchObject({ status: 401, body: { result: 'ERROR', code: 'unauthorised' } });
    }
  });

  test('[AUTH-3] An unknown user, a wrong password and a broken API key get the same 401 with a challenge', async () => {
    const wrong = [
      await app.as({ username: 'nobody', password }).get(statusPath),
      await app.as({ username, password: 'wrong' }).get(statusPath),
      await app.as({ key: `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` }).get(statusPath),
      await app.as({ key: 'garbage' }).get(statusPath),
    ];
    for (const answer of wrong) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(wrong[0]?.body);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=".+", charset="UTF-8"$/);
    }
    for (const path of [
      sendPath,
      singlePath,
      statusPath,
      singleStatusPath,
      incomingPath,
      singleIncomingPath,
    ]) {
      const answer = await app.as().post(path, { to: 'not even looked at' });
      expect(answer, path).toMatchObject({ status: 401, body: { result: 'ERROR', code: 'unauthorised' } });
      expect(answer.headers.has('www-authenticate')).toBe(true);
    }
  });

  test('[AUTH-7] An inactive user, or a user of an inactive company, gets 401', async () => {
    for (const name of ['away', 'closed']) {
      const client = app.as({ username: name, password: 'a long password' });
      expect(await client.get(statusPath), name).toMatchObject({ status: 401 });
      expect(await client.get(keyPath, { name: 'x' }), name).toMatchObject({ status: 401 });
    }
  });

  test('[AUTH-9] A user without the role gets 403 at every messaging call', async () => {
    const client = app.as(carol);
    const answers = [
      await client.post(sendPath, { to: [recipient(1)], message: 'Hello' }),
      await client.get(sendPath, { T: recipient(1), M8: 'Hello' }),
      await client.post(singlePath, { to: recipient(1), message: 'Hello' }),
      await client.get(statusPath),
      await client.post(statusPath, { id: ['1'] }),
      await client.post(singleStatusPath),
      await client.get(incomingPath),
      await client.post(singleIncomingPath),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, body: { result: 'ERROR', code: 'role_missing' } });
    }
  });

  test('[KEY-1] An API key belongs to its user, and the same name gives the same key', async () => {
    const again = await app.as(asa).get(keyPath, { name: 'tests' });
    expect(again).toMatchObject({ status: 200, body: key });
    expect((await app.as(alice).get(keyPath, { name: 'tests' })).body).toContain('alice');
    expect((await app.as(asa).get(keyPath, { name: 'other' })).body).not.toBe(key);
    expect((await app.as(bob).get(keyPath, { name: 'tests' })).body).not.toBe(key);
    const sent = await app.as({ key }).post(sendPath, { to: [recipient(1)], message: 'By key' });
    const { id } = sent.body.accepted[0];
    expect((await app.as(asa).post(statusPath, { id: [id] })).body.statuses).toMatchObject([{ id }]);
    const plain = await app.as(asa).get(keyPath, { name: 'tests' }, { accept: 'text/plain' });
    expect(plain.text).toBe(key);
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  test('[KEY-1] Only Basic authentication gets an API key, and only with a name', async () => {
    expect(await app.as({ key }).get(keyPath, { name: 'x' })).toMatchObject({ status: 401 });
    const inUrl = await app.as().get(keyPath, { name: 'x', U: username, P: password });
    expect(inUrl).toMatchObject({ status: 401 });
    expect(await app.as(asa).get(keyPath)).toMatchObject({ status: 400 });
    expect(await app.as(asa).get(keyPath, { name: '' })).toMatchObject({ status: 400 });
  });

  test('[AUTH-5] [KEY-1] A revoked API key is refused by the running server, and so is its name until the key is enabled', async () => {
    const till = (await app.as(alice).get(keyPath, { name: 'till' })).body as string;
    const status = async (own: string) => (await app.as({ key: own }).get(statusPath)).status;
    expect(await status(till)).toBe(200);
    expect(await app.run('keys', 'revoke', 'alice', 'till')).toMatchObject({ exitCode: 0 });
    await until(async () => (await status(till)) === 401);
    const refused = await app.as(alice).get(keyPath, { name: 'till' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'key_revoked' } });
    expect(await app.run('keys', 'enable', 'alice', 'till')).toMatchObject({ exitCode: 0 });
    const anew = (await app.as(alice).get(keyPath, { name: 'till' })).body as string;
    expect(anew).not.toBe(till);
    expect([await status(anew), await status(till)]).toEqual([200, 401]);
  });

  test('[AUTH-5] Changing the password does not affect the API key', async () => {
    const own = (await app.as(bob).get(keyPath, { name: 'own' })).body as string;
    const changed = provisioning.replace(bob.password, 'another long password');
    expect(await app.apply(changed)).toMatchObject({ exitCode: 0 });
    const byPassword = (password: string) =>
      apiClient(app.baseUrl, { username: bob.username, password }).get(statusPath);
    await until(async () => (await byPassword(bob.password)).status === 401);
    expect((await byPassword('another long password')).status).toBe(200);
    expect((await app.as({ key: own }).get(statusPath)).status).toBe(200);
    expect((await app.as(bob).get(keyPath, { name: 'own' })).status).toBe(401);
  });
});
