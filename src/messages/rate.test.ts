import { describe, expect, test } from 'vitest';
import { countParts, leftOf, overRate, type RateRow, rateHeaders, rateLeft } from './rate.ts';

const minute = 60_000;
const day = 1_440 * minute;
const noon = Date.parse('2026-06-15T12:00:00Z');

function rowOf(perMinute: number | null, perDay: number | null): RateRow {
  const counted = { minute_counted: null, minute_parts: 0, day_counted: null, day_parts: 0 };
  return { parts_per_minute: perMinute, parts_per_day: perDay, ...counted };
}

/** The result that these tests examine. */
const first = (...asked: Parameters<typeof overRate>) => overRate(...asked)[0];

describe('what may be sent in a minute and a day', () => {
  test('[CONV-11] The limit of a minute can be used up to the last part, and the next minute begins exactly on its edge', () => {
    const row = rowOf(10, null);
    countParts(row, 9, noon + 59_998, 'call');
    expect(first(row, 1, noon + 59_999, 'call')).toBeUndefined();
    expect(first(row, 2, noon + 59_999, 'call')).toEqual({
      kind: 'now',
      span: 'minute',
      limit: 10,
      left: 1,
      retryAt: noon + minute,
    });
    expect(first(row, 10, noon + minute, 'call')).toBeUndefined();
    expect(first(row, 11, noon + minute, 'call')).toMatchObject({ kind: 'never', limit: 10 });
    countParts(row, 4, noon + minute, 'call');
    expect(leftOf(row, noon + minute)).toEqual({ minute: 6, day: 14_400 - 13 });
  });

  test('[CONV-11] The limit of a day ends at midnight UTC', () => {
    const row = rowOf(10, 15);
    countParts(row, 8, noon, 'call');
    const midnight = Date.parse('2026-06-16T00:00:00Z');
    expect(overRate(row, 8, noon, 'call')).toMatchObject([
      { span: 'minute', left: 2, retryAt: noon + minute },
      { span: 'day', left: 7, retryAt: midnight },
    ]);
    expect(overRate(row, 7, noon, 'call')).toMatchObject([{ span: 'minute' }]);
    expect(first(row, 10, midnight - 1, 'call')).toMatchObject({ kind: 'now', span: 'day' });
    expect(first(row, 10, midnight, 'call')).toBeUndefined();
  });

  test('[CONV-11] Of the limits of an account and its company, headers tell the one that has less left', () => {
    const [account, company] = [rowOf(10, null), rowOf(100, 120)];
    countParts(account, 4, noon, 'call');
    countParts(company, 97, noon, 'call');
    const limits = rateLeft([account, company, rowOf(null, null)], noon + 1_500);
    expect(limits).toMatchObject([
      { span: 'minute', limit: 100, left: 3 },
      { span: 'day', limit: 120, left: 23 },
    ]);
    expect(rateHeaders(limits, noon + 1_500)).toEqual({
      'ratelimit-policy':
        '"parts-per-minute";q=100;qu="sms-parts";w=60, "parts-per-day";q=120;qu="sms-parts";w=86400',
      ratelimit: '"parts-per-minute";r=3;t=59, "parts-per-day";r=23;t=43199',
    });
    expect(rateLeft([rowOf(null, null)], noon)).toEqual([]);
  });

  test('[BATCH-5] A batch is bounded by the daily limit, which by default is that of all minutes of a day', () => {
    const row = rowOf(10, null);
    expect(first(row, 14_400, noon, 'batch')).toBeUndefined();
    expect(first(row, 14_401, noon, 'batch')).toMatchObject({ kind: 'never', span: 'day' });
    countParts(row, 14_395, noon, 'batch');
    expect(leftOf(row, noon)).toEqual({ minute: 10, day: 5 });
    expect(first(row, 6, noon, 'call')).toMatchObject({ kind: 'now', span: 'day', left: 5 });
    expect(first(row, 6, noon + day, 'call')).toBeUndefined();
  });

  test('[CONV-11] A clock slightly behind begins no new minute or day, and one that was far ahead holds up no caller', () => {
    const row = rowOf(10, 100);
    countParts(row, 10, noon + 3 * minute, 'call');
    expect(first(row, 1, noon, 'call')).toMatchObject({ left: 0, retryAt: noon + 4 * minute });
    const ahead = rowOf(10, 100);
    countParts(ahead, 10, noon + 400 * day, 'call');
    expect(first(ahead, 10, noon, 'call')).toBeUndefined();
    countParts(ahead, 10, noon, 'call');
    expect(leftOf(ahead, noon)).toEqual({ minute: 0, day: 90 });
  });

  test('[CONV-11] Limits lowered below what was already sent leave nothing', () => {
    const row = rowOf(10, 100);
    countParts(row, 10, noon, 'call');
    const lowered = { ...row, parts_per_minute: 5 };
    expect(leftOf(lowered, noon)).toEqual({ minute: 0, day: 90 });
    expect(first(lowered, 1, noon, 'call')).toMatchObject({ kind: 'now', left: 0 });
  });
});
