import { BlockList } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../../test/harness/api-client.ts';
import { until } from '../../../test/harness/awake.ts';
import { type DemoOptions, type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';

let demo: DemoServer | undefined;

async function start(options: DemoOptions = {}): Promise<ApiClient> {
  demo = await startDemoServer(options);
  return apiClient(demo.url, { key: 'key-of-alice' });
}

afterEach(() => demo?.stop());

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');

function recordingMetrics() {
  const requests: [string, string, number][] = [];
  return {
    requests,
    connectionEnded: () => undefined,
    request: (path: string, method: string, status: number) => void requests.push([path, method, status]),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: async () => 'carillon_up 1\n',
  };
}

describe('probes', () => {
  test('[RUN-4] /healthz says that the process is alive, to GET and HEAD', async () => {
    const client = await start({ health: { ready: () => 'the store is away' } });
    expect(await client.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await client.request('HEAD', '/healthz')).toMatchObject({ status: 200, text: '' });
    expect((await client.post('/healthz')).headers.get('allow')).toBe('GET, HEAD');
  });

  test('[RUN-4] /readyz says whether requests can be served, and why not', async () => {
    let ready: true | string = 'the store is away';
    const client = await start({ health: { ready: () => ready } });
    const answer = await client.get('/readyz');
    expect(answer).toMatchObject({ status: 503, body: { error: 'Not ready to serve: the store is away.' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    ready = true;
    expect(await client.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  test('[RUN-4] /metrics is open to the addresses that are allowed', async () => {
    const client = await start({ metrics: recordingMetrics(), config: { metricsReaders: loopback } });
    const answer = await client.get('/metrics');
    expect(answer).toMatchObject({ status: 200, text: 'carillon_up 1\n' });
    expect(answer.headers.get('content-type')).toContain('version=0.0.4');
  });

  test('[RUN-4] /metrics is closed to addresses that are not allowed, even behind a trusted proxy', async () => {
    const closed = await start({ metrics: recordingMetrics() });
    expect(await closed.get('/metrics')).toMatchObject({
      status: 403,
      body: { code: 'address_not_allowed' },
    });
    await demo?.stop();
    const config = { metricsReaders: loopback, trustedProxies: loopback };
    const proxied = await start({ metrics: recordingMetrics(), config });
    expect((await proxied.get('/metrics', '', { 'x-forwarded-for': '198.51.100.1' })).status).toBe(403);
  });

  test('[RUN-4] Each request is measured under the path of its endpoint', async () => {
    const metrics = recordingMetrics();
    const client = await start({ metrics });
    await client.get('/demo/echo', 'M8=x');
    await client.post('/demo/echo', { validminutes: 0 });
    await client.get('/nowhere/1');
    await client.request('PUT', '/demo/echo');
    await until(() => metrics.requests.length === 4);
    expect(metrics.requests).toEqual([
      ['/demo/echo', 'GET', 200],
      ['/demo/echo', 'POST', 400],
      ['other', 'GET', 404],
      ['other', 'PUT', 405],
    ]);
  });
});

describe('pages', () => {
  test.each(['', '/sms/gate'])('[PORT-1] The path %s/ redirects to the portal', async (pathPrefix) => {
    const client = await start({ config: { pathPrefix } });
    const { status, headers } = await client.request('GET', `${pathPrefix}/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, `${pathPrefix}/portal/`]);
  });

  test('[RUN-1] The pages at /docs use only files of this server, and no other file is served', async () => {
    const client = await start();
    const { status, text, headers } = await client.get('/docs/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('./site.css');
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'; style-src 'self';/);
    expect((await client.get('/docs/index')).text).toBe(text);
    expect((await client.get('/docs/site.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect((await client.get('/docs/openapi.json')).body.openapi).toBe('3.1.0');
    for (const hidden of ['/docs/nothing', '/docs/../http-demo.ts', '/docs/%2e%2e/http-demo.ts'])
      expect(await client.get(hidden)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test.each(['', '/sms/gate'])(
    '[RUN-1] The path %s/docs leads to the folder of the pages',
    async (pathPrefix) => {
      const client = await start({ config: { pathPrefix } });
      const { status, headers } = await client.request('GET', `${pathPrefix}/docs`, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([308, `${pathPrefix}/docs/`]);
    },
  );

  test('[RUN-1] Without a build, /docs says how to make its pages', async () => {
    const client = await start({ docsFolder: '/nowhere' });
    expect(await client.get('/docs/')).toMatchObject({
      status: 404,
      body: { error: expect.stringMatching(/npm run build/) },
    });
  });
});
