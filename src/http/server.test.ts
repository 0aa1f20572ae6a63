import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../test/harness/api-client.ts';
import { type DemoServer, startDemoServer } from '../../test/harness/http-demo.ts';

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
  test('[CONV-2] do the same', async () => {
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

  test('[CONV-2] DELETE carries its parameters in the URL; a body beside them is ignored', async () => {
    const answer = await alice.request('DELETE', '/demo/echo?M8=x', { body: '{"message":"y"', headers: key });
    expect(answer).toMatchObject({ status: 200, body: { input: { message: 'x' } } });
  });

  test('[CONV-3] answers are JSON in UTF-8', async () => {
    const { headers, body } = await alice.post('/demo/echo', { message: '…åäö😀' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.input.message).toBe('…åäö😀');
  });

  test('[CONV-7] in a POST, parameters of the URL are unknown ones', async () => {
    const { status, body } = await alice.post('/demo/echo?M8=url&V=0&X=a&X=b', { message: 'body' });
    expect([status, body.input.message, body.input.validminutes]).toEqual([200, 'body', 1440]);
  });

  test('[CONV-7] faults of a URL are told by its names', async () => {
    const { status, body } = await alice.get('/demo/echo', 'V=0&X=a&X=b&Z=maybe');
    expect(status).toBe(400);
    expect(body.errors.map(({ field, code }: Record<string, string>) => [field, code])).toEqual([
      ['X', 'duplicate_parameter'],
      ['Z', 'invalid_value'],
      ['V', 'invalid_value'],
    ]);
  });

  test('[CONV-4] a URL may be far longer than 16 KiB', async () => {
    const numbers = Array.from({ length: 4_000 }, (_, index) => String(46_700_000_000 + index));
    const { status, body } = await alice.get('/demo/echo', `T=${numbers.join(',')}`);
    expect([status, body.input.to.length]).toEqual([200, 4_000]);
  });
});

describe('bodies', () => {
  test.each([
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain; charset=iso-8859-1',
    'json',
    ';;;',
    '',
  ])('[CONV-8] are JSON, also as %j', async (type) => {
    const answer = await alice.post('/demo/echo', '{"message":"å"}', { 'content-type': type });
    expect(answer).toMatchObject({ status: 200, body: { input: { message: 'å' } } });
  });

  test('[CONV-8] may lack a Content-Type', async () => {
    const answer = await demo.raw(
      'POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{"message":"a"}',
    );
    expect(answer).toContain('"message":"a"');
  });

  test('[CONV-8] may be of no bytes, and come in pieces', async () => {
    expect(await alice.request('POST', '/demo/echo')).toMatchObject({ status: 200 });
    expect(await alice.post('/demo/echo', '')).toMatchObject({ status: 200 });
    const pieces = ['5\r\n{"mes\r\n', 'a\r\nsage":"a"}\r\n', '0\r\n\r\n'].join('');
    const chunked = await demo.raw(
      `POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${pieces}`,
    );
    expect(chunked).toContain('"message":"a"');
  });

  test.each(['multipart/form-data; boundary=x', 'Multipart/Mixed'])(
    '[CONV-8] must not be %s',
    async (type) => {
      const answer = await alice.post('/demo/echo', '--x\r\n\r\n--x--', { 'content-type': type });
      expect(answer).toMatchObject({ status: 415, body: { code: 'multipart_not_supported' } });
    },
  );

  test('[CONV-8] faults come with their place, before any question of credentials', async () => {
    const json = await stranger.post('/demo/echo', '{"message":"a",\n}');
    expect(json).toMatchObject({ status: 400, body: { code: 'bad_json' } });
    expect(json.body.error).toContain('line 2, column 1');
    const latin1 = await stranger.request('POST', '/demo/echo', {
      body: Buffer.from('{"message":"\xe5"}', 'latin1'),
    });
    expect(latin1).toMatchObject({ status: 400, body: { code: 'bad_encoding' } });
    expect(latin1.body.error).toContain('byte 13');
    expect(await stranger.post('/demo/echo', '[]')).toMatchObject({
      status: 400,
      body: { code: 'bad_json' },
    });
  });

  test('[CONV-8] up to the limit of the endpoint are taken, larger ones are 413', async () => {
    const bodyOf = (bytes: number) => `{"q":"${'x'.repeat(bytes - 8)}"}`;
    expect(await alice.post('/demo/echo', bodyOf(20_000))).toMatchObject({ status: 200 });
    expect(await alice.post('/demo/echo', bodyOf(20_001))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', error: expect.stringContaining('20000 bytes') },
    });
  });

  test('[CONV-8] larger ones are refused while they come, also without a length, and at once with one', async () => {
    const announced = demo.raw(
      'POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 9999999999\r\n\r\n{',
    );
    const endless = demo.raw(
      `POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nTransfer-Encoding: chunked\r\n\r\n${'4000\r\n'}${'x'.repeat(0x4000)}\r\n4000\r\n${'x'.repeat(0x4000)}\r\n`,
    );
    for (const answer of await Promise.all([announced, endless])) {
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
      expect(answer).toContain('"code":"body_too_large"');
    }
  });

  test('[BATCH-1] that are lists of lines stay as they are, with the parameters in the URL', async () => {
    const answer = await stranger.request('POST', '/demo/lines?U=alice&P=p%C3%A4ssword&M8=hi', {
      body: '46701;{',
    });
    expect(answer).toMatchObject({ status: 200, body: { caller: 'alice', message: 'hi', lines: '46701;{' } });
  });
});

