import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoServer, startDemoServer } from '../../test/harness/http-demo.ts';
import { converse } from '../../test/harness/raw-socket.ts';
import { addPortalPages } from './pages.ts';

const script = '/portal/assets/index-B1.js';

let folder: string;
let demo: DemoServer;
let prefixed: DemoServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-pages-'));
  const pages = join(folder, 'pages');
  mkdirSync(join(pages, 'assets'), { recursive: true });
  const write = (name: string, content: string) => writeFileSync(join(pages, name), content);
  writeFileSync(join(folder, 'secret.js'), 'a secret');
  for (const language of ['en', 'sv'])
    write(
      `index.${language}.html`,
      `<html lang="${language}"><script src="/portal/assets/index-B1.js"></script></html>`,
    );
  write('assets/index-B1.js', 'as it is');
  write('assets/index-B1.js.br', 'by brotli');
  write('assets/index-B1.js.gz', 'by gzip');
  write('assets/bell-1.svg', '<svg/>');
  const start = (pathPrefix: string) =>
    startDemoServer({
      config: { pathPrefix },
      routes: (app) => addPortalPages(app, { folder: pages, pathPrefix, providers: async () => [] }),
    });
  [demo, prefixed] = await Promise.all([start(''), start('/sms')]);
});

afterAll(async () => {
  await Promise.all([demo.stop(), prefixed.stop()]);
  rmSync(folder, { recursive: true });
});

/** Uses the raw connection, because a standards-compliant client removes `..` from a path and decompresses the answer. */
async function ask(server: DemoServer, path: string, ...headers: readonly string[]) {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: sms.test', 'Connection: close', ...headers];
  const { answers } = await converse(server.port, [`${lines.join('\r\n')}\r\n\r\n`]);
  const [answer] = answers;
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

test.each(['/portal', '/portal/', '/portal/messages/12?x=1', '/portal/index.sv.html'])(
  '[PORT-1] The portal serves its page at %s, under a strict content security policy and kept by no cache',
  async (path) => {
    const { status, headers, text: body } = await ask(demo, path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(body).toContain('src="/portal/assets/index-B1.js"');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
  },
);

test.each([
  ['en', '', ''],
  ['en', 'en-GB,sv;q=0.5', ''],
  ['sv', 'sv-FI', ''],
  ['sv', 'en', 'a=b; carillon-language=sv'],
  ['sv', 'en', 'carillon-company-language=sv; carillon-language=xx'],
  ['en', 'sv', 'carillon-company-language=sv; carillon-language=en'],
  ['sv', 'sv', 'carillon-language'],
])(
  '[PORT-5] The portal’s page comes in %s to a browser that asks for “%s” with the cookies “%s”',
  async (language, accepted, cookie) => {
    const { headers, text: body } = await ask(
      demo,
      '/portal/messages',
      `Accept-Language: ${accepted}`,
      `Cookie: ${cookie}`,
    );
    expect(body).toContain(`lang="${language}"`);
    expect(headers.vary).toBe('accept-language, cookie');
  },
);

test.each([
  ['', undefined, 'as it is'],
  ['gzip, deflate, br', 'br', 'by brotli'],
  ['gzip', 'gzip', 'by gzip'],
  ['BR;q=0, gzip;q=0.5', 'gzip', 'by gzip'],
  ['br;q=0.0', undefined, 'as it is'],
])(
  '[PORT-1] A portal file goes out in the precompressed form that the client accepts: %s',
  async (accepted, coding, content) => {
    const { status, headers, text: body } = await ask(demo, script, `Accept-Encoding: ${accepted}`);
    expect([status, headers['content-encoding'], body]).toEqual([200, coding, content]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect([headers['content-type'], headers.vary]).toEqual([
      'text/javascript; charset=utf-8',
      'accept-encoding',
    ]);
  },
);

test('[PORT-1] A portal file without compressed forms goes out as it is', async () => {
  const { headers, text: body } = await ask(demo, '/portal/assets/bell-1.svg', 'Accept-Encoding: br');
  expect([headers['content-type'], headers['content-encoding'], body]).toEqual([
    'image/svg+xml',
    undefined,
    '<svg/>',
  ]);
});

test.each([
  '/portal/assets/gone-C2.js',
  '/portal/api/nowhere',
  '/portal/../secret.js',
  '/portal/assets/../../secret.js',
  '/portal/%2e%2e/secret.js',
  '/portal/..%2fsecret.js',
  '/portal/..%5csecret.js',
])('[PORT-1] The portal answers 404 and discloses nothing at %s', async (path) => {
  const { status, text: body } = await ask(demo, path);
  expect([status, body.includes('a secret')]).toEqual([404, false]);
});

test('[PORT-1] [CONV-1] The portal’s page loads its files below the path prefix', async () => {
  for (const path of ['/sms/portal/messages', '/portal/messages'])
    expect((await ask(prefixed, path)).text).toContain('src="/sms/portal/assets/index-B1.js"');
  expect((await ask(prefixed, `/sms${script}`)).status).toBe(200);
});

test('[PORT-1] A server without the built portal pages answers 404 and says how to build them', async () => {
  const bare = await startDemoServer({
    routes: (app) =>
      addPortalPages(app, {
        folder: join(folder, 'nowhere'),
        pathPrefix: '',
        providers: async () => [],
      }),
  });
  const answer = await ask(bare, '/portal');
  expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('npm run build')]);
  await bare.stop();
});
