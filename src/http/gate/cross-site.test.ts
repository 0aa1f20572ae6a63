import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../../test/harness/api-client.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { converse } from '../../../test/harness/raw-socket.ts';

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
  ])('[CONV-13] and %s is 403', async (header) => {
    expect(await statusOf(demo, [header])).toBe(403);
    expect(await statusOf(demo, [header], { authorization: basic.replace('Basic', ' bAsIc') })).toBe(403);
  });

  test('[CONV-13] is refused on every path, known or not, before it is looked at', async () => {
    for (const path of ['/', '/docs', '/docs/openapi.json', '/healthz', '/readyz', '/metrics', '/nowhere'])
      expect(await statusOf(demo, ['Sec-Fetch-Site: cross-site'], { path }), path).toBe(403);
    const post = [
      'POST /demo/echo HTTP/1.1\r\nHost: sms.test\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 900000',
      `Authorization: ${basic}\r\n\r\n{`,
    ];
    // Nothing more ever comes, and still there is an answer.
    expect(await demo.rawAnswer(post.join('\r\n'))).toMatch(/^HTTP\/1.1 403 /);
  });

  test.each([
    ['no such header'],
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Site: none'],
    ['Origin: http://sms.test'],
    ['Origin: http://SMS.test:80'],
    ['Sec-Fetch-Site: same-origin\r\nOrigin: http://sms.test'],
  ])('[CONV-13] and %s is taken', async (header) => {
    expect(await statusOf(demo, header.startsWith('no ') ? [] : [header])).toBe(200);
  });

  test('[CONV-13] is judged by the host and port that it was sent to', async () => {
    const host = '127.0.0.1:8080';
    expect(await statusOf(demo, ['Origin: http://127.0.0.1:8080'], { host })).toBe(200);
    expect(await statusOf(demo, ['Origin: http://127.0.0.1'], { host })).toBe(403);
    expect(await statusOf(demo, ['Origin: http://[::1]:80'], { host: '[::1]' })).toBe(200);
  });

  test('[CONV-13] may name the public address, and behind a trusted proxy the forwarded one', async () => {
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
  test('[CONV-13] is taken from pages of any site', async () => {
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    const stranger = apiClient(demo.url);
    expect(await stranger.get('/demo/echo', 'key=key-of-alice', foreign)).toMatchObject({ status: 200 });
    expect((await stranger.get('/docs', '', foreign)).status).toBe(200);
    expect(await statusOf(demo, ['Sec-Fetch-Site: cross-site'], { authorization: '' })).toBe(401);
  });
});
