import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { addressTest, type Hop, isLoopback, originOf, plainAddress } from './origin.ts';

const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8, 'ipv4');
proxies.addAddress('fd00::1', 'ipv6');
proxies.addAddress('127.0.0.1', 'ipv4');
const isProxy = addressTest(proxies);
const nobody = addressTest(new BlockList());

const hop = (over: Partial<Hop>): Hop => ({
  peer: '192.0.2.1',
  isEncrypted: false,
  forwardedFor: undefined,
  forwardedProto: undefined,
  ...over,
});

describe('whether credentials travelled safely', () => {
  test.each<[string, Partial<Hop>, boolean]>([
    ['plain from another machine', {}, false],
    ['plain from another machine that claims HTTPS', { forwardedProto: 'https' }, false],
    ['TLS', { isEncrypted: true }, true],
    ['plain from this machine', { peer: '127.0.0.2' }, true],
    ['plain from this machine over IPv6', { peer: '::1' }, true],
    ['plain from this machine on a socket for both', { peer: '::ffff:127.0.0.3' }, true],
    ['a trusted proxy that ended TLS', { peer: '10.1.1.1', forwardedProto: 'https' }, true],
    ['a trusted proxy over IPv6', { peer: 'fd00::1', forwardedProto: 'HTTPS' }, true],
    ['two hops, both encrypted', { peer: '10.1.1.1', forwardedProto: 'https, https' }, true],
    ['a trusted proxy that was asked over plain HTTP', { peer: '10.1.1.1', forwardedProto: 'http' }, false],
    ['one of two hops plain', { peer: '10.1.1.1', forwardedProto: 'http,https' }, false],
    ['a trusted proxy that does not say', { peer: '10.1.1.1' }, false],
    [
      'a trusted proxy on this machine that says for whom, but not how it was asked',
      { peer: '127.0.0.1', forwardedFor: '198.51.100.1' },
      false,
    ],
    [
      'a proxy that speaks TLS to us and does not say how it was asked',
      { peer: '10.1.1.1', isEncrypted: true, forwardedFor: '198.51.100.1' },
      false,
    ],
    ['a peer that speaks TLS to us for nobody else', { peer: '10.1.1.1', isEncrypted: true }, true],
    ['more hops than there are', { peer: '10.1.1.1', forwardedProto: 'https,'.repeat(33) }, false],
    [
      'a trusted proxy on this machine, asked over plain HTTP',
      { peer: '127.0.0.1', forwardedProto: 'http' },
      false,
    ],
    ['this machine itself, though a proxy runs here', { peer: '127.0.0.1' }, true],
    [
      'a proxy that speaks TLS to us, asked over plain HTTP',
      { peer: '10.1.1.1', isEncrypted: true, forwardedProto: 'http' },
      false,
    ],
  ])('[AUTH-8] A request is safe, or not, by the hop that it came over: %s', (_what, over, isSafe) => {
    expect(originOf(hop(over), isProxy).isSafe).toBe(isSafe);
  });
});

describe('the address of the client', () => {
  test.each<[string, Partial<Hop>, string]>([
    ['is the peer', {}, '192.0.2.1'],
    ['is the peer, whatever a stranger says', { forwardedFor: '198.51.100.1' }, '192.0.2.1'],
    ['is what a trusted proxy says', { peer: '10.1.1.1', forwardedFor: '198.51.100.1' }, '198.51.100.1'],
    [
      'is the right-most that is no proxy',
      { peer: '10.1.1.1', forwardedFor: '1.2.3.4, 198.51.100.1, 10.9.9.9' },
      '198.51.100.1',
    ],
    [
      'is the left-most when all are proxies',
      { peer: '10.1.1.1', forwardedFor: '10.3.3.3, 10.2.2.2' },
      '10.3.3.3',
    ],
    [
      'is not read past what is unreadable',
      { peer: '10.1.1.1', forwardedFor: '198.51.100.1, unknown, 10.2.2.2' },
      '10.2.2.2',
    ],
    ['may have a port', { peer: '10.1.1.1', forwardedFor: '198.51.100.1:4711' }, '198.51.100.1'],
    ['may be IPv6 in brackets', { peer: '10.1.1.1', forwardedFor: '"[2001:db8::7]:4711"' }, '2001:db8::7'],
    ['loses its IPv6 clothes', { peer: '::ffff:192.0.2.9' }, '192.0.2.9'],
  ])('[AUTH-8] The address of the client %s', (_what, over, address) => {
    expect(originOf(hop(over), isProxy).address).toBe(address);
  });

  test('[AUTH-8] No proxy is trusted unless it is configured as trusted', () => {
    const claim = hop({ peer: '10.1.1.1', forwardedFor: '198.51.100.1', forwardedProto: 'https' });
    expect(originOf(claim, nobody)).toEqual({ address: '10.1.1.1', isHttps: false, isSafe: false });
  });
});

test('[AUTH-8] Only a connection over TLS counts as HTTPS, however safe another one is', () => {
  const ways: readonly Partial<Hop>[] = [
    { isEncrypted: true },
    { peer: '127.0.0.1', forwardedProto: 'https' },
    { peer: '127.0.0.1' },
    { forwardedProto: 'https' },
    { peer: '127.0.0.1', forwardedFor: '198.51.100.1' },
  ];
  const areHttps = ways.map((way) => originOf(hop(way), isProxy).isHttps);
  expect(areHttps).toEqual([true, true, false, false, false]);
});

test('[AUTH-8] [CONV-12] Only a few entries of the forwarded addresses are read, however many a caller adds in front', () => {
  let asked = 0;
  const counting = (address: string) => {
    asked += 1;
    return isProxy(address);
  };
  const claims = ['10.2.2.2,'.repeat(7_000), ','.repeat(64_000), '1'.repeat(64_000), ''];
  for (const forwardedFor of claims) {
    const { address } = originOf(
      hop({ peer: '10.1.1.1', forwardedFor: `${forwardedFor}10.9.9.9` }),
      counting,
    );
    expect(address).toMatch(/^10\./);
  }
  expect(asked).toBeLessThan(100);
});

test('[AUTH-8] The loopback addresses are 127.0.0.0/8 and ::1, and none that only look like them', () => {
  expect(['127.0.0.1', '127.255.0.9', '::1'].map(isLoopback)).toEqual([true, true, true]);
  expect(['127.example', '128.0.0.1', '::2', ''].map(isLoopback)).toEqual([false, false, false, false]);
  expect(plainAddress('fe80::1%eth0')).toBe('fe80::1');
});