describe('paths and methods', () => {
  test.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'QUERY', 'PROPFIND'])(
    '[CONV-8] %s is 405 with Allow',
    async (method) => {
      const answer = await alice.request(method, '/demo/echo');
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, POST, DELETE');
      if (method !== 'HEAD')
        expect(answer.body).toMatchObject({ result: 'ERROR', code: 'method_not_allowed' });
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    },
  );

  test('[CONV-8] GET where only POST is offered is 405', async () => {
    const answer = await alice.get('/demo/slow?x=1');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('[CONV-8] an unknown path is 404, whatever is posted there', async () => {
    for (const path of ['/demo/none', '/demo/echo/', '/DEMO/echo']) {
      const answer = await stranger.post(path, '{bad', { 'content-type': 'nonsense' });
      expect(answer).toMatchObject({ status: 404, body: { result: 'ERROR', code: 'not_found' } });
    }
  });

  test('[CONV-8] a path with a broken escape is 400', async () => {
    expect(await alice.get('/demo/%zz')).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  });

  test('[CONV-1] a path prefix may stand in front of every path, or be left out', async () => {
    const prefixed = await startDemoServer({ config: { pathPrefix: '/sms/gate' } });
    const client = apiClient(prefixed.url, { key: 'key-of-alice' });
    for (const path of ['/sms/gate/demo/echo', '/demo/echo']) {
      expect(await client.get(path, 'M8=x')).toMatchObject({
        status: 200,
        body: { input: { message: 'x' } },
      });
    }
    expect((await client.get('/sms/gate')).text).toContain('href="/sms/gate/docs"');
    expect((await client.get('/sms/gate?x=1')).status).toBe(200);
    expect((await client.get('/sms/gateway')).status).toBe(404);
    expect((await client.request('PUT', '/sms/gate/demo/echo')).status).toBe(405);
    await prefixed.stop();
  });
});

