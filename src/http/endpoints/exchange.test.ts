import { BlockList } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../../test/harness/api-client.ts';
import { pause } from '../../../test/harness/awake.ts';
import { type DemoCaller, type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { converse } from '../../../test/harness/raw-socket.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { jsonHeaders } from '../answers/respond.ts';
import { SlicedAnswer } from '../answers/sliced-answer.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from './endpoint.ts';

const key = { 'x-api-key': 'key-of-alice' };

let demo: DemoServer;
let alice: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  demo = await startDemoServer();
  alice = apiClient(demo.url, { key: 'key-of-alice' });
  stranger = apiClient(demo.url);
});

afterAll(() => demo.stop());

describe('GET and POST', () => {
  test('[CONV-2] GET and POST with the same parameters do the same', async () => {
    const got = await alice.get('/demo/echo', 'T=1,2&M8=h%C3%A5+d&Z=T&V=60&D=46');
    const posted = await alice.post('/demo/echo', {
      to: ['1', '2'],
      message: 'hå d',
      flash: true,
      validminutes: '60',
      defaultcountrycode: 46,
    });
    expect(got.status).toBe(200);
    expect(got.body).toEqual(posted.body);
    expect(got.body).toMatchObject({
      caller: 'alice',
      input: { to: ['1', '2'], message: 'hå d', validminutes: 60 },
    });
  });

  test('[CONV-2] DELETE carries its parameters in the URL, and any body is ignored', async () => {
    const answer = await alice.request('DELETE', '/demo/echo?M8=x', { body: '{"message":"y"', headers: key });
    expect(answer).toMatchObject({ status: 200, body: { input: { message: 'x' } } });
  });

  test('[CONV-3] Responses are JSON in UTF-8', async () => {
    const { headers, body } = await alice.post('/demo/echo', { message: '…åäö😀' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.input.message).toBe('…åäö😀');
  });

  test.each<[query: string, field: string, meant: string]>([
    ['M8=url', 'M8', 'message'],
    ['V=0&utm_source=a', 'V', 'validminutes'],
    ['validminutes=5', 'validminutes', 'validminutes'],
    ['valid_minutes=5', 'valid_minutes', 'validminutes'],
    ['m8=x', 'm8', 'message'],
    ['V=1&V=2', 'V', 'validminutes'],
  ])('[CONV-7] In the URL of a POST, %s is not a parameter, and is refused', async (query, field, meant) => {
    const { status, body } = await alice.post(`/demo/echo?${query}`, { message: 'body' });
    const hint = `is in the URL, but this call has its parameters in its JSON body. Give \`${meant}\` there.`;
    const error = `\`${field}\` ${hint}`;
    const values = { sentence: 'not_in_url', name: meant };
    expect([status, body.code, body.errors]).toEqual([
      ...[400, 'unknown_parameter'],
      [{ field, code: 'unknown_parameter', error, values }],
    ]);
  });

  test.each<[query: string, field: string, near: string]>([
    ['valid_minutes=5', 'valid_minutes', 'validminutes'],
    ['Message=x', 'Message', 'message'],
    ['m8=x', 'm8', 'M8'],
    ['defaultcountrycod=46', 'defaultcountrycod', 'defaultcountrycode'],
  ])('[CONV-7] %s in a URL is close to a known name, and is refused', async (query, field, near) => {
    const { status, body } = await alice.get('/demo/echo', `M8=x&${query}`);
    const error = `\`${field}\` is not known here: did you mean \`${near}\`?`;
    const values = { sentence: 'unknown_name_near', near };
    expect([status, body.code, body.errors]).toEqual([
      ...[400, 'unknown_parameter'],
      [{ field, code: 'unknown_parameter', error, values }],
    ]);
  });

  test('[CONV-7] A field of a JSON body whose name is close to a known one is refused', async () => {
    const { status, body } = await alice.post('/demo/echo', { message: 'x', validMinutes: 5, T: ['1'] });
    expect([status, body.error]).toEqual([
      400,
      '`validMinutes` is not known here: did you mean `validminutes`?',
    ]);
  });

  test('[CONV-7] A name far from all known names is ignored, however many such names there are', async () => {
    const query = Array.from({ length: 300 }, (_, index) => `_${index}=1`).join('&');
    const body = { message: 'x', trackingId: '7', comment: { deep: true } };
    const answers = [
      await alice.get('/demo/echo', `M8=x&utm_source=a&${query}`),
      await alice.post(`/demo/echo?utm_source=a&${query}`, body),
    ];
    for (const { status, body } of answers)
      expect([status, body.input?.message, body.error]).toEqual([200, 'x', undefined]);
  });

  test('[CONV-7] An unauthenticated client gets 401 instead of errors about parameter names', async () => {
    expect(await stranger.get('/demo/echo', 'valid_minutes=5')).toMatchObject({
      status: 401,
      body: { code: 'unauthorised' },
    });
    expect((await stranger.post('/demo/echo?V=5', { message: 'x' })).status).toBe(401);
  });

  test('[CONV-7] Faults of URL parameters are reported under their URL names', async () => {
    const { status, body } = await alice.get('/demo/echo', 'V=0&X=a&X=b&Z=maybe');
    expect(status).toBe(400);
    expect(body.errors.map(({ field, code }: Record<string, string>) => [field, code])).toEqual([
      ['X', 'duplicate_parameter'],
      ['Z', 'invalid_value'],
      ['V', 'invalid_value'],
    ]);
  });

  test('[CONV-4] A URL may be far longer than 16 KiB', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => `00 00 00 00 ${46_700_000_000 + index}`);
    const { status, body } = await alice.get('/demo/echo', `T=${numbers.join(',')}`);
    expect([status, body.input.to.length]).toEqual([200, 1_000]);
  });
});

