import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../../../test/harness/awake.ts';
import { type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { answerMalformedHttp } from './malformed-http.ts';

let demo: DemoServer;

beforeAll(async () => {
  demo = await startDemoServer();
});

afterAll(() => demo.stop());

function bodyOf(answer: string): Record<string, unknown> {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

/** Ends its own side at once, and returns everything that arrives until the other side ends too. */
function exchangeAndEnd(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(request));
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
  });
}

describe('what is not proper HTTP', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['two lengths', 'POST /demo/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
  ])('[CONV-10] Malformed HTTP (%s) is answered with 400 and the error body', async (_what, bytes) => {
    const answer = await demo.raw(bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nX-Request-Id: \S+\r\n/);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(bodyOf(answer)).toMatchObject({ result: 'ERROR', code: 'bad_request' });
  });

  test('[CONV-10] An HTTP/1.1 request without a Host header is answered with 400', async () => {
    const answer = await demo.raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ code: 'bad_request' });
    expect(await demo.raw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });

  test('[CONV-10] Calls before malformed HTTP on a connection are answered first, however many', async () => {
    const calls = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100);
    const answers = (await demo.raw(`${calls}nonsense\r\n\r\n`)).match(/HTTP\/1.1 \d+/g);
    expect(answers).toEqual([...Array(100).fill('HTTP/1.1 200'), 'HTTP/1.1 400']);
  });

  test('[CONV-10] A request with two Host headers is answered with 400', async () => {
    const twice = 'GET /healthz HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n';
    const answer = await demo.raw(twice);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ code: 'bad_request', error: expect.stringContaining('2 Host') });
    expect(await demo.raw(twice.replace('host: y', 'Ghost: y'))).toMatch(/^HTTP\/1.1 200 /);
  });

  test('[CONV-8] A client that has ended its side still gets the responses to what it sent', async () => {
    const limited = await startDemoServer();
    const call =
      'POST /demo/slow HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 2\r\n\r\n{}';
    const answers = exchangeAndEnd(limited.port, call + call);
    while (limited.held.waiting.length < 2) await pause(5);
    await pause(50);
    limited.held.release();
    expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    await limited.stop();
  });

  test('[CONV-10] A response that began before its request turned out to be cut off still ends', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200);
      setTimeout(() => response.end('the whole answer'), 50);
    });
    server.on('clientError', (error, socket) => answerMalformedHttp(error, socket as Socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const cutOff = 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n';
    expect(await exchangeAndEnd(port, cutOff)).toContain('the whole answer');
    server.close();
  });

  test('[CONV-10] Headers beyond the limit are answered with 431', async () => {
    const answer = await demo.raw(`GET /?${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(bodyOf(answer)).toMatchObject({ code: 'headers_too_large' });
  });

  test('[CONV-10] CONNECT is answered with 405, and a client that then resets its connection does no harm', async () => {
    const tunnel = 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n\r\n';
    const answer = await demo.raw(tunnel);
    expect(answer).toMatch(/^HTTP\/1.1 405 Method Not Allowed\r\n/);
    expect(answer).toContain('\r\nAllow: GET, POST\r\n');
    expect(answer).toContain('\r\nX-Request-Id: mine\r\n');
    expect(bodyOf(answer)).toMatchObject({ result: 'ERROR', code: 'method_not_allowed' });
    const socket = connect(demo.port, '127.0.0.1', () => {
      socket.write(tunnel + 'x'.repeat(100_000));
      socket.resetAndDestroy();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(await demo.raw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });

  test('[CONV-10] Calls still under way before malformed HTTP on a connection are answered first', async () => {
    const limited = await startDemoServer();
    const call =
      'POST /demo/slow HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 2\r\n\r\n{}';
    const socket = connect(limited.port, '127.0.0.1', () => socket.write(`${call}${call}no HTTP\r\n\r\n`));
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    while (limited.held.waiting.length < 2) await pause(5);
    socket.write('more of it');
    await pause(50);
    expect(received).toBe('');
    limited.held.release();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
    await limited.stop();
  });

  test('[CONV-8] An unknown expectation in a request is ignored', async () => {
    const answer = await demo.raw(
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test('[DLV-8] Clients that go away no longer count as requests under way', async () => {
    const limited = await startDemoServer({ limits: { maxRequests: 3 } });
    const call =
      'POST /demo/slow HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 2\r\n\r\n';
    for (let round = 0; round < 5; round++) {
      for (const requests of [`${call}{}${call}{}${call}{}`, `${call}{`]) {
        const socket = connect(limited.port, '127.0.0.1', () => socket.write(requests));
        await pause(30);
        // With a plain end they would still wait for their answers.
        socket.resetAndDestroy();
        await pause(30);
      }
    }
    const answer = await limited.raw(
      'GET /demo/echo HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    await limited.stop();
  });
});
