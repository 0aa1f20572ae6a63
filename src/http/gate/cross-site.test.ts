import { BlockList } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../../test/harness/api-client.ts';
import {
  type DemoCaller,
  type DemoServer,
  demoEndpoints,
  startDemoServer,
} from '../../../test/harness/http-demo.ts';
import { converse } from '../../../test/harness/raw-socket.ts';
import {
  type AcceptedCredentials,
  anyMethod,
  linkOnly,
  passwordOnly,
  sessionOnly,
} from '../credentials/credentials.ts';
import { sessionCookie, sessionTokenOf } from '../credentials/session-cookie.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';

const basic = `Basic ${Buffer.from('alice:pässword').toString('base64')}`;

let demo: DemoServer;
let behindProxy: DemoServer;
let named: DemoServer;

beforeAll(async () => {
  const trustedProxies = new BlockList();
  trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
  demo = await startDemoServer();
  behindProxy = await startDemoServer({ config: { trustedProxies } });
  named = await startDemoServer({ config: { publicUrl: new URL('https://sms.example.com/gate') } });
});

afterAll(() => Promise.all([demo.stop(), behindProxy.stop(), named.stop()]));

async function statusOf(
  server: DemoServer,
  headers: readonly string[],
  { authorization = basic, path = '/demo/echo', host = 'sms.test' } = {},
): Promise<number> {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers];
  if (authorization !== '') lines.push(`Authorization: ${authorization}`);
  const { answers } = await converse(server.port, [`${lines.join('\r\n')}\r\n\r\n`]);
  const [answer] = answers;
  if (answer?.status === 403) expect(answer.json).toMatchObject({ result: 'ERROR', code: 'cross_site' });
  return answer?.status ?? 0;
}

describe('a request with Basic authentication', () => {
  test.each([
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: same-site'],
    ['sec-fetch-site: Cross-Site'],
    ['Sec-Fetch-Site: none, cross-site'],
    ['Origin: https://elsewhere.example'],
    ['Origin: null'],
    ['Origin: nonsense'],
    ['Origin:'],
    ['Origin: https://sms.test'],
    ['Origin: http://sms.test:81'],
    ['Origin: http://x.sms.test'],
    ['Origin: http://sms.test.elsewhere.example'],
    ['Origin: http://sms.test@elsewhere.example'],
    ['Origin: http://sms.test, http://elsewhere.example'],
  ])('[CONV-13] A request with Basic authentication and %s is refused with 403', async (header) => {
    expect(await statusOf(demo, [header])).toBe(403);
    expect(await statusOf(demo, [header], { authorization: basic.replace('Basic', ' bAsIc') })).toBe(403);
  });

  test('[CONV-13] A cross-site request with Basic authentication is refused on every path, known or not, before it is looked at', async () => {
    for (const path of ['/', '/docs', '/docs/openapi.json', '/healthz', '/readyz', '/metrics', '/nowhere'])
      expect(await statusOf(demo, ['Sec-Fetch-Site: cross-site'], { path }), path).toBe(403);
    const post = [
      'POST /demo/echo HTTP/1.1\r\nHost: sms.test\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 900000',
      `Authorization: ${basic}\r\n\r\n{`,
    ];
    // No more of the body ever arrives, and still there is an answer.
    expect(await demo.rawAnswer(post.join('\r\n'))).toMatch(/^HTTP\/1.1 403 /);
  });

  test.each([
    ['no such header'],
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Site: none'],
    ['Origin: http://sms.test'],
    ['Origin: http://SMS.test:80'],
    ['Sec-Fetch-Site: same-origin\r\nOrigin: http://sms.test'],
    ['Sec-Fetch-Site: same-origin\r\nOrigin: null'],
  ])('[CONV-13] A request with Basic authentication and %s is accepted', async (header) => {
    expect(await statusOf(demo, header.startsWith('no ') ? [] : [header])).toBe(200);
  });

  test('[CONV-13] The origin of a request with Basic authentication must match the host and port it was sent to', async () => {
    const host = '127.0.0.1:8080';
    expect(await statusOf(demo, ['Origin: http://127.0.0.1:8080'], { host })).toBe(200);
    expect(await statusOf(demo, ['Origin: http://127.0.0.1'], { host })).toBe(403);
    expect(await statusOf(demo, ['Origin: http://[::1]:80'], { host: '[::1]' })).toBe(200);
  });

  test('[CONV-13] With Basic authentication the origin may be the public address, or the forwarded one behind a trusted proxy', async () => {
    expect(await statusOf(named, ['Origin: https://sms.example.com'])).toBe(200);
    expect(await statusOf(named, ['Origin: http://sms.example.com'])).toBe(403);
    expect(await statusOf(named, ['Origin: http://sms.test'])).toBe(200);
    const forwarded = [
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: front.example',
      'Origin: https://front.example',
    ];
    expect(await statusOf(behindProxy, forwarded)).toBe(200);
    expect(await statusOf(behindProxy, ['X-Forwarded-Proto: https', 'Origin: https://sms.test'])).toBe(200);
    expect(await statusOf(behindProxy, ['X-Forwarded-Proto: https', 'Origin: http://sms.test'])).toBe(403);
    expect(await statusOf(demo, forwarded)).toBe(403);
  });
});