describe('error answers', () => {
  test('[CONV-10] have one form', async () => {
    const { status, headers, body } = await alice.post('/demo/echo', { validminutes: 0 });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const error = '`validminutes` must be a whole number from 1 to 10080, but is 0.';
    expect(body).toEqual({
      result: 'ERROR',
      error,
      code: 'invalid_value',
      errors: [{ field: 'validminutes', code: 'invalid_value', error }],
    });
    expect(Object.keys((await alice.get('/none')).body)).toEqual(['result', 'error', 'code']);
  });

  test('[CONV-10] may have fields of the endpoint or of the fault besides', async () => {
    const missing = await alice.post('/demo/required', { email: '' });
    expect(missing).toMatchObject({ status: 400, body: { code: 'missing_parameter', runtimeid: 0 } });
    expect(missing.body.errormessage).toBe(missing.body.error);
    expect((await stranger.get('/demo/required')).body).toMatchObject({ code: 'unauthorised', runtimeid: 0 });
    expect((await alice.post('/demo/failing', { how: 'body' })).body).toMatchObject({ rejected: ['1'] });
  });

  test('[CONV-10] tell nothing of an unforeseen error; the log tells all, by the id of the request', async () => {
    const answer = await alice.post('/demo/failing', {}, { 'x-request-id': 'find-me' });
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(answer.text).not.toMatch(/SELECT|passwd|stack/);
    const entry = demo.log.find(({ requestId, level }) => requestId === 'find-me' && level === 50);
    expect(JSON.stringify(entry)).toMatch(/SELECT secret.*stack|stack.*SELECT secret/);
  });

  test('[CONV-11] 503 says when to try again', async () => {
    const answer = await alice.post('/demo/failing', { how: 'busy' });
    expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('[CONV-10] every answer carries an X-Request-Id: the caller’s, if it is a sane one', async () => {
    const idOf = async (path: string, id?: string) =>
      (await alice.get(path, '', id === undefined ? {} : { 'x-request-id': id })).headers.get('x-request-id');
    for (const path of ['/demo/echo', '/none', '/', '/docs', '/healthz', '/docs/openapi.json', '/demo/%zz']) {
      expect(await idOf(path, 'Mine-1.a:b_')).toBe('Mine-1.a:b_');
      expect(await idOf(path)).toMatch(/^[A-Za-z0-9]+-[a-z0-9]+$/);
    }
    expect(await idOf('/demo/echo', 'x'.repeat(129))).toMatch(/^[A-Za-z0-9]+-/);
    expect(await idOf('/demo/echo', 'a b')).not.toBe('a b');
    expect(await idOf('/demo/echo')).not.toBe(await idOf('/demo/echo'));
  });

  test('[RUN-4] the log names path and status, and neither query nor body nor credentials', async () => {
    await alice.get('/demo/echo', 'M8=secret-text&X=c', { 'x-request-id': 'log-me' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const entries = demo.log.filter(({ requestId }) => requestId === 'log-me');
    expect(entries).toMatchObject([{ method: 'GET', path: '/demo/echo', status: 200 }]);
    expect(JSON.stringify(demo.log)).not.toMatch(/secret-text|key-of-alice/);
  });
});

describe('credentials', () => {
  test('[AUTH-3] 401 carries a challenge and the error body', async () => {
    const { status, headers, body } = await stranger.get('/demo/echo');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Basic realm="Carillon", charset="UTF-8"');
    expect(body).toMatchObject({ result: 'ERROR', code: 'unauthorised' });
  });

  test('[AUTH-3] where the API contract says so, 401 has no body', async () => {
    for (const path of ['/demo/books', '/demo/books?key=key-of-alice']) {
      const { status, headers, text } = await stranger.get(path);
      expect([status, text, headers.get('content-length')]).toEqual([401, '', '0']);
      expect(headers.get('www-authenticate')).toContain('Basic');
      expect(headers.get('content-type')).toBeNull();
    }
  });

  test('[AUTH-2] a stranger learns nothing about parameters', async () => {
    expect((await stranger.post('/demo/echo', { validminutes: 0 })).body.code).toBe('unauthorised');
    expect((await stranger.get('/demo/echo', 'X=1&X=2&U=alice&P=wrong')).body.code).toBe('unauthorised');
  });

  test('[AUTH-1] each method opens the door', async () => {
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

  test('[CONV-7] a credential that stands twice in a URL is a fault', async () => {
    expect((await stranger.get('/demo/echo', 'key=key-of-alice&key=x')).body.code).toBe(
      'duplicate_parameter',
    );
  });

  test('[AUTH-8] are not taken over plain HTTP from another machine, unless a trusted proxy ended TLS', async () => {
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
  test('[SEND-20] Idempotency-Key reaches the handler; an improper one is refused', async () => {
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
  ])('[KEY-1] a text comes as Accept says: %s', async (accept, type, body) => {
    const client = apiClient(demo.url, { username: 'alice', password: 'pässword' });
    const answer = await client.get('/demo/key', '', accept === undefined ? {} : { accept });
    expect([answer.headers.get('content-type'), answer.text]).toEqual([type, body]);
  });
});
