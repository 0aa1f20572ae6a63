import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../../../test/harness/api-client.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { converse, requestsWith } from '../../../test/harness/raw-socket.ts';

const { head, post } = requestsWith(() => 'key-of-alice');

let demo: DemoServer;
/** The server's sockets, in the order in which they were accepted. */
const accepted: Socket[] = [];

beforeAll(async () => {
  demo = await startDemoServer();
  demo.server.app.server.on('connection', (socket: Socket) => accepted.push(socket));
});

afterAll(() => demo.stop());

const tooLong = head('POST /demo/echo HTTP/1.1', 'Content-Length: 999999999');
const endless = head('POST /demo/echo HTTP/1.1', 'Transfer-Encoding: chunked');
const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;

describe('a body that is not wanted', () => {
  test.each([
    ['announced', () => tooLong, 'x'.repeat(0x4000)],
    ['without a length', () => endless, chunk],
    ['of a GET', () => tooLong.replace('POST', 'GET'), 'x'.repeat(0x4000)],
  ])(
    '[CONV-12] A body that is not wanted is not read any further after the response (%s)',
    async (_what, request, piece) => {
      const before = accepted.length;
      const client = connect(demo.port, '127.0.0.1').on('error', () => {});
      const answered = new Promise((resolve) => client.once('data', resolve));
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.write(request());
      // Writes as much as the connection takes, for as long as it takes anything.
      const more = () => {
        while (!client.destroyed && client.write(piece));
      };
      client.on('drain', more);
      more();
      expect(String(await answered)).toMatch(/\r\nConnection: close\r\n/);
      await closed;
      expect(accepted[before]?.bytesRead).toBeLessThan(1_000_000);
    },
  );

  test('[CONV-12] [DLV-8] A body that ended before its refusal leaves the connection open, even seconds later', async () => {
    const refused = post('/demo/echo', '{}', 'Content-Type: multipart/x');
    const held = post('/demo/slow', '{}');
    const client = connect(demo.port, '127.0.0.1', () => client.write(held + refused.repeat(3)));
    let received = '';
    client.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    await until(() => demo.held.waiting.length === 1);
    demo.held.release();
    await until(() => received.split('HTTP/1.1 415').length === 4);
    await pause(2_500);
    client.write(post('/demo/echo', '{}'));
    await until(() => client.destroyed || received.split('HTTP/1.1 200').length === 3);
    expect(client.destroyed).toBe(false);
    client.destroy();
  });

  test('[CONV-12] A small body that is refused leaves the connection open', async () => {
    const wrong = post('/demo/echo', `{"x":"${'x'.repeat(15_000)}"}`, 'Content-Type: multipart/x');
    const { answers, ended } = await converse(demo.port, [wrong + post('/demo/echo', '{}')], { answers: 2 });
    expect(answers.map(({ status }) => status)).toEqual([415, 200]);
    expect(ended).toBe('open');
  });

  test('[CONV-12] A body that is not wanted ends the connection only after the responses to earlier requests', async () => {
    const slow = post('/demo/slow', '{}');
    const talking = converse(demo.port, [slow + tooLong], { answers: 2 });
    await until(() => demo.held.waiting.length === 1);
    await pause(2_500);
    demo.held.release();
    const { answers, ended } = await talking;
    expect(answers.map(({ status }) => status)).toEqual([200, 413]);
    expect(ended).toBe('closed');
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (length: number, ...headers: readonly string[]) =>
    head(`POST /demo/echo HTTP/1.1`, `Content-Length: ${length}`, 'Expect: 100-continue', ...headers);

  test('[CONV-12] A request with Expect: 100-continue gets the final response at once if its body is not wanted', async () => {
    const refused = [
      [413, expecting(20_001)],
      [415, expecting(10, 'Content-Type: multipart/x')],
      [415, expecting(10, 'Content-Encoding: gzip')],
      [403, expecting(10, 'Authorization: Basic YTpi', 'Sec-Fetch-Site: cross-site')],
      [404, expecting(10).replace('echo', 'nowhere')],
    ] as const;
    for (const [status, request] of refused) {
      const { answers, ended } = await converse(demo.port, [request]);
      expect(answers).toMatchObject([{ status, headers: { connection: 'close' } }]);
      expect(ended).toBe('closed');
    }
  });

  test('[CONV-12] A request with Expect: 100-continue gets the go-ahead if its body is wanted, and then the response', async () => {
    const talking = await converse(demo.port, [expecting(2), '{}'], { pauseMs: 200, answers: 2 });
    expect(talking.answers).toMatchObject([{ status: 100 }, { status: 200 }]);
    expect(talking.ended).toBe('open');
  });
});

describe('a compressed body', () => {
  test.each(['gzip', 'br', 'identity, gzip', 'x'])(
    '[CONV-12] A compressed body (%s) is refused with 415',
    async (coding) => {
      const alice = apiClient(demo.url, { key: 'key-of-alice' });
      const body = gzipSync('{"message":"a"}');
      for (const path of ['/demo/echo', '/demo/lines']) {
        const answer = await alice.request('POST', path, { body, headers: { 'content-encoding': coding } });
        expect(answer).toMatchObject({ status: 415, body: { code: 'content_encoding_not_supported' } });
        expect(answer.headers.get('accept-encoding')).toBe('identity');
      }
    },
  );

  test.each(['identity', 'Identity', ''])(
    '[CONV-12] A body with a Content-Encoding that means uncompressed (%j) is accepted',
    async (coding) => {
      const alice = apiClient(demo.url, { key: 'key-of-alice' });
      const answer = await alice.post('/demo/echo', '{"message":"a"}', { 'content-encoding': coding });
      expect(answer).toMatchObject({ status: 200, body: { input: { message: 'a' } } });
    },
  );
});
