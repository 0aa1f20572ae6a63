/** Tests what a stopping server does for connected clients, and for those that are just connecting. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { makeCertificate } from '../../../test/harness/certificate.ts';
import { type DemoOptions, type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';

let demo: DemoServer;

async function start(options: DemoOptions = {}): Promise<void> {
  demo = await startDemoServer(options);
}

afterEach(() => demo.stop());

/** So long that nothing in these tests ends because of it. */
const farMs = 1_000_000;

interface Client {
  readonly socket: Socket;
  /** Everything received so far. */
  readonly text: () => string;
  /** How the server ended: `end` if in order, otherwise the error code. */
  readonly ended: Promise<string>;
  /** Whether the whole connection ended without an error. */
  readonly closed: Promise<boolean>;
}

function open(): Client {
  return follow(connect({ port: demo.port, host: '127.0.0.1', allowHalfOpen: true }));
}

function follow(socket: Socket): Client {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('end', () => resolve('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  const closed = new Promise<boolean>((resolve) => {
    socket.on('close', (hasFailed) => resolve(!hasFailed));
  });
  return { socket, text: () => text, ended, closed };
}

/**
 * Behaves like a client that has not noticed that the server ended its side. A fully closed server would reset each of these.
 */
async function goOnCalling({ socket }: Client): Promise<void> {
  for (let sent = 0; sent < 3; sent++) {
    await new Promise((resolve) => socket.write(call('/demo/slow'), resolve));
    await new Promise(setImmediate);
  }
  socket.end();
}

const call = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: key-of-alice\r\nContent-Length: 0\r\n\r\n`;
const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

test.each([0, 2])(
  '[RUN-4] A client connected but not yet accepted when the server stops is answered (with %i s of grace)',
  async (stopGraceSeconds) => {
    await start({ config: { stopGraceSeconds } });
    const clients = Array.from({ length: 100 }, open);
    // The system has connected them, but this server has not had a turn to accept any.
    await nextTick();
    for (const { socket } of clients) socket.write(call('/demo/echo'));
    const stopped = demo.server.stop(farMs);
    expect(await Promise.all(clients.map(({ ended }) => ended))).toEqual(clients.map(() => 'end'));
    for (const { text, socket } of clients) {
      expect(text()).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nConnection: close\r\n[\s\S]*"shutting_down"/);
      socket.end();
    }
    await stopped;
    const late = open();
    expect(await late.ended).toBe('ECONNREFUSED');
  },
);

test('[RUN-4] When the grace period is over, new clients are refused while requests under way are still answered', async () => {
  await start({ config: { stopGraceSeconds: 0 } });
  const client = open();
  client.socket.write(call('/demo/slow'));
  await until(() => demo.held.waiting.length === 1);
  const stopped = demo.server.stop(farMs);
  await until(async () => {
    const other = open();
    other.socket.end(call('/demo/echo'));
    return (await other.ended) === 'ECONNREFUSED';
  });
  demo.held.release();
  expect(await client.ended).toBe('end');
  expect(client.text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/);
  client.socket.end();
  await stopped;
});

test('[RUN-4] A stopping server ends an idle connection without a reset, even if calls cross its end', async () => {
  await start();
  const client = open();
  client.socket.write(call('/demo/echo'));
  await until(() => client.text().includes('\r\n\r\n{'));
  const stopped = demo.server.stop(farMs);
  expect(await client.ended).toBe('end');
  await goOnCalling(client);
  expect(await client.closed).toBe(true);
  await stopped;
  // No caller could have been told what became of these calls, so none may be pending.
  expect(demo.held.waiting).toEqual([]);
});

test('[RUN-4] The last response on a stopping server’s connection reaches a client that goes on sending', async () => {
  await start();
  const client = open();
  client.socket.write(call('/demo/slow'));
  await until(() => demo.held.waiting.length === 1);
  const stopped = demo.server.stop(farMs);
  demo.held.release();
  expect(await client.ended).toBe('end');
  await goOnCalling(client);
  expect(await client.closed).toBe(true);
  await stopped;
  expect(client.text().match(/^HTTP/gm)).toHaveLength(1);
  expect(demo.held.waiting).toEqual([]);
});

test('[RUN-4] A stopping server answers all begun calls of a connection, and only the last response says that it closes', async () => {
  await start();
  const client = open();
  client.socket.write(call('/demo/slow').repeat(3));
  await until(() => demo.held.waiting.length === 3);
  const stopped = demo.server.stop(farMs);
  demo.held.release();
  expect(await client.ended).toBe('end');
  const answers = client.text().split(/(?=HTTP\/1\.1 )/);
  expect(answers.map((answer) => answer.startsWith('HTTP/1.1 200 '))).toEqual([true, true, true]);
  expect(answers.map((answer) => answer.includes('\r\nConnection: close\r\n'))).toEqual([false, false, true]);
  client.socket.end();
  await stopped;
});

test('[RUN-4] A client that never ends its side does not hold up the stop', async () => {
  await start();
  const client = open();
  client.socket.write(call('/demo/echo'));
  await until(() => client.text().includes('\r\n\r\n{'));
  await demo.server.stop(farMs);
  expect(await client.ended).toBe('end');
});

test('[RUN-4] [AUTH-8] Over TLS a stopping server answers calls under way, and an unfinished handshake does not hold up the stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-stop-'));
  try {
    await start({ config: { tls: makeCertificate(folder, 'server') } });
    const silent = open();
    const client = follow(connectTls({ port: demo.port, host: '127.0.0.1', rejectUnauthorized: false }));
    client.socket.write(call('/demo/slow'));
    await until(() => demo.held.waiting.length === 1);
    const stopped = demo.server.stop(farMs);
    demo.held.release();
    expect(await client.ended).toBe('end');
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/);
    await stopped;
    expect(await silent.ended).toBe('end');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