describe('what no browser adds by itself', () => {
  test('[CONV-13] Credentials that no browser adds by itself are accepted from pages of any site', async () => {
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    const stranger = apiClient(demo.url);
    expect(await stranger.get('/demo/echo', 'key=key-of-alice', foreign)).toMatchObject({ status: 200 });
    expect((await stranger.get('/docs/', '', foreign)).status).toBe(200);
    expect(await statusOf(demo, ['Sec-Fetch-Site: cross-site'], { authorization: '' })).toBe(401);
  });
});

/** A server with a portal that accepts every token. */
describe('a request with a session of the portal', () => {
  const cookie = 'Cookie: carillon=a-token';
  let portal: DemoServer;

  beforeAll(async () => {
    const pageEndpoint = (
      path: string,
      methods: readonly ('GET' | 'POST' | 'DELETE')[],
      credentials: AcceptedCredentials,
    ) =>
      endpointsFor<DemoCaller>()({
        path,
        methods,
        credentials,
        group: 'Demo',
        title: 'Demo',
        description: '',
        parameters: {},
        answer: Type.Unknown(),
        handle: ({ name }) => ({ name }),
      });
    portal = await startDemoServer({
      authenticatePage: ({ kind }) => ({ name: `by ${kind}` }),
      endpoints: [...demoEndpoints(), pageEndpoint('/api/v1/things', ['GET', 'POST', 'DELETE'], anyMethod)],
      pageEndpoints: [
        pageEndpoint('/portal/api/session', ['POST'], passwordOnly),
        pageEndpoint('/portal/api/own', ['GET', 'POST', 'DELETE'], sessionOnly),
        pageEndpoint('/portal/api/link', ['POST'], linkOnly),
      ],
    });
  });
  afterAll(() => portal.stop());

  async function ask(method: string, path: string, headers: readonly string[], body = '{}') {
    const length = method === 'POST' ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: sms.test',
      'Connection: close',
      ...length,
      ...headers,
    ];
    const { answers } = await converse(portal.port, [
      `${lines.join('\r\n')}\r\n\r\n${length.length > 0 ? body : ''}`,
    ]);
    const json = answers[0]?.json as { readonly code?: string; readonly name?: string } | undefined;
    return [answers[0]?.status, json?.code ?? json?.name];
  }
  const json = 'Content-Type: application/json';
  const refused = [403, 'cross_site'];
  const letIn = [200, 'by session'];

  test.each([
    // [method, headers beside the cookie, expected answer]
    ['GET', [], letIn],
    ['GET', ['Sec-Fetch-Site: same-origin'], letIn],
    ['GET', ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate'], letIn],
    ['GET', ['Sec-Fetch-Site: cross-site'], refused],
    ['GET', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'], refused],
    ['GET', ['Sec-Fetch-Site: same-site'], refused],
    ['GET', ['Origin: https://elsewhere.example'], refused],
    ['POST', [json, 'Sec-Fetch-Site: same-origin'], letIn],
    ['POST', [json, 'Origin: http://sms.test'], letIn],
    ['POST', [json], refused],
    ['POST', [json, 'Sec-Fetch-Site: none'], refused],
    ['POST', [json, 'Sec-Fetch-Site: same-site'], refused],
    ['POST', [json, 'Sec-Fetch-Site: cross-site', 'Origin: http://sms.test'], refused],
    ['POST', [json, 'Origin: http://sms.test:81'], refused],
    ['POST', [json, 'Origin: null'], refused],
    ['POST', ['Sec-Fetch-Site: same-origin'], refused],
    ['POST', ['Content-Type: text/plain', 'Sec-Fetch-Site: same-origin'], refused],
    ['POST', ['Content-Type: application/x-www-form-urlencoded', 'Origin: http://sms.test'], refused],
    ['DELETE', ['Sec-Fetch-Site: same-origin'], letIn],
    ['DELETE', ['Origin: http://sms.test'], letIn],
    ['DELETE', [], refused],
    ['DELETE', ['Sec-Fetch-Site: cross-site'], refused],
  ])(
    '[PORT-2] A %s with a portal session and the headers %j is accepted only where no other site can have forged it',
    async (method, headers, answer) => {
      for (const path of ['/api/v1/things', '/portal/api/own'])
        expect(await ask(method, path, [cookie, ...headers]), path).toEqual(answer);
    },
  );

  test.each(['/demo/echo', '/demo/books', '/demo/key'])(
    '[PORT-2] A portal session does not open the service’s own path %s',
    async (path) => {
      expect(await ask('GET', path, [cookie, 'Sec-Fetch-Site: same-origin'])).not.toContain(200);
      expect(await ask('GET', path, [cookie, 'Sec-Fetch-Site: cross-site'])).toEqual(refused);
    },
  );

  test('[PORT-2] A portal session or answer link is opened only by a page of this server', async () => {
    const signIn = JSON.stringify({ username: 'alice', password: 'pässword' });
    for (const headers of [[json], [json, 'Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: same-origin']]) {
      expect(await ask('POST', '/portal/api/session', headers, signIn)).toEqual(refused);
      expect(await ask('POST', '/portal/api/link', headers, '{"token":"x"}')).toEqual(refused);
    }
    const own = [json, 'Sec-Fetch-Site: same-origin'];
    expect(await ask('POST', '/portal/api/link', own, '{"token":"x"}')).toEqual([200, 'by link']);
  });

  test('[PORT-2] Pages of the server may be reached by a link from any site', async () => {
    const foreign = [cookie, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'];
    expect((await ask('GET', '/docs/', foreign))[0]).toBe(200);
    expect(await ask('POST', '/docs/', foreign)).toEqual(refused);
    expect(
      await ask('GET', '/docs/', [cookie, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors']),
    ).toEqual(refused);
  });

  test('[PORT-2] Over HTTPS the portal’s session cookie has a name that no other site of the domain can set', () => {
    expect(sessionCookie('t', 'carillon', true)).toBe(
      '__Host-carillon=t; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
    const both = { cookie: 'a=b; carillon=plain;__Host-carillon=safe; c' };
    expect([sessionTokenOf(both, 'carillon', true), sessionTokenOf(both, 'carillon', false)]).toEqual([
      'safe',
      'plain',
    ]);
    expect(sessionTokenOf({ cookie: 'carillon=plain' }, 'carillon', true)).toBeUndefined();
    expect(sessionTokenOf({ cookie: 'xcarillon=1; carillon=' }, 'carillon', false)).toBeUndefined();
  });
});
