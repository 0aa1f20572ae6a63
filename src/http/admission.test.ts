import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ApiClient, apiClient } from '../../test/harness/api-client.ts';
import { pause, until } from '../../test/harness/awake.ts';
import { type DemoOptions, type DemoServer, startDemoServer } from '../../test/harness/http-demo.ts';

let demo: DemoServer;

async function start(options: DemoOptions = {}): Promise<ApiClient> {
  demo = await startDemoServer(options);
  return apiClient(demo.url, { key: 'key-of-alice' });
}

afterEach(() => demo.stop());

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

describe('overload', () => {
  test('[DLV-8] [CONV-10] [CONV-11] Requests above the limit are refused at once, while probes are still answered', async () => {
    const client = await start({ limits: { maxRequests: 2 } });
    const taken = [client.post('/demo/slow'), client.post('/demo/slow')];
    await waitFor(() => demo.held.waiting.length === 2);
    const refused = await client.post('/demo/slow');
    expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    // This also holds where only the first line of a call is looked at.
    const named = await client.get('/demo/required', 'EM=a%40b.example');
    const { error } = named.body;
    expect(named).toMatchObject({
      status: 503,
      body: { runtimeid: 0, asked: 'a@b.example', errormessage: error },
    });
    expect((await client.get('/healthz')).status).toBe(200);
    demo.held.release();
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await client.get('/demo/echo')).status).toBe(200);
  });

  test('[DLV-8] [CONV-12] A request that waits for something outside the server gives its place to others, and must then get a new place', async () => {
    const client = await start({ limits: { maxRequests: 2 } });
    const away = Array.from({ length: 5 }, () => client.post('/demo/away'));
    await waitFor(() => demo.held.waiting.length === 5);
    const taken = [client.post('/demo/slow'), client.post('/demo/slow')];
    await waitFor(() => demo.held.waiting.length === 7);
    for (const answer of demo.held.waiting.slice(0, 5)) answer();
    expect((await Promise.all(away)).map(({ status }) => status)).toEqual(away.map(() => 503));
    demo.held.release();
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200]);
    const later = client.post('/demo/away');
    await waitFor(() => demo.held.waiting.length === 1);
    demo.held.release();
    expect((await later).status).toBe(200);
  });

  test('[DLV-8] [CONV-12] A request that waits for its turn in the store takes no place from others', async () => {
    let waitingReads = 0;
    const client = await start({ limits: { maxRequests: 2 }, waitingReads: () => waitingReads });
    const taken = [client.post('/demo/slow'), client.post('/demo/slow')];
    await waitFor(() => demo.held.waiting.length === 2);
    expect((await client.get('/demo/echo')).status).toBe(503);
    waitingReads = 1;
    expect((await client.get('/demo/echo')).status).toBe(200);
    waitingReads = 0;
    expect((await client.get('/demo/echo')).status).toBe(503);
    demo.held.release();
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('[DLV-8] The large bodies of all requests together are bounded, and a small request still passes', async () => {
    const lines = `/demo/lines?key=key-of-alice`;
    const client = await start({ limits: { maxBodyBytes: 250_000 } });
    const large = 'x'.repeat(200_000);
    expect((await client.request('POST', '/demo/lines', { body: large })).status).toBe(200);
    const half = connect(demo.port, '127.0.0.1', () =>
      half.write(`POST ${lines} HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(150_000)}`),
    );
    const again = () => client.request('POST', '/demo/lines', { body: large });
    await until(async () => (await again()).status !== 200);
    expect(await again()).toMatchObject({ status: 503, body: { code: 'overloaded' } });
    expect((await client.post('/demo/echo', { message: 'small' })).status).toBe(200);
    half.destroy();
    await until(async () => (await again()).status === 200);
  });

  test('[DLV-8] A late event loop refuses requests it could not answer in time, until it has caught up', async () => {
    const client = await start({ limits: { maxWaitMs: 50, minRequests: 0 } });
    let blocks = 14;
    const refused = await new Promise<number>((resolve, reject) => {
      const block = () => {
        const until = performance.now() + 200;
        while (performance.now() < until);
        blocks -= 1;
        if (blocks === 10) client.get('/demo/echo').then(({ status }) => resolve(status), reject);
        if (blocks > 0) setImmediate(block);
      };
      block();
    });
    expect(refused).toBe(503);
    while ((await client.get('/demo/echo')).status !== 200) await pause(50);
  });
});

describe('the stop', () => {
  test('[RUN-4] A stopping server answers requests under way, refuses new ones, and then ends', async () => {
    const client = await start();
    const underWay = client.post('/demo/slow');
    await waitFor(() => demo.held.waiting.length === 1);
    // The first request keeps the connection busy, so that the second arrives while the server stops.
    const pipelined = demo.raw(
      'POST /demo/slow HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 0\r\n\r\n',
    );
    await waitFor(() => demo.held.waiting.length === 2);
    const stopped = demo.server.stop(30_000);
    // For a moment the server itself reports that it is stopping; then it can no longer be reached.
    await until(() =>
      client.get('/readyz').then(
        ({ status }) => status !== 503,
        () => true,
      ),
    );
    await expect(client.get('/healthz')).rejects.toThrow();
    demo.held.release();
    const answer = await underWay;
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    expect(await pipelined).toContain('Connection: close');
    await stopped;
  });

  test('[RUN-4] A request on an open connection gets 503 and a closed connection when the server is stopping', async () => {
    const client = await start();
    const first =
      'POST /demo/slow HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 0\r\n\r\n';
    const second = 'GET /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\n\r\n';
    const underWay = client.post('/demo/slow');
    await waitFor(() => demo.held.waiting.length === 1);
    let answers = '';
    const socket = connect(demo.port, '127.0.0.1', () => socket.write(first.slice(0, 40)));
    socket.setEncoding('utf8').on('data', (chunk) => {
      answers += chunk;
    });
    await pause(50);
    const stopped = demo.server.stop(30_000);
    socket.write(first.slice(40) + second);
    await waitFor(() => answers.includes('shutting_down'));
    expect(answers).toMatch(/^HTTP\/1.1 503 /);
    expect(answers).toMatch(/retry-after: 1\r\n/);
    expect(answers).toContain('Connection: close');
    demo.held.release();
    expect((await underWay).status).toBe(200);
    await stopped;
  });

  test('[RUN-4] A stopping server does not wait beyond its deadline', async () => {
    const client = await start();
    const stuck = client.post('/demo/slow').catch(() => 'cut off');
    await waitFor(() => demo.held.waiting.length === 1);
    // Nothing ever answers it, so the stop can only end if it does not wait.
    await demo.server.stop(100);
    expect(await stuck).toBe('cut off');
  });
});
