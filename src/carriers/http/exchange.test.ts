import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { messages, until } from '../../../test/carriers/carrier-recorder.ts';
import { endHttpPairs, httpPair } from '../../../test/carriers/http-setup.ts';

// Neither test may go by a proxy of the machine.
beforeEach(() => {
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
    vi.stubEnv(name, undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await endHttpPairs();
});

test('[HTTPC-2] A connection that is never made is given up after its time-out, and nothing is in doubt', async () => {
  const sockets: Socket[] = [];
  const silent = createServer({ pauseOnConnect: true }, (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { carrier, heard } = await httpPair(undefined, {
    baseUrl: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    connectTimeoutMs: 100,
  });
  carrier.submit(messages(1));
  await until(() => heard.outcomes.length === 1);
  expect(heard.ofKind('retryAt')).toHaveLength(1);
  expect(carrier.status().figures.disconnects).toBe(1);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

test.each([
  ['closes the connection', (socket: Socket) => socket.once('data', () => socket.end())],
  ['says nothing', () => undefined],
])('[HTTPC-2] A proxy that %s is given up, and the carrier stops at once', async (_, does) => {
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    does(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const { carrier, heard } = await httpPair(undefined, {
    baseUrl: 'https://sms.example',
    connectTimeoutMs: 500,
  });
  carrier.submit(messages(1));
  await until(() => heard.outcomes.length === 1);
  expect(heard.ofKind('retryAt')).toHaveLength(1);
  expect(carrier.status().state).toBe('down');
  expect(sockets.length).toBeLessThan(3);
  await carrier.stop(0);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => proxy.close(resolve));
});
