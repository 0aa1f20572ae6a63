import { connect, type Socket } from 'node:net';
import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../../test/harness/api-client.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import { type DemoServer, demoEndpoints, Held, startDemoServer } from '../../../test/harness/http-demo.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';
import { integer } from '../parameters/kinds.ts';
import type { JsonObject } from '../parameters/table.ts';

const key = 'X-API-Key: key-of-alice';

let demo: DemoServer;
let alice: ApiClient;
let stranger: ApiClient;
let held: Held;
let opened: AbortSignal[];
let sockets: Socket[];

/** An endpoint whose bodies are parsed elsewhere. */
const large = endpointsFor<{ readonly name: string }>()({
  path: '/demo/large',
  methods: ['POST'],
  group: 'Demo',
  title: 'Large',
  description: 'Takes large bodies.',
  parameters: { count: integer({ min: 1, max: 9, default: 1, description: 'A number.' }) },
  credentials: anyMethod,
  maxBodyBytes: Number.POSITIVE_INFINITY,
  answer: Type.Unsafe<object>({ type: 'object' }),
  async openBody({ blocks, length }, _caller, closed) {
    opened.push(closed);
    return JSON.parse(Buffer.concat(blocks, length).toString()) as JsonObject;
  },
  handle: ({ name }, { count }) => ({ caller: name, count }),
});

beforeEach(async () => {
  held = new Held();
  opened = [];
  sockets = [];
  demo = await demoWithLarge();
  alice = apiClient(demo.url, { key: 'key-of-alice' });
  stranger = apiClient(demo.url);
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  return demo.stop();
});

function demoWithLarge(): Promise<DemoServer> {
  return startDemoServer({
    endpoints: [...demoEndpoints(held), large],
    limits: {
      maxBodyBytes: 900_000,
      largeBodyBytes: 100_000,
      reservedBodyBytes: 300_000,
      maxUnauthenticatedBodyBytes: 250_000,
    },
  });
}

/** Begins a body that never ends, and resolves when the server has received what was sent. */
async function beginBody(sentBytes: number, ...headers: readonly string[]): Promise<Socket> {
  const head = ['POST /demo/large HTTP/1.1', 'Host: x', 'Content-Length: 240000', ...headers, '', ''];
  const socket = connect(demo.port, '127.0.0.1', () =>
    socket.write(head.join('\r\n') + 'x'.repeat(sentBytes)),
  );
  sockets.push(socket.on('error', () => {}));
  await pause(60);
  return socket;
}

const bodyOf = (bytes: number, fields = '') => `{${fields}"x":"${'x'.repeat(bytes)}"}`;
const asAlice = '"apikey":"key-of-alice",';

describe('large JSON bodies', () => {
  test('[BATCH-6] A large JSON body is not read if the credentials in its headers or URL are wrong', async () => {
    const strangers = [
      ['', 'X-API-Key: of-nobody'],
      ['?key=of-nobody', 'X-A: b'],
      ['', 'Authorization: Basic YWxpY2U6d3Jvbmc='],
      ['', 'X-Service-Userid: YWxpY2U='],
      ['?U=alice&P=wrong', 'X-A: b'],
    ].map(([query, header]) => {
      // No more of the body ever arrives, and still there is an answer.
      const head = `POST /demo/large${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}`;
      return demo.rawAnswer(`${head}\r\nContent-Length: 900000\r\n\r\n{"count":0`);
    });
    for (const answer of await Promise.all(strangers)) expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(opened).toEqual([]);
  });

  test('[AUTH-1] A large JSON body may hold the credentials, or leave them to headers and URL', async () => {
    const answers = await Promise.all([
      stranger.post('/demo/large', bodyOf(5, asAlice)),
      stranger.post('/demo/large', bodyOf(200_000, '"username":"alice","password":"pässword",')),
      stranger.post('/demo/large?key=key-of-alice', bodyOf(5)),
      alice.post('/demo/large', bodyOf(200_000)),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { caller: 'alice' } });
    expect(await stranger.post('/demo/large', bodyOf(5))).toMatchObject({ status: 401 });
  });

  test('[AUTH-2] Credentials in a large body besides those in a header are answered with 401, even if they are right', async () => {
    const two = await alice.post('/demo/large', bodyOf(5, asAlice));
    expect(two).toMatchObject({ status: 401, body: { error: expect.stringContaining('two methods') } });
    const empty = await alice.post('/demo/large', bodyOf(5, '"apikey":"",'));
    expect(empty).toMatchObject({ status: 200 });
  });

  test('[AUTH-2] The parameters of a large body are checked after its credentials', async () => {
    expect(await stranger.post('/demo/large', bodyOf(5, '"count":0,'))).toMatchObject({ status: 401 });
    expect(await alice.post('/demo/large', bodyOf(5, '"count":0,'))).toMatchObject({
      status: 400,
      body: { code: 'invalid_value' },
    });
    const twice = await stranger.post('/demo/large?key=key-of-alice&key=x', bodyOf(5));
    expect(twice.body.errors ?? [twice.body]).toHaveLength(1);
    expect(twice.body.code).toBe('duplicate_parameter');
  });

  test('[DLV-8] Large bodies of unauthenticated clients take only part of the memory, and keep no authenticated caller out', async () => {
    await beginBody(200_000);
    const refused = await stranger.post('/demo/large', bodyOf(150_000, asAlice));
    expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } });
    expect(await stranger.post('/demo/large', bodyOf(50_000, asAlice))).toMatchObject({ status: 200 });
    expect(await alice.post('/demo/large', bodyOf(350_000))).toMatchObject({ status: 200 });
  });

  test('[DLV-8] Large bodies of authenticated callers leave room for those of usual size', async () => {
    for (let body = 0; body < 3; body++) await beginBody(190_000, key);
    const refused = await alice.post('/demo/large', bodyOf(150_000));
    expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } });
    expect(await stranger.post('/demo/large', bodyOf(90_000, asAlice))).toMatchObject({ status: 200 });
  });
});

describe('a client who leaves while an earlier answer on its connection is awaited', () => {
  async function leave(request: string): Promise<void> {
    const slow = `POST /demo/slow HTTP/1.1\r\nHost: x\r\n${key}\r\nContent-Length: 0\r\n\r\n`;
    const socket = connect(demo.port, '127.0.0.1', () => socket.write(slow + request));
    await until(() => held.waiting.length === 1);
    await pause(100);
    // With a plain end it would still wait for its answers.
    socket.resetAndDestroy();
    await pause(50);
  }
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\n${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test.each([
    ['whole', 0],
    ['half', 1_000],
  ])(
    '[DLV-8] A client that leaves while an earlier response is awaited frees the memory of its body (%s)',
    async (_, missing) => {
      const request = post('/demo/lines', 'x'.repeat(600_000));
      await leave(request.slice(0, request.length - missing));
      const next = await alice.request('POST', '/demo/lines', { body: 'x'.repeat(600_000) });
      expect(next.status).toBe(200);
    },
  );

  test('[BATCH-6] The body of a client that leaves while an earlier response is awaited is released', async () => {
    await leave(post('/demo/large', bodyOf(200_000)));
    expect(opened.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
