/** Tests who has a place at the HTTP server, as seen by clients from several addresses of this machine. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { BlockList, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { makeCertificate } from '../../../test/harness/certificate.ts';
import { type DemoOptions, type DemoServer, startDemoServer } from '../../../test/harness/http-demo.ts';
import { requestsWith } from '../../../test/harness/raw-socket.ts';
import { addressTest } from '../origin.ts';

const { get } = requestsWith(() => 'key-of-alice');
const placeLimits = { maxConnections: 30, maxUnauthenticated: 20, maxPerNetwork: 10, maxPerWideNetwork: 15 };
/** Two addresses of one network, and one of a wider network around it. */
const [attacker, neighbour, elsewhere] = ['127.0.0.2', '127.0.0.3', '127.0.1.1'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/carillon-places-`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('places of HTTP connections', () => {
  let demo: DemoServer;
  let ended: string[];
  const open: Socket[] = [];
  const start = async (options: DemoOptions = {}) => {
    ended = [];
    const metrics = {
      connectionEnded: (reason: string) => void ended.push(reason),
      request: () => undefined,
      contentType: 'text/plain',
      text: () => '',
    };
    demo = await startDemoServer({ placeLimits, isLocal: () => false, metrics, ...options });
  };
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await demo.stop();
  });

  /** Sends these bytes and stays connected. */
  async function stay(localAddress: string, bytes = 'GET / HTTP/1.1\r\n'): Promise<Socket> {
    const socket = connect({ port: demo.port, host: '127.0.0.1', localAddress });
    open.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }
  async function crowd(count: number, localAddress: string, bytes?: string): Promise<void> {
    for (let index = 0; index < count; index++) await stay(localAddress, bytes);
    const seen = () => demo.server.connections.size + ended.length;
    const before = seen();
    await until(() => seen() >= Math.min(before, count));
  }
  /** The status of an answer over this connection; undefined once it has ended. */
  async function ask(socket: Socket, bytes = get('/demo/echo')): Promise<string | undefined> {
    const answer = Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
    if (socket.destroyed) return undefined;
    socket.write(bytes);
    const [chunk] = (await answer) ?? [];
    return chunk?.toString('latin1').slice(9, 12);
  }

  test('[DLV-8] Slow connections from one network do not keep out other networks, nor authenticated clients behind the same address', async () => {
    await start();
    const customer = await stay(attacker, '');
    expect(await ask(customer)).toBe('200');
    await crowd(60, attacker);
    await crowd(30, neighbour);
    expect(await ask(customer)).toBe('200');
    for (const address of [attacker, neighbour, elsewhere]) {
      const next = await stay(address, '');
      expect(await ask(next), address).toBe('200');
      await crowd(20, attacker);
      expect(await ask(next), address).toBe('200');
    }
    expect(demo.server.connections.size).toBeLessThanOrEqual(16);
    expect(ended.every((reason) => reason === 'displaced')).toBe(true);
  });

  test('[DLV-8] Authenticated connections beyond a network’s limit are refused, and displace no other', async () => {
    await start();
    const known: Socket[] = [];
    for (let index = 0; index < 10; index++) {
      const socket = await stay(attacker, '');
      expect(await ask(socket)).toBe('200');
      known.push(socket);
    }
    expect(await ask(await stay(attacker, ''))).toBeUndefined();
    expect(ended).toEqual(['refused']);
    for (const socket of known) expect(await ask(socket)).toBe('200');
    known[0]?.destroy();
    await until(() => demo.server.connections.size === 9);
    expect(await ask(await stay(attacker, ''))).toBe('200');
  });

  test('[DLV-8] Only valid credentials make a client count as known', async () => {
    await start();
    const guesser = await stay(attacker, '');
    expect(await ask(guesser, get('/demo/echo').replace('key-of-alice', 'another'))).toBe('401');
    expect(await ask(guesser, get('/healthz'))).toBe('200');
    expect(demo.server.connections).toMatchObject({ size: 1, strangers: 1 });
    expect(await ask(guesser)).toBe('200');
    expect(demo.server.connections).toMatchObject({ size: 1, strangers: 0 });
  });

  test('[DLV-8] Connections from this machine and from trusted proxies are not limited by address', async () => {
    const trustedProxies = new BlockList();
    trustedProxies.addAddress(neighbour, 'ipv4');
    const local = new BlockList();
    local.addAddress(elsewhere, 'ipv4');
    await start({ config: { trustedProxies }, isLocal: addressTest(local) });
    await crowd(14, neighbour);
    await crowd(14, elsewhere);
    expect(demo.server.connections).toMatchObject({ size: 28, strangers: 0 });
    await crowd(4, attacker);
    expect(demo.server.connections).toMatchObject({ size: 30, strangers: 2 });
  });

  test('[AUTH-8] [DLV-8] Over TLS, too, a client that never begins gives way to others, and an authenticated one stays', async () => {
    await start({ config: { tls: makeCertificate(folder, 'localhost') } });
    const socket = connect({ port: demo.port, host: '127.0.0.1', localAddress: attacker });
    const secure = connectTls({ socket, rejectUnauthorized: false });
    open.push(secure);
    expect(await ask(secure)).toBe('200');
    await crowd(40, attacker, '');
    await until(() => ended.length === 31);
    expect(await ask(secure)).toBe('200');
    secure.destroy();
    for (const one of open.splice(0)) one.destroy();
    await until(() => demo.server.connections.size === 0);
  });

  test('[DLV-8] Connection places are freed whatever was sent, even by clients that never end their side', async () => {
    await start();
    const ways = [
      '',
      'hello\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      get('/demo/echo', 'Connection: close'),
    ];
    for (const bytes of ways) {
      const socket = connect({ port: demo.port, host: '127.0.0.1', allowHalfOpen: true });
      open.push(socket);
      socket.on('error', () => {}).on('data', () => {});
      await once(socket, 'connect');
      socket.write(bytes);
      if (bytes === '') socket.resetAndDestroy();
    }
    await until(() => demo.server.connections.size === 0);
  });
});
