import { mkdtempSync, rmSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/harness/certificate.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { requestsWith } from '../../../test/harness/raw-socket.ts';

const { get, post, head } = requestsWith(() => 'key-of-alice');
const last = 'Connection: close';
const basic = `Authorization: Basic ${Buffer.from('alice:pässword').toString('base64')}`;

/** One request for each kind of answer and for each way in which an answer is written. */
const requests: readonly (readonly [status: number, what: string, bytes: string])[] = [
  [200, 'an answer of an endpoint', get('/demo/echo', last)],
  [200, 'text', get('/demo/key', 'Accept: text/plain', basic, last).replace(/X-API-Key.*\r\n/, '')],
  [401, 'an error', get('/demo/books', last)],
  [400, 'a fault of the body', post('/demo/echo', '{', last)],
  [413, 'a body that is too large', head('POST /demo/echo HTTP/1.1', 'Content-Length: 30000', last)],
  [404, 'no path of ours', get('/nowhere', last)],
  [405, 'no method of the path', get('/demo/slow', last)],
  [400, 'a path that cannot be read', get('/demo/%zz', last)],
  [200, 'a probe', get('/healthz', last)],
  [302, 'a redirect to the portal', get('/', last)],
  [200, 'a page with scripts', get('/docs/', last)],
  [308, 'a redirect', get('/docs', last)],
  [200, 'a document', get('/docs/openapi.json', last)],
  [200, 'a file', get('/docs/site.css', last)],
  [200, 'a file of which a part is asked', get('/docs/site.css', 'Range: bytes=99999999-', last)],
  [400, 'no HTTP', 'hello\r\n\r\n'],
  [431, 'too long a head', get(`/?${'x'.repeat(70_000)}`)],
  [405, 'a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
];

/** A page declares what it needs; everything else needs nothing. */
const isPage = (what: string) => /page|redirect|document|file/.test(what);
const hasPolicy = (what: string) => isPage(what) || /probe/.test(what);

describe('every response', () => {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  let folder: string;
  let plain: DemoServer;
  let secure: DemoServer;
  beforeAll(async () => {
    folder = mkdtempSync(`${tmpdir()}/carillon-headers-`);
    plain = await startDemoServer({ config: { trustedProxies: loopback } });
    secure = await startDemoServer({ config: { tls: makeCertificate(folder, 'localhost') } });
  });
  afterAll(async () => {
    await Promise.all([plain.stop(), secure.stop()]);
    rmSync(folder, { recursive: true });
  });

  test.each(requests)(
    '[AUTH-8] A response with status %i (%s) has the security headers for browsers',
    async (status, what, bytes) => {
      const [overPlain, overTls] = await Promise.all([plain.raw(bytes), overTlsTo(secure.port, bytes)]);
      for (const answer of [overPlain, overTls]) {
        expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        const headers = headersIn(answer);
        expect(headers.filter((line) => line.startsWith('x-content-type-options'))).toEqual([
          'x-content-type-options: nosniff',
        ]);
        expect(headers).toContain('referrer-policy: no-referrer');
        expect(headers.some((line) => line === 'cache-control: no-store')).toBe(!isPage(what));
        const policies = headers.filter((line) => line.startsWith('content-security-policy: '));
        expect(policies.length).toBe(hasPolicy(what) ? 1 : 0);
        for (const policy of policies) expect(policy).toMatch(/: default-src 'none'.*frame-ancestors 'none'/);
      }
      expect(headersIn(overTls)).toContain('strict-transport-security: max-age=31536000');
      expect(overPlain).not.toMatch(/strict-transport/i);
    },
  );

  test('[AUTH-8] Responses over HTTPS set Strict-Transport-Security, even when a trusted proxy ended TLS', async () => {
    const through = (...headers: readonly string[]) => plain.raw(get('/demo/echo', ...headers, last));
    expect(await through('X-Forwarded-Proto: https')).toMatch(/strict-transport-security/);
    for (const headers of [['X-Forwarded-Proto: http'], ['X-Forwarded-For: 198.51.100.1'], []])
      expect(await through(...headers)).not.toMatch(/strict-transport-security/);
  });
});

function headersIn(answer: string): readonly string[] {
  return answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase().split('\r\n');
}

function overTlsTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => socket.write(bytes));
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('error', () => resolve(received)).on('close', () => resolve(received));
  });
}
