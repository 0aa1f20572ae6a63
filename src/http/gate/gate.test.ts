import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../../test/harness/api-client.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';

let demo: DemoServer;
let alice: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  demo = await startDemoServer();
  alice = apiClient(demo.url, { key: 'key-of-alice' });
  stranger = apiClient(demo.url);
});

afterAll(() => demo.stop());

describe('paths and methods', () => {
  test.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'QUERY', 'PROPFIND'])(
    '[CONV-8] Method %s is answered with 405 and an Allow header on a path that does not offer it',
    async (method) => {
      const answer = await alice.request(method, '/demo/echo');
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, POST, DELETE');
      if (method !== 'HEAD')
        expect(answer.body).toMatchObject({ result: 'ERROR', code: 'method_not_allowed' });
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    },
  );

  test('[CONV-8] Each method of a path leads to its endpoint, and Allow names the methods of them all', async () => {
    const email = { email: 'a@b.example' };
    const removed = await alice.request('DELETE', '/demo/required?EM=a%40b.example');
    expect([removed.status, removed.body]).toEqual([200, { forgotten: 'a@b.example' }]);
    expect((await alice.post('/demo/required', email)).body).toEqual(email);
    const refused = await alice.request('PUT', '/demo/required');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });

  test('[CONV-8] GET on a path that offers only POST is answered with 405', async () => {
    const answer = await alice.get('/demo/slow?x=1');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('[CONV-8] An unknown path is answered with 404, whatever is posted there', async () => {
    for (const path of ['/demo/none', '/demo/echo/', '/DEMO/echo']) {
      const answer = await stranger.post(path, '{bad', { 'content-type': 'nonsense' });
      expect(answer).toMatchObject({ status: 404, body: { result: 'ERROR', code: 'not_found' } });
    }
  });

  test('[CONV-8] A path with a broken percent escape is answered with 400', async () => {
    expect(await alice.get('/demo/%zz')).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  });

  test('[CONV-1] The path prefix may stand in front of every path, or be left out', async () => {
    const prefixed = await startDemoServer({ config: { pathPrefix: '/sms/gate' } });
    const client = apiClient(prefixed.url, { key: 'key-of-alice' });
    for (const path of ['/sms/gate/demo/echo', '/demo/echo']) {
      expect(await client.get(path, 'M8=x')).toMatchObject({
        status: 200,
        body: { input: { message: 'x' } },
      });
    }
    const manual = { redirect: 'manual' } as const;
    for (const path of ['/sms/gate', '/sms/gate?x=1'])
      expect((await client.request('GET', path, manual)).headers.get('location')).toBe('/sms/gate/portal/');
    expect((await client.get('/sms/gateway')).status).toBe(404);
    expect((await client.request('PUT', '/sms/gate/demo/echo')).status).toBe(405);
    await prefixed.stop();
  });
});
