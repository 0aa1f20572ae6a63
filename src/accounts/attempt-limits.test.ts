import { describe, expect, test } from 'vitest';
import { AttemptLimits } from './attempt-limits.ts';

const minuteMs = 60_000;

function limitsAt(start: number) {
  const stopwatch = { time: start, elapsed: () => stopwatch.time };
  const limits = new AttemptLimits(stopwatch);
  const isRefused = (username: string, address: string) => {
    try {
      limits.check(username, address);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_attempts', status: 429 });
      return true;
    }
  };
  return { stopwatch, limits, isRefused };
}

describe('failed attempts', () => {
  test('[AUTH-6] ten on an account, from wherever, refuse the next one for five minutes', () => {
    const { stopwatch, limits, isRefused } = limitsAt(1_000_000);
    for (let attempt = 1; attempt <= 10; attempt++) {
      expect(isRefused('alice', '192.0.2.1')).toBe(false);
      limits.count('alice', `192.0.2.${attempt}`);
    }
    expect(isRefused('alice', '198.51.100.1')).toBe(true);
    expect(isRefused('bob', '192.0.2.1')).toBe(false);
    stopwatch.time += 5 * minuteMs - 1;
    expect(isRefused('alice', '198.51.100.1')).toBe(true);
    stopwatch.time += 1;
    expect(isRefused('alice', '198.51.100.1')).toBe(false);
  });

  test('[AUTH-6] fifty from an address, or a network of IPv6, refuse the next one whatever the account', () => {
    const { limits, isRefused } = limitsAt(1_000_000);
    for (let attempt = 1; attempt <= 50; attempt++) {
      expect(isRefused('alice', '2001:db8::1')).toBe(false);
      limits.count(`user ${attempt}`, `2001:db8::${attempt}`);
    }
    expect(isRefused('alice', '2001:db8::ffff')).toBe(true);
    expect(isRefused('alice', '2001:db8:0:1::1')).toBe(false);
  });

  test('[AUTH-6] are told when to try again', () => {
    const { stopwatch, limits } = limitsAt(1_000_000);
    for (let attempt = 1; attempt <= 10; attempt++) limits.count('alice', '192.0.2.1');
    stopwatch.time += 2 * minuteMs + 500;
    expect(() => limits.check('alice', '192.0.2.1')).toThrow(
      expect.objectContaining({ headers: { 'retry-after': '180' } }),
    );
  });

  test('[AUTH-6] do not count when they are taken back, even after their window', () => {
    const { stopwatch, limits, isRefused } = limitsAt(1_000_000);
    const attempts = Array.from({ length: 10 }, () => limits.count('alice', '192.0.2.1'));
    expect(isRefused('alice', '192.0.2.1')).toBe(true);
    attempts[0]?.takeBack();
    expect(isRefused('alice', '192.0.2.1')).toBe(false);
    stopwatch.time += 5 * minuteMs;
    for (let attempt = 1; attempt <= 10; attempt++) limits.count('alice', '192.0.2.1');
    attempts[1]?.takeBack();
    expect(isRefused('alice', '192.0.2.1')).toBe(true);
  });

  test('[AUTH-6] are counted anew after their window', () => {
    const { stopwatch, limits, isRefused } = limitsAt(1_000_000);
    for (let attempt = 1; attempt <= 9; attempt++) limits.count('alice', '192.0.2.1');
    stopwatch.time += 5 * minuteMs;
    limits.count('alice', '192.0.2.1');
    expect(isRefused('alice', '192.0.2.1')).toBe(false);
  });
});
