import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type MailConnectionLimits, MailConnections } from './connections.ts';

const limits = {
  maxConnections: 10,
  maxUnauthenticated: 8,
  maxPerNetwork: 2,
  maxPerWideNetwork: 9,
  isOldestReplaced: false,
  maxLifeMs: 1_000,
};

describe('connections of the SMTP server', () => {
  let connections: MailConnections;
  let over: string[];
  let displaced: string[];
  const open = (more: Partial<MailConnectionLimits> = {}) => {
    connections = new MailConnections({ ...limits, ...more });
  };
  const admit = (id: string, address: string, isTrusted = false) =>
    connections.admit(
      id,
      { address, isTrusted },
      { over: () => over.push(id), displaced: () => displaced.push(id) },
    );
  beforeEach(() => {
    vi.useFakeTimers();
    over = [];
    displaced = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('[MAIL-2] A network has a limited number of SMTP connections, and trusted relays are exempt from that limit', () => {
    open();
    const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8::3'];
    expect(addresses.map((address, index) => admit(`${index + 1}`, address))).toEqual([true, true, false]);
    expect(admit('4', '192.0.2.1')).toBe(true);
    expect(['5', '6', '7'].map((id) => admit(id, '10.0.0.1', true))).toEqual([true, true, true]);
    connections.end('1');
    connections.end('1');
    expect([admit('8', '2001:db8::3'), admit('9', '2001:db8::3')]).toEqual([true, false]);
    expect(connections.size).toBe(6);
  });

  test('[DLV-8] [MAIL-2] Unauthenticated clients leave SMTP connections for trusted relays and logged-in users', () => {
    open({ maxConnections: 4, maxUnauthenticated: 2 });
    expect(['1', '2', '3'].map((id) => admit(id, `192.0.2.${id}`))).toEqual([true, true, false]);
    expect(admit('relay', '10.0.0.1', true)).toBe(true);
    connections.know('1');
    expect(admit('3', '192.0.2.3')).toBe(true);
    expect([admit('late', '10.0.0.1', true), admit('4', '192.0.2.4')]).toEqual([false, false]);
    expect(displaced).toEqual([]);
  });

  test('[DLV-8] [MAIL-2] The network with the most SMTP connections gives up its oldest one for a network with fewer', () => {
    open({ maxUnauthenticated: 5, maxPerNetwork: 3 });
    for (const [id, address] of [
      ['b1', '192.0.2.2'],
      ['a1', '192.0.2.1'],
      ['a2', '192.0.2.1'],
      ['a3', '192.0.2.1'],
      ['b2', '192.0.2.2'],
    ] as const)
      expect(admit(id, address)).toBe(true);
    expect(admit('c1', '192.0.2.3')).toBe(true);
    expect(displaced).toEqual(['a1']);
    expect([admit('a4', '192.0.2.1'), admit('c2', '192.0.2.3'), admit('d1', '192.0.2.4')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(displaced).toEqual(['a1', 'b1']);
    expect(connections.size).toBe(5);
  });

  test('[MAIL-2] An SMTP connection ends after a while, however lively, but not before its pending response', () => {
    open();
    for (const [index, id] of ['idle', 'working', 'ended'].entries()) admit(id, `192.0.2.${index}`);
    connections.working('working', true);
    connections.end('ended');
    vi.advanceTimersByTime(1_000);
    expect(over).toEqual(['idle']);
    connections.working('working', false);
    vi.advanceTimersByTime(15_000);
    expect(over).toEqual(['idle', 'working']);
  });
});
