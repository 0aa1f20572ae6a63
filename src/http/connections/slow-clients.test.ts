import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Type from 'typebox';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause, until } from '../../../test/harness/awake.ts';
import { type DemoServer, demoEndpoints, startDemoServer } from '../../../test/harness/http-demo.ts';
import { requestsWith } from '../../../test/harness/raw-socket.ts';
import { jsonHeaders } from '../answers/respond.ts';
import { SlicedAnswer } from '../answers/sliced-answer.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';

const { get, head } = requestsWith(() => 'key-of-alice');
const mebibyte = 1024 * 1024;
/** More than all buffers on the way can hold. */
const answerBytes = 24 * mebibyte;

let isProducing = true;
async function* endless(): AsyncGenerator<string> {
  yield '["';
  while (isProducing) yield 'x'.repeat(65_536);
  yield '"]';
}

const common = {
  methods: ['GET'],
  group: 'Demo',
  title: 'Demo',
  description: 'Answers much.',
  parameters: {},
  credentials: anyMethod,
  answer: Type.Unsafe<object>({ type: 'object' }),
} as const;
const endpoint = endpointsFor<{ readonly name: string }>();
const large = [
  endpoint({ ...common, path: '/demo/large', handle: () => ({ large: 'x'.repeat(answerBytes) }) }),
  endpoint({ ...common, path: '/demo/endless', handle: () => new SlicedAnswer(jsonHeaders, endless) }),
];

/** Shorter limits and more frequent checks than in production, so that slow clients show within seconds. */
const slowClientLimits = {
  lookIntervalMs: 20,
  graceMs: 400,
  minBytesPerSecond: 50_000,
  stallMs: 2_000,
  maxUntakenBytes: 64 * mebibyte,
};

describe('slow clients', () => {
  let demo: DemoServer;
  const ended: string[] = [];
  const open: Socket[] = [];
  beforeAll(async () => {
    const metrics = {
      connectionEnded: (reason: string) => void ended.push(reason),
      request: () => undefined,
      contentType: 'text/plain',
      text: () => '',
    };
    demo = await startDemoServer({ endpoints: [...demoEndpoints(), ...large], slowClientLimits, metrics });
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
    ended.splice(0);
    isProducing = true;
  });
  afterAll(() => demo.stop());

  async function begin(bytes: string): Promise<Socket> {
    const socket = connect({ port: demo.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    open.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }
  const upload = (bytes: number) => head('POST /demo/lines?M8=x HTTP/1.1', `Content-Length: ${bytes}`);

  test('[DLV-8] [CONV-12] A body that almost stops coming is answered with 408, and its connection ends', async () => {
    for (const trickle of ['', 'a']) {
      const socket = await begin(upload(100_000));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
      });
      const timer = setInterval(() => socket.write(trickle), 20);
      await once(socket, 'end');
      clearInterval(timer);
      expect(received).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    }
    await until(() => demo.server.connections.size === 0);
    expect(ended).toEqual(['slow_request', 'slow_request']);
  });

  test('[DLV-8] A request that was refused as too slow is not carried out afterwards', async () => {
    const socket = await begin(upload(10));
    await once(socket, 'data');
    socket.write('0123456789');
    const late: string[] = [];
    socket.on('data', (chunk) => late.push(chunk.toString('latin1')));
    await once(socket, 'end');
    expect(late).toEqual([]);
  });

  test('[DLV-8] The server waits for a large body that comes over a slow line', async () => {
    const size = 300_000;
    const socket = await begin(upload(size));
    const answer = once(socket, 'data');
    // Twice as fast as required, in a quarter of the pieces.
    for (let sent = 0; sent < size; sent += 30_000) {
      socket.write('x'.repeat(30_000));
      await pause(200);
    }
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /);
    expect(ended).toEqual([]);
  });

  test('[DLV-8] A response that the client does not read is broken off, whether complete or still being made', async () => {
    for (const path of ['/demo/large', '/demo/endless']) {
      const socket = await begin(get(path));
      socket.pause();
      await until(() => demo.server.connections.size === 0);
      expect(ended.splice(0)).toEqual(['slow_reader']);
    }
  });

  test('[DLV-8] A response that is read slowly continues as long as the client keeps reading', async () => {
    const socket = await begin(get('/demo/large'));
    let taken = 0;
    let isPaused = false;
    socket.on('data', (chunk) => {
      taken += chunk.length;
      if (isPaused) return;
      isPaused = true;
      socket.pause();
      void pause(10).then(() => {
        isPaused = false;
        socket.resume();
      });
    });
    await until(() => taken > answerBytes || socket.destroyed);
    expect(taken).toBeGreaterThan(answerBytes);
  });

  test('[DLV-8] Unread response data is bounded in bytes: connections beyond the bound are broken off', async () => {
    const sockets: Socket[] = [];
    for (let index = 0; index < 6; index++) {
      const socket = await begin(get('/demo/large'));
      await once(socket, 'readable');
      sockets.push(socket);
    }
    // There is room for two.
    await until(() => ended.length >= 4);
    await until(() => demo.server.connections.size <= 2);
  });
});
