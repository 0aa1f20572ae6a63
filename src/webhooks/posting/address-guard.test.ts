import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/harness/certificate.ts';
import { type Receiver, startReceiver } from '../../../test/harness/receiver.ts';
import { systemClock } from '../../foundation/clock.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { AddressGuard, ForbiddenAddress, type ResolveAddresses } from './address-guard.ts';
import { Poster } from './post.ts';

/** Forms of forbidden receiver addresses that a URL accepts. */
const forbidden = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001', '0x7f.1'],
  ...['0177.0.0.1', '0x7f.0x0.0x0.0x1', '127.255.255.254', '0', '0.0.0.0', '0.0.0.1', '00.0x0.0'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'x.y.LocalHost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', '①②⑦.0.0.1'],
  ...['127。0。0。1', '127．0．0．1', '%31%32%37.0.0.1', '10.0.0.1', '10.255.255.255', '167772161', '0xa.1'],
  ...[
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
    '3232235521',
    '0300.0250.1',
    '169.254.169.254',
  ],
  ...[
    '0xa9fea9fe',
    '2852039166',
    '169.254.43518',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
  ],
  ...[
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '192.88.99.1',
  ],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]'],
  ...[
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::169.254.169.254]',
  ],
  ...[
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[febf::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[ff02::1]',
  ],
  ...['[2001:db8::1]', '[100::1]', '[::ffff:0:127.0.0.1]', '[2001:10::1]'],
];

const nobody: ResolveAddresses = {
  resolve4: () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
  resolve6: () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
};

describe('the guard of addresses', () => {
  const closed = new AddressGuard(new BlockList(), nobody);

  test('[EVT-3] The address guard lets through no address outside the public internet, in whatever form it is written', async () => {
    expect(forbidden.length).toBeGreaterThan(60);
    for (const host of forbidden) {
      const { hostname } = new URL(`http://${host}/`);
      await expect(closed.addressesOf(hostname), host).rejects.toThrow(ForbiddenAddress);
    }
  });

  test('[EVT-3] The address guard lets through public addresses, and those that the operator allows', async () => {
    for (const host of [
      '93.184.216.34',
      '[2606:2800:220:1:248:1893:25c8:1946]',
      '1572395042',
      '[::ffff:8.8.8.8]',
    ])
      expect(await closed.addressesOf(new URL(`http://${host}/`).hostname)).toHaveLength(1);
    const allowed = new BlockList();
    allowed.addSubnet('10.1.0.0', 16, 'ipv4');
    allowed.addSubnet('fd00::', 8, 'ipv6');
    const open = new AddressGuard(allowed, nobody);
    expect(await open.addressesOf('10.1.2.3')).toEqual(['10.1.2.3']);
    expect(await open.addressesOf('[::ffff:10.1.2.3]')).toHaveLength(1);
    expect(await open.addressesOf('fd00::7')).toHaveLength(1);
    await expect(open.addressesOf('10.2.0.1')).rejects.toThrow(ForbiddenAddress);
    await expect(open.addressesOf('localhost')).rejects.toThrow(ForbiddenAddress);
  });

  test('[EVT-3] The address guard forbids a host with one good and one forbidden address, and one with too many addresses', async () => {
    const guard = (v4: readonly string[], v6: readonly string[] = []) =>
      new AddressGuard(new BlockList(), { resolve4: async () => v4, resolve6: async () => v6 });
    expect(await guard(['93.184.216.34']).addressesOf('good.example')).toEqual(['93.184.216.34']);
    await expect(guard(['93.184.216.34', '10.0.0.1']).addressesOf('a.example')).rejects.toThrow(
      ForbiddenAddress,
    );
    await expect(guard(['93.184.216.34'], ['::1']).addressesOf('a.example')).rejects.toThrow(
      ForbiddenAddress,
    );
    await expect(guard([], ['::ffff:127.0.0.1']).addressesOf('a.example')).rejects.toThrow(ForbiddenAddress);
    await expect(guard(Array(17).fill('93.184.216.34')).addressesOf('a.example')).rejects.toThrow(
      ForbiddenAddress,
    );
    await expect(closed.addressesOf('nowhere.example')).rejects.toThrow('none');
  });
});