test('[ALERT-4] A long answer to a call with an API key ends when the key is no longer accepted', async () => {
  let isAccepted = true;
  const endless = endpointsFor<DemoCaller>()({
    path: '/demo/endless',
    methods: ['GET'],
    group: 'Demo',
    title: 'Endless',
    description: 'Endless.',
    parameters: {},
    credentials: anyMethod,
    answer: Type.String(),
    async handle() {
      async function* slices() {
        for (let count = 0; ; count++) {
          isAccepted = count < 30;
          yield await pause(10).then(() => 'more ');
        }
      }
      return new SlicedAnswer(jsonHeaders, slices);
    },
  });
  const server = await startDemoServer({
    endpoints: [endless],
    authenticate() {
      if (isAccepted) return { name: 'alice' };
      throw new ServiceError('unauthorised', 'The key was revoked.');
    },
  });
  const read = await server.raw('GET /demo/endless HTTP/1.1\r\nHost: x\r\nX-API-Key: k\r\n\r\n');
  expect(read).toMatch(/^HTTP\/1.1 200 /);
  expect(read).toContain('more ');
  expect(server.log.at(-1)).toMatchObject({ msg: 'an answer was cut off partway' });
  await server.stop();
});

describe('credentials', () => {
  test('[AUTH-3] A 401 response carries a challenge and the error body', async () => {
    const { status, headers, body } = await stranger.get('/demo/echo');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Basic realm="Carillon", charset="UTF-8"');
    expect(body).toMatchObject({ result: 'ERROR', code: 'unauthorised' });
  });

  test('[ALERT-4] Where a bearer token is accepted, a 401 response says so, and whether the given one was refused', async () => {
    const basic = 'Basic realm="Carillon", charset="UTF-8"';
    const challengeOf = async (path: string, authorization?: string) =>
      (await stranger.get(path, '', authorization === undefined ? {} : { authorization })).headers.get(
        'www-authenticate',
      );
    expect(await challengeOf('/api/v1/notes')).toBe(`${basic}, Bearer realm="Carillon"`);
    for (const token of ['Bearer wrong', 'bearer', 'Bearer wrong wrong'])
      expect(await challengeOf('/api/v1/notes', token)).toBe(
        `${basic}, Bearer realm="Carillon", error="invalid_token"`,
      );
    expect(await challengeOf('/demo/echo', 'Bearer key-of-alice')).toBe(basic);
    const { status } = await stranger.get('/api/v1/notes/7', '', { authorization: 'Bearer key-of-alice' });
    expect(status).toBe(200);
  });

  test('[AUTH-3] A 401 response has no body where the API contract says so', async () => {
    for (const path of ['/demo/books', '/demo/books?key=key-of-alice']) {
      const { status, headers, text } = await stranger.get(path);
      expect([status, text, headers.get('content-length')]).toEqual([401, '', '0']);
      expect(headers.get('www-authenticate')).toContain('Basic');
      expect(headers.get('content-type')).toBeNull();
    }
  });

  test('[AUTH-2] An unauthenticated client learns nothing about parameters', async () => {
    expect((await stranger.post('/demo/echo', { validminutes: 0 })).body.code).toBe('unauthorised');
    expect((await stranger.get('/demo/echo', 'X=1&X=2&U=alice&P=wrong')).body.code).toBe('unauthorised');
  });

  test('[AUTH-1] Each credential method authenticates a call', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const answers = await Promise.all([
      stranger.post('/demo/echo', { username: 'alice', password: 'pässword' }),
      stranger.post('/demo/echo', { apikey: 'key-of-alice' }),
      stranger.post('/demo/echo?key=key-of-alice', {}),
      stranger.get('/demo/echo', 'U=alice&P=p%C3%A4ssword'),
      stranger.get('/demo/echo', 'key=key-of-alice'),
      stranger.get('/demo/echo', '', { authorization: `Basic ${base64('alice:pässword')}` }),
      stranger.get('/demo/echo', '', {
        'x-service-userid': base64('alice'),
        'x-service-password': base64('pässword'),
      }),
      stranger.get('/demo/echo', '', key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  test('[CONV-12] Credentials in headers and URL are checked before a byte of the body is read', async () => {
    const wrong = [
      ['', 'X-API-Key: of-nobody'],
      ['?key=of-nobody', 'X-A: b'],
      ['', 'Authorization: Basic YWxpY2U6d3Jvbmc='],
      ['', 'X-Service-Userid: YWxpY2U='],
      ['?U=alice&P=wrong', 'X-A: b'],
    ].map(([query, header]) => {
      // No more of the body ever arrives, and still there is an answer.
      const head = `POST /demo/echo${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}`;
      return demo.rawAnswer(`${head}\r\nContent-Length: 9000\r\n\r\n[`);
    });
    for (const answer of await Promise.all(wrong)) expect(answer).toMatch(/^HTTP\/1.1 401 /);
  });

  test.each([
    ['/demo/echo', '{', '}'],
    ['/demo/lines', 'a', 'b'],
  ])(
    '[CONV-12] Credentials are checked again after a body that came slowly (%s)',
    async (path, first, last) => {
      let asked = 0;
      const guarded = await startDemoServer({
        authenticate: () => {
          asked += 1;
          if (asked === 1) return { name: 'alice' };
          throw new ServiceError('unauthorised', 'The account is closed.');
        },
      });
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: k\r\nContent-Length: 2\r\n\r\n${first}`;
      const { answers } = await converse(guarded.port, [head, last], { pauseMs: 500 });
      expect(answers).toMatchObject([{ status: 401 }]);
      await guarded.stop();
    },
  );

  test('[CONV-7] A credential given twice in a URL is refused', async () => {
    expect((await stranger.get('/demo/echo', 'key=key-of-alice&key=x')).body.code).toBe(
      'duplicate_parameter',
    );
  });

  test('[AUTH-8] Credentials over plain HTTP from another machine are refused unless a trusted proxy ended TLS', async () => {
    const trustedProxies = new BlockList();
    trustedProxies.addSubnet('127.0.0.0', 8, 'ipv4');
    const behindProxy = await startDemoServer({ config: { trustedProxies } });
    const client = apiClient(behindProxy.url, { key: 'key-of-alice' });
    const plain = await client.get('/demo/echo', '', { 'x-forwarded-proto': 'http' });
    expect(plain).toMatchObject({ status: 403, body: { code: 'https_required' } });
    const safe = await client.get('/demo/echo', '', {
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '198.51.100.7',
    });
    expect(safe).toMatchObject({ status: 200, body: { address: '198.51.100.7' } });
    await behindProxy.stop();
    const unasked = await alice.get('/demo/echo', '', { 'x-forwarded-for': '198.51.100.7' });
    expect(unasked.body.address).toBe('127.0.0.1');
  });
});

describe('headers of a call', () => {
  test('[SEND-20] The Idempotency-Key header reaches the handler, and a malformed idempotency key is refused', async () => {
    const call = (idempotency: string) => alice.post('/demo/echo', {}, { 'idempotency-key': idempotency });
    expect((await call('a key, 1')).body.idempotencyKey).toBe('a key, 1');
    for (const bad of ['x'.repeat(256), 'nyckel-å', '']) {
      expect(await call(bad)).toMatchObject({
        status: 400,
        body: { code: 'invalid_value', errors: [{ field: 'Idempotency-Key' }] },
      });
    }
    expect((await alice.post('/demo/required', { email: 'a' }, { 'idempotency-key': '' })).status).toBe(200);
  });

  test.each([
    [undefined, 'application/json; charset=utf-8', '"the key"'],
    ['*/*', 'application/json; charset=utf-8', '"the key"'],
    ['text/plain', 'text/plain; charset=utf-8', 'the key'],
    ['text/*;q=0.5, application/json;q=0.4', 'text/plain; charset=utf-8', 'the key'],
    ['text/plain;q=0.5, */*', 'application/json; charset=utf-8', '"the key"'],
    ['application/json, text/plain', 'application/json; charset=utf-8', '"the key"'],
  ])(
    '[KEY-1] A text response has the format that the Accept header asks for: %s',
    async (accept, type, body) => {
      const client = apiClient(demo.url, { username: 'alice', password: 'pässword' });
      const answer = await client.get('/demo/key', '', accept === undefined ? {} : { accept });
      expect([answer.headers.get('content-type'), answer.text]).toEqual([type, body]);
    },
  );
});

describe('versions', () => {
  const change = (ifMatch: string, path = '/api/v1/notes/7') =>
    alice.patch(path, {}, { ...key, 'if-match': ifMatch });

  test('[PORT-4] The version of an object is its ETag, even for a new object', async () => {
    const read = await alice.get('/api/v1/notes/7');
    expect([read.status, read.headers.get('etag')]).toEqual([200, '"3"']);
    const made = await alice.post('/api/v1/notes');
    expect([made.status, made.headers.get('etag'), made.headers.get('location')]).toEqual([
      ...[201, '"1"', '/api/v1/notes/7'],
    ]);
  });

  test('[PORT-4] A version is taken from If-Match, and any but the current one is refused with 412', async () => {
    expect((await change('"2", "3"')).body).toEqual({ version: '3', ifMatch: ['2', '3'] });
    for (const any of ['*', undefined]) {
      const headers = any === undefined ? key : { ...key, 'if-match': any };
      const { status, body } = await alice.request('DELETE', '/api/v1/notes/7', { headers });
      expect([status, body]).toEqual([200, { version: '3' }]);
    }
    for (const other of ['"2"', 'W/"3"']) {
      const { status, body } = await change(other);
      expect([status, body.code]).toEqual([412, 'changed_meanwhile']);
    }
  });

  test('[PORT-4] A malformed If-Match header, or one on a call that takes no version, is reported as a fault of that header', async () => {
    const malformed = await change('3');
    expect([malformed.status, malformed.body.errors]).toMatchObject([
      400,
      [{ field: 'If-Match', code: 'invalid_value', error: expect.stringContaining('`If-Match`') }],
    ]);
    const headers = { ...key, 'if-match': '3' };
    const removed = await alice.request('DELETE', '/api/v1/notes/7', { headers });
    expect([removed.status, removed.body.errors?.[0]?.field]).toEqual([400, 'If-Match']);
    const { status, body } = await alice.post('/api/v1/notes', {}, headers);
    expect([status, body.errors]).toMatchObject([400, [{ field: 'If-Match', code: 'unknown_parameter' }]]);
    expect((await alice.get('/api/v1/notes', '', headers)).status).toBe(201);
    expect((await alice.post('/demo/echo', { message: 'x' }, headers)).status).toBe(200);
  });
});
