import { BlockList } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../test/harness/api-client.ts';
import { type AuthenticationNode, openNode } from '../../test/harness/authentication-node.ts';
import { type FreshStore, openFreshStore } from '../../test/harness/stores.ts';
import { createServer, type HttpServer } from '../http/server/server.ts';
import { enableKey, revokeKey } from './api-keys.ts';
import { accountEndpoints } from './endpoints.ts';

const path = '/authentication/auth/apikey';
const alice = { username: 'alice', password: 'correct horse' };

describe('GET /authentication/auth/apikey', () => {
  let fresh: FreshStore;
  let node: AuthenticationNode;
  let server: HttpServer;
  let baseUrl: string;

  beforeAll(async () => {
    fresh = await openFreshStore('sqlite');
    node = await openNode(fresh);
    server = createServer({
      config: {
        http: { host: '127.0.0.1', port: 0 },
        tls: undefined,
        trustedProxies: new BlockList(),
        metricsReaders: new BlockList(),
        publicUrl: undefined,
        pathPrefix: '',
        maxBodyBytes: 1_000_000,
        stopGraceSeconds: 2,
      },
      version: '0',
      endpoints: accountEndpoints(node.issuer),
      authenticate: node.authenticate,
      ownerOf: (caller) => caller,
      log: pino({ level: 'silent' }),
      health: { ready: () => true },
    });
    baseUrl = `http://127.0.0.1:${await server.listen()}`;
  });

  afterAll(async () => {
    await server.stop(1_000);
    await fresh.dispose();
  });

  const asAlice = () => apiClient(baseUrl, alice);

  test('[KEY-1] The API key endpoint answers with the key as a JSON string, and with the same key for the same name', async () => {
    const first = await asAlice().get(path, { name: 'app' });
    expect(first).toMatchObject({ status: 200, body: expect.stringMatching(/^alice\.\d+\.1\.[\w-]{43}$/) });
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(first.text).toBe(JSON.stringify(first.body));
    expect((await asAlice().get(path, { name: 'app' })).body).toBe(first.body);
    expect((await asAlice().get(path, { name: 'Åsas app' })).body).not.toBe(first.body);
    expect(await node.byKey(first.body)).toBe('alice');
  });

  test('[KEY-1] The API key endpoint answers in plain text to a client that prefers it', async () => {
    const answer = await asAlice().get(path, { name: 'app' }, { accept: 'text/plain' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await node.byKey(answer.text)).toBe('alice');
  });

  test('[KEY-1] The API key endpoint refuses a missing, empty or overlong name with 400', async () => {
    expect(await asAlice().get(path)).toMatchObject({ status: 400, body: { code: 'missing_parameter' } });
    expect(await asAlice().get(path, { name: '' })).toMatchObject({ status: 400 });
    expect(await asAlice().get(path, { name: 'x'.repeat(101) })).toMatchObject({
      status: 400,
      body: { result: 'ERROR', code: 'invalid_value', errors: [{ field: 'name', code: 'invalid_value' }] },
    });
    expect(await asAlice().get(path, { name: 'a\u0000b' })).toMatchObject({ status: 400 });
    expect(await asAlice().get(path, { name: 'x'.repeat(100) })).toMatchObject({ status: 200 });
  });

  test('[KEY-1] The API key endpoint refuses a revoked name with 403 until it is enabled, then gives another key', async () => {
    const before = await asAlice().get(path, { name: 'till' });
    await revokeKey(node.store, { username: 'alice', name: 'till' });
    expect(await asAlice().get(path, { name: 'till' })).toMatchObject({
      status: 403,
      body: { result: 'ERROR', code: 'key_revoked' },
    });
    await enableKey(node.store, node.clock, { username: 'alice', name: 'till' });
    const after = await asAlice().get(path, { name: 'till' });
    expect(after.status).toBe(200);
    expect(after.body).not.toBe(before.body);
  });

  test('[AUTH-2] The API key endpoint accepts Basic authentication only', async () => {
    const key = (await asAlice().get(path, { name: 'app' })).body;
    const stranger = apiClient(baseUrl);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const answers = [
      await stranger.get(path, { name: 'app' }),
      await stranger.get(path, { name: 'app', U: 'alice', P: 'correct horse' }),
      await stranger.get(path, { name: 'app', key }),
      await stranger.get(path, { name: 'app' }, { 'x-api-key': key }),
      await stranger.get(
        path,
        { name: 'app' },
        { 'x-service-userid': base64('alice'), 'x-service-password': base64('correct horse') },
      ),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorised' } });
  });

  test('[AUTH-3] A wrong password and an unknown user get the same 401 response, with the challenge', async () => {
    const refusals = [];
    for (const username of ['alice', 'nobody']) {
      const { status, headers, body } = await apiClient(baseUrl, { username, password: 'wrong' }).get(path);
      refusals.push({ status, body, challenge: headers.get('www-authenticate') });
    }
    expect(refusals[0]).toMatchObject({
      status: 401,
      body: { result: 'ERROR', code: 'unauthorised' },
      challenge: expect.stringMatching(/^Basic realm=".+", charset="UTF-8"$/),
    });
    expect(refusals[1]).toEqual(refusals[0]);
  });

  test('[AUTH-6] Beyond the limit of failed attempts, the response is 429 with Retry-After', async () => {
    const guesser = apiClient(baseUrl, { username: 'guessed', password: 'wrong' });
    for (let attempt = 1; attempt <= 8; attempt++) expect((await guesser.get(path)).status).toBe(401);
    const answer = await guesser.get(path);
    expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect(answer.headers.get('retry-after')).toBe('315');
  });
});