describe('posting', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  async function given(options: Partial<ConstructorParameters<typeof Poster>[0]> = {}) {
    const receiver: Receiver = await startReceiver();
    const allowed = new BlockList();
    allowed.addAddress('127.0.0.1', 'ipv4');
    const poster = new Poster({ clock: systemClock, allowed, timeoutMs: 2_000, ...options });
    opened.push(receiver, poster);
    return { receiver, poster, port: new URL(receiver.url).port };
  }

  test('[EVT-3] A post connects to the address that was checked, even if DNS now says something else', async () => {
    let lookUps = 0;
    const changing: ResolveAddresses = {
      resolve4: async () => {
        lookUps += 1;
        return lookUps === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
      },
      resolve6: async () => [],
    };
    const { receiver, poster, port } = await given({ resolver: changing });
    const posted = await poster.post(`http://changing.example:${port}/`, {}, '{}');
    expect(posted).toMatchObject({ status: 200, address: '127.0.0.1', error: undefined });
    expect([lookUps, receiver.received.length]).toEqual([1, 1]);
    expect(receiver.received[0]?.headers.host).toBe(`changing.example:${port}`);
    receiver.answer = (_, response) => response.socket?.destroy();
    await poster.post(`http://changing.example:${port}/`, {}, '{}');
    // The next connection is checked again.
    expect(await poster.post(`http://changing.example:${port}/`, {}, '{}')).toMatchObject({
      status: undefined,
      error: storedReason({ sentence: 'post_forbidden' }),
    });
  });

  test('[EVT-3] A post reaches no forbidden address, and discloses nothing about what is there', async () => {
    const { receiver, poster, port } = await given({ allowed: new BlockList(), resolver: nobody });
    for (const host of forbidden) {
      const posted = await poster.post(`http://${host}:${port}/`, {}, '{}');
      expect([host, posted.error, posted.answer]).toEqual([
        host,
        storedReason({ sentence: 'post_forbidden' }),
        '',
      ]);
    }
    expect(receiver.received).toEqual([]);
  });

  test('[EVT-2] [EVT-3] A post follows no redirect, reads no more than it needs, and waits no longer than it may', async () => {
    const { receiver, poster } = await given();
    receiver.answer = (_, response) => response.writeHead(302, { location: `${receiver.url}/again` }).end();
    expect(await poster.post(receiver.url, {}, '{}')).toMatchObject({ status: 302 });
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', write).on('error', () => undefined);
      write();
    };
    const endless = await poster.post(receiver.url, {}, '{}');
    expect(endless).toMatchObject({ status: 200, answer: 'x'.repeat(2_048) });
    receiver.answer = (_, response) => void response.writeHead(200).write('a');
    expect(await poster.post(receiver.url, {}, '{}')).toMatchObject({ status: 200, answer: 'a' });
    receiver.answer = () => undefined;
    const silent = await poster.post(receiver.url, {}, '{}');
    expect(silent).toMatchObject({ status: undefined, error: storedReason({ sentence: 'post_timeout' }) });
    receiver.answer = (_, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n\r\n');
    expect(await poster.post(receiver.url, {}, '{}')).toMatchObject({
      error: storedReason({ sentence: 'post_not_http' }),
      answer: '',
    });
    receiver.answer = (_, response) => response.writeHead(429, { 'retry-after': '17' }).end();
    expect(await poster.post(receiver.url, {}, '{}')).toMatchObject({ status: 429, retryAfterMs: 17_000 });
    await receiver.close();
    const { poster: another } = await given();
    expect(await another.post(receiver.url, {}, '{}')).toMatchObject({
      error: storedReason({ sentence: 'post_refused' }),
    });
  });

  test('[EVT-3] No post goes to a host whose certificate is not trusted or belongs to another host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-tls-'));
    const { certificateFile, keyFile } = makeCertificate(folder, 'receiver.example');
    const cert = readFileSync(certificateFile, 'utf8');
    let received = 0;
    const server = createServer({ cert, key: readFileSync(keyFile) }, (_, response) => {
      received += 1;
      response.writeHead(200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    opened.push({
      async close() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        rmSync(folder, { recursive: true });
      },
    });
    const local: ResolveAddresses = { resolve4: async () => ['127.0.0.1'], resolve6: async () => [] };
    const { poster } = await given({ resolver: local });
    const refused = { status: undefined, error: storedReason({ sentence: 'post_certificate' }), answer: '' };
    expect(await poster.post(`https://receiver.example:${port}/`, {}, '{}')).toMatchObject(refused);
    const { poster: trusting } = await given({ resolver: local, ca: cert });
    expect(await trusting.post(`https://other.example:${port}/`, {}, '{}')).toMatchObject(refused);
    expect(received).toBe(0);
    expect(await trusting.post(`https://receiver.example:${port}/`, {}, '{}')).toMatchObject({ status: 200 });
  });
});
