import { connect } from 'node:net';
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

describe('bodies', () => {
  test.each([
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain; charset=iso-8859-1',
    'json',
    ';;;',
    '',
  ])('[CONV-8] A body is read as JSON even with the Content-Type %j', async (type) => {
    const answer = await alice.post('/demo/echo', '{"message":"å"}', { 'content-type': type });
    expect(answer).toMatchObject({ status: 200, body: { input: { message: 'å' } } });
  });

  test('[CONV-8] A JSON body may lack a Content-Type', async () => {
    const answer = await demo.raw(
      'POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{"message":"a"}',
    );
    expect(answer).toContain('"message":"a"');
  });

  test('[CONV-8] A body may be empty, and may come in chunks', async () => {
    expect(await alice.request('POST', '/demo/echo')).toMatchObject({ status: 200 });
    expect(await alice.post('/demo/echo', '')).toMatchObject({ status: 200 });
    const pieces = ['5\r\n{"mes\r\n', 'a\r\nsage":"a"}\r\n', '0\r\n\r\n'].join('');
    const chunked = await demo.raw(
      `POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${pieces}`,
    );
    expect(chunked).toContain('"message":"a"');
  });

  test('[CONV-8] A body may come in hundreds of chunks', async () => {
    const message = 'abcdefghij'.repeat(50);
    const pieces = [...`{"message":"${message}"}`].map((character) => `1\r\n${character}\r\n`).join('');
    const answer = await demo.raw(
      `POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${pieces}0\r\n\r\n`,
    );
    expect(answer).toContain(`"message":"${message}"`);
  });

  test.each(['multipart/form-data; boundary=x', 'Multipart/Mixed'])(
    '[CONV-8] A body of type %s is refused with 415',
    async (type) => {
      const answer = await alice.post('/demo/echo', '--x\r\n\r\n--x--', { 'content-type': type });
      expect(answer).toMatchObject({ status: 415, body: { code: 'multipart_not_supported' } });
    },
  );

  test('[CONV-8] Faults of a body are reported with their position, before its credentials are checked', async () => {
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

  test('[CONV-8] A body up to the endpoint’s limit is accepted, and a larger one is refused with 413', async () => {
    const bodyOf = (bytes: number) => `{"q":"${'x'.repeat(bytes - 8)}"}`;
    expect(await alice.post('/demo/echo', bodyOf(20_000))).toMatchObject({ status: 200 });
    expect(await alice.post('/demo/echo', bodyOf(20_001))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', error: expect.stringContaining('20000 bytes') },
    });
  });

  test('[CONV-8] An oversized body is refused while it arrives, even without a length, and at once if its length is too large', async () => {
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

  test.each(['keep-alive', 'close'])(
    '[CONV-8] The 413 response also reaches a client that reads only after it has sent everything (Connection: %s)',
    async (connection) => {
      const length = 200_000;
      const head = `POST /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nConnection: ${connection}\r\nContent-Length: ${length}\r\n\r\n`;
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(demo.port, '127.0.0.1').on('error', reject).setEncoding('utf8');
        socket.write(head);
        socket.write(Buffer.alloc(length), (error) => {
          if (error) return reject(error);
          socket.once('data', (chunk) => {
            resolve(String(chunk));
            socket.destroy();
          });
        });
      });
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
    },
  );

  test('[CONV-8] A body of lines is passed on unchanged, and its parameters are read from the URL', async () => {
    const answer = await stranger.request('POST', '/demo/lines?U=alice&P=p%C3%A4ssword&M8=hi', {
      body: '46701;{',
    });
    expect(answer).toMatchObject({ status: 200, body: { caller: 'alice', message: 'hi', lines: '46701;{' } });
  });

  test('[BATCH-6] A body of lines is not read before its sender is authenticated', async () => {
    const head = (query: string) =>
      `POST /demo/lines?${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 900000\r\n\r\n46701`;
    // No more of the body ever arrives, and still there is an answer.
    expect(await demo.rawAnswer(head('U=alice&P=wrong'))).toMatch(/^HTTP\/1.1 401 /);
    expect(await demo.rawAnswer(head('key=key-of-alice&M8=%zz'))).toMatch(/^HTTP\/1.1 400 /);
  });

  test('[CONV-8] A body of lines is bounded by the limit for all bodies', async () => {
    const post = (bytes: number) => alice.request('POST', '/demo/lines', { body: Buffer.alloc(bytes, 'x') });
    const taken = await post(1_000_000);
    expect([taken.status, taken.body.lines.length]).toEqual([200, 1_000_000]);
    expect(await post(1_000_001)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });
});
