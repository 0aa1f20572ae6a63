import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AttemptLimits } from './attempt-limits.ts';
import { FailureCounts, slotMs } from './failure-counts.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function openLimits() {
  const time = { ms: 1_000_000, now: () => 1_700_000_000_000 + time.ms, elapsed: () => time.ms };
  const limits = new AttemptLimits(new FailureCounts('this node', time, time));
  /** The seconds to wait; undefined if the attempt is not refused. */
  const refusal = (username: string, address: string, isKnown = false): number | undefined => {
    try {
      limits.check({ username, address }, isKnown ? 'known' : 'account');
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_attempts', status: 429 });
      return Number((error as { headers: Record<string, string> }).headers['retry-after']);
    }
  };
  const fail = (username: string, address: string, isKnown = false) =>
    limits.fail({ username, address }, isKnown ? 'known' : 'account').usedUp.map(({ kind }) => kind);
  return { time, limits, refusal, fail };
}

describe('failed attempts', () => {
  test('[AUTH-6] Eight failed attempts on an account, from any address, block the next until the first is five minutes old', () => {
    const { time, refusal, fail } = openLimits();
    for (let attempt = 1; attempt <= 8; attempt++) {
      expect(refusal('alice', '192.0.2.1')).toBeUndefined();
      expect(fail('alice', `198.51.${attempt}.1`)).toEqual(attempt === 8 ? ['account'] : []);
    }
    expect(refusal('alice', '203.0.113.1')).toBe((5 * minuteMs + slotMs) / 1_000);
    expect(refusal('bob', '198.51.1.1')).toBeUndefined();
    time.ms += 5 * minuteMs;
    expect(refusal('alice', '203.0.113.1')).toBe(slotMs / 1_000);
    time.ms += slotMs;
    expect(refusal('alice', '203.0.113.1')).toBeUndefined();
  });

  test('[AUTH-6] A hundred failed attempts on an account in quick succession block the next for an hour', () => {
    const { time, refusal, fail } = openLimits();
    for (let attempt = 1; attempt <= 100; attempt++) fail('alice', `10.${attempt}.0.1`);
    time.ms += 59 * minuteMs;
    expect(refusal('alice', '192.0.2.1')).toBeGreaterThan(0);
    time.ms += minuteMs + slotMs;
    expect(refusal('alice', '192.0.2.1')).toBeUndefined();
  });

  test.each([
    ['address', 50, (attempt: number) => `2001:db8::${attempt}`, '2001:db8::ffff', '2001:db8:0:1::1'],
    ['network', 200, (attempt: number) => `192.0.2.${attempt}`, '192.0.2.250', '192.0.3.1'],
    [
      'network',
      200,
      (attempt: number) => `2001:db8:1:${attempt.toString(16)}::1`,
      '2001:db8:1:ffff::1',
      '2001:db8:2::1',
    ],
  ])(
    '[AUTH-6] Failed attempts from the same %s are limited, whichever accounts they are for',
    (kind, most, of, same, other) => {
      const { refusal, fail } = openLimits();
      for (let attempt = 1; attempt <= most; attempt++) {
        expect(refusal('alice', same)).toBeUndefined();
        expect(fail(`user ${attempt}`, of(attempt))).toEqual(attempt === most ? [kind] : []);
      }
      expect(refusal('alice', same)).toBeGreaterThan(0);
      expect(refusal('alice', other)).toBeUndefined();
    },
  );

  test('[AUTH-6] A user on a network known from earlier logins has an allowance that unauthenticated clients cannot use up', () => {
    const { refusal, fail } = openLimits();
    for (let attempt = 1; attempt <= 300; attempt++) fail('alice', `192.0.2.${attempt % 250}`);
    expect(refusal('alice', '192.0.2.1')).toBeGreaterThan(0);
    expect(refusal('alice', '192.0.2.1', true)).toBeUndefined();
    for (let attempt = 1; attempt <= 8; attempt++) {
      expect(refusal('alice', '192.0.2.1', true)).toBeUndefined();
      fail('alice', '192.0.2.1', true);
    }
    expect(refusal('alice', '192.0.2.1', true)).toBeGreaterThan(0);
    expect(refusal('alice', '192.0.2.2', true)).toBeUndefined();
  });

  test('[AUTH-6] Failed attempts from a network known for the user do not count against the account elsewhere', () => {
    const { refusal, fail } = openLimits();
    for (let attempt = 1; attempt <= 8; attempt++) fail('alice', '192.0.2.1', true);
    expect(refusal('alice', '198.51.100.1')).toBeUndefined();
  });

  test('[AUTH-6] Whatever the timing, no more attempts get through than the limits allow, and none is refused without cause', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 10, maxLength: 300 });
    fc.assert(
      fc.property(waits, (times) => {
        const { time, refusal, fail } = openLimits();
        const failed: number[] = [];
        for (const ms of times) {
          time.ms += ms;
          const within = (windowMs: number) => failed.filter((at) => at > time.ms - windowMs).length;
          const isRefused = refusal('alice', '192.0.2.1') !== undefined;
          if (within(5 * minuteMs) >= 8 || within(hourMs) >= 100) expect(isRefused).toBe(true);
          // A failure may count for up to one slot longer than its window.
          if (within(5 * minuteMs + slotMs) < 8 && within(hourMs + slotMs) < 100)
            expect(isRefused).toBe(false);
          if (isRefused) continue;
          fail('alice', `10.${failed.length % 250}.0.1`);
          failed.push(time.ms);
        }
      }),
    );
  });
});
