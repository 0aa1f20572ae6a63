/** Tests validity in both of SMPP's forms, with npm's smpp as a second reader of the absolute one. */
import fc from 'fast-check';
import smpp from 'smpp';
import { describe, expect, test } from 'vitest';
import { parseSmppTime } from '../../../test/harness/smpp-time.ts';
import { encodePdu } from './pdu.ts';
import { absoluteTime, relativeTime, validityPeriod } from './smpp-time.ts';

const now = Date.parse('2026-11-21T09:30:00.000Z');
const second = 1_000;
const day = 86_400 * second;
const times = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2099, 0) });

describe('validity', () => {
  test('[DLV-4] An absolute validity is in UTC with 00+, a relative one ends in R, and none is empty', () => {
    const expiresAt = now + day + 2 * 3_600 * second + 3 * 60 * second + 4_567;
    expect(validityPeriod('absolute', expiresAt, now)).toBe('261122113304500+');
    expect(validityPeriod('relative', expiresAt, now)).toBe('000001020304000R');
    expect(validityPeriod('none', expiresAt, now)).toBe('');
  });

  test('[DLV-4] A relative validity is never zero, which would mean the SMSC’s own validity', () => {
    for (const duration of [-day, 0, 1, 999, 1_000]) expect(relativeTime(duration)).toBe('000000000001000R');
  });

  test('[DLV-4] A relative validity can be a week, the maximum for a message, and is at most 31 days, the maximum of its form', () => {
    expect(relativeTime(7 * day)).toBe('000007000000000R');
    expect(relativeTime(31 * day)).toBe('000031000000000R');
    expect(relativeTime(400 * day)).toBe('000031000000000R');
  });

  test('[DLV-4] Neither form of validity outlives the message or ends a second early', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: second, max: 31 * day }), (from, duration) => {
        for (const form of ['absolute', 'relative'] as const) {
          const read = parseSmppTime(validityPeriod(form, from + duration, from), from)!;
          expect(read).toBeLessThanOrEqual(from + duration);
          expect(read).toBeGreaterThan(from + duration - second);
        }
      }),
    );
  });

  test('[DLV-4] An absolute validity is read by npm’s smpp as the same time', () => {
    fc.assert(
      fc.property(times, (time) => {
        const octets = encodePdu({ command: 'submitSm', sequence: 1, validityPeriod: absoluteTime(time) });
        const read = new smpp.PDU(octets).validity_period as Date;
        expect(read.getTime()).toBe(time - (time % 1_000) + (Math.floor(time / 100) % 10) * 100);
      }),
    );
  });
});

describe('times from peers', () => {
  test('[DLV-4] A peer’s SMPP time is read with its quarters of an hour ahead of or behind UTC', () => {
    expect(parseSmppTime('261121093000004+', now)).toBe(now - 3_600 * second);
    expect(parseSmppTime('261121093000022-', now)).toBe(now + 5.5 * 3_600 * second);
    expect(parseSmppTime('261121093000700+', now)).toBe(now + 700);
  });

  test('[DLV-4] Years and months of a peer’s relative SMPP time are those of the calendar', () => {
    expect(parseSmppTime('010100000000000R', now)).toBe(Date.parse('2027-12-21T09:30:00Z'));
    expect(parseSmppTime('000200000001000R', now)).toBe(Date.parse('2027-01-21T09:30:01Z'));
  });

  test('[DLV-4] A malformed SMPP time is read as no time', () => {
    for (const text of [
      '',
      '2611210930',
      '261321093000000+',
      '261132093000000+',
      '261121243000000+',
      '26112109300000+',
      '261121093000000Z',
      '261121093000049+',
      'x61121093000000+',
    ])
      expect(parseSmppTime(text, now)).toBeUndefined();
  });
});
