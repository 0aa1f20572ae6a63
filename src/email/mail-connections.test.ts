import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MailConnections } from './mail-connections.ts';

const limits = { maxConnections: 10, maxPerNetwork: 2, maxLifeMs: 1_000 };

describe('connections of the SMTP server', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('[MAIL-2] a network has so many, a trusted relay as many as there are', () => {
    const connections = new MailConnections(limits);
    const begin = (id: string, address: string, isTrusted = false) =>
      connections.begin(id, { address, isTrusted }, () => undefined);
    expect([begin('1', '2001:db8::1'), begin('2', '2001:db8::2'), begin('3', '2001:db8::3')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(begin('4', '192.0.2.1')).toBe(true);
    expect(['5', '6', '7'].map((id) => begin(id, '10.0.0.1', true))).toEqual([true, true, true]);
    connections.end('1');
    connections.end('1');
    expect([begin('8', '2001:db8::3'), begin('9', '2001:db8::3')]).toEqual([true, false]);
    expect(connections.size).toBe(6);
  });

  test('[MAIL-2] each ends after a while, however lively, once what it waits for is answered', () => {
    const connections = new MailConnections(limits);
    const ended: string[] = [];
    for (const [index, id] of ['idle', 'working', 'over'].entries())
      connections.begin(id, { address: `192.0.2.${index}`, isTrusted: false }, () => ended.push(id));
    connections.working('working', true);
    connections.end('over');
    vi.advanceTimersByTime(1_000);
    expect(ended).toEqual(['idle']);
    connections.working('working', false);
    vi.advanceTimersByTime(15_000);
    expect(ended).toEqual(['idle', 'working']);
  });
});
