import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinearTime } from '../../test/harness/linear-time.ts';
import { parseScheduleTime, parseTime } from './schedule-time.ts';

const day = 86_400_000;

describe('forms of time', () => {
  test.each<[written: string, instant: string]>([
    ['2026-01-31T09:30:15Z', '2026-01-31T09:30:15.000Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:15+02:00', '2026-01-31T07:30:15.000Z'],
    ['2026-01-31T09:30-05:30', '2026-01-31T15:00:00.000Z'],
    ['2026-01-01T00:30+01:00', '2025-12-31T23:30:00.000Z'],
    ['2026-01-31T09:30:15.5Z', '2026-01-31T09:30:15.500Z'],
    ['2026-01-31T09:30:15,25Z', '2026-01-31T09:30:15.250Z'],
    ['2026-01-31T09:30:15.999999999+00:00', '2026-01-31T09:30:15.999Z'],
    ['2026-01-31T09:30:15.007-00:00', '2026-01-31T09:30:15.007Z'],
    ['2028-02-29T00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2000-02-29T23:59:59Z', '2000-02-29T23:59:59.000Z'],
    ['0050-03-01T00:00Z', '0050-03-01T00:00:00.000Z'],
  ])('[SEND-12] The send time %s is read as %s', (written, instant) => {
    expect(parseTime(written)).toEqual({ ok: true, value: Date.parse(instant) });
  });

  test.each<[written: string, why: string]>([
    ['2026-02-31T10:00:00Z', 'must be 1 to 28'],
    ['2027-02-29T10:00:00Z', 'must be 1 to 28'],
    ['2100-02-29T10:00:00Z', 'must be 1 to 28'],
    ['2026-04-31T10:00:00Z', 'must be 1 to 30'],
    ['2026-01-32T10:00:00Z', 'must be 1 to 31'],
    ['2026-01-00T10:00:00Z', 'day 0'],
    ['2026-00-10T10:00:00Z', 'the month 0'],
    ['2026-13-10T10:00:00Z', 'the month 13'],
    ['2026-01-10T24:00:00Z', 'hour 24'],
    ['2026-01-10T10:60:00Z', 'minute 60'],
    ['2026-01-10T23:59:60Z', 'second 60'],
    ['2026-01-10T10:00:00+24:00', 'offset'],
    ['2026-01-10T10:00:00+02:60', 'offset'],
    ['2026-01-10T10:00:00', 'has no zone'],
    ['2026-01-10T10:00', 'has no zone'],
    ['2026-01-10T10:00:00.123', 'has no zone'],
    ['2026-01-10T10:00:00 02:00', '%2B'],
    ['2026-01-10T10:00 02:00', '%2B'],
    ['2026-01-10T10:00:00.5 02:00', '%2B'],
    ['2026-01-10T10:00:00+0200', 'is not a time'],
    ['2026-01-10T10:00:00+02', 'is not a time'],
    ['2026-01-10 10:00:00Z', 'is not a time'],
    ['2026-01-10t10:00:00z', 'is not a time'],
    ['2026-01-10T10:00.5Z', 'is not a time'],
    ['2026-01-10T10Z', 'is not a time'],
    ['2026-01-10', 'is not a time'],
    ['20260110T100000Z', 'is not a time'],
    ['2026-1-10T10:00:00Z', 'is not a time'],
    [' 2026-01-10T10:00:00Z', 'is not a time'],
    ['2026-01-10T10:00:00Z\n', 'is not a time'],
    ['٢٠٢٦-01-10T10:00:00Z', 'is not a time'],
    ['1768039200000', 'is not a time'],
    ['', 'is not a time'],
  ])('[SEND-12] The send time %j is refused: %s', (written, why) => {
    expect(parseTime(written)).toMatchObject({
      ok: false,
      code: 'invalid_time',
      error: expect.stringContaining(why),
    });
  });

  test('[SEND-12] Every schedule time is read as the same instant, written in any zone', () => {
    const instants = fc.date({
      min: new Date('1970-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    });
    const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(instants, offsets, (instant, offsetMinutes) => {
        const local = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.trunc(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
        const zone = `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        const written = `${local}${offsetMinutes < 0 ? '-' : '+'}${zone}`;
        expect(parseTime(written)).toEqual({ ok: true, value: instant.getTime() });
      }),
    );
  });

  test('[SEND-12] Only real dates are accepted of all those that digits can write', () => {
    const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
    const year = fc.integer({ min: 1970, max: 2400 });
    fc.assert(
      fc.property(year, part(14), part(33), part(25), part(61), (y, month, date, hour, minute) => {
        const written = `${y}-${month}-${date}T${hour}:${minute}:00.000Z`;
        const parsed = parseTime(written);
        if (parsed.ok) expect(new Date(parsed.value).toISOString()).toBe(written);
        else {
          const read = new Date(written);
          expect(Number.isNaN(read.getTime()) || read.toISOString() !== written).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('bounds', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z');
  const at = (ms: number) => parseScheduleTime(new Date(ms).toISOString(), now);

  test('[SEND-12] A schedule time in the future is kept', () => {
    expect(at(now + 1)).toEqual({ ok: true, value: now + 1 });
    expect(at(now + 366 * day)).toEqual({ ok: true, value: now + 366 * day });
  });

  test('[SEND-12] A schedule time up to 60 seconds past counts as now', () => {
    for (const past of [0, 1, 59_999, 60_000]) expect(at(now - past)).toEqual({ ok: true, value: now });
  });

  test('[SEND-12] A schedule time more than 60 seconds past, or more than 366 days ahead, is refused', () => {
    expect(at(now - 60_001)).toMatchObject({
      ok: false,
      code: 'invalid_time',
      error: expect.stringContaining('is in the past. It is 2026-03-01T12:00:00.000Z now'),
    });
    expect(at(now + 366 * day + 1)).toMatchObject({
      ok: false,
      code: 'invalid_time',
      error: expect.stringContaining('2027-03-02T12:00:00.000Z'),
    });
  });

  test('[SEND-12] No text makes the schedule time check throw, and no accepted time is in the past', () => {
    const nearly = fc
      .array(fc.constantFrom('2026', '-', '03', '01', 'T', '12', ':', '30', 'Z', '+', ' ', '.', '60'), {
        maxLength: 16,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), nearly), (text) => {
        const result = parseScheduleTime(text, now);
        if (!result.ok) expect(result.error.length).toBeLessThan(250);
        else expect(result.value).toBeGreaterThanOrEqual(now);
      }),
      { numRuns: 500 },
    );
  });
});

test.each(['T00:00', '2', ' ', '2026-01-31T09:30 '])(
  '[SEND-12] [CONV-12] A schedule time is checked in time that grows with the length only: of %j',
  async (piece) => {
    const judge = (size: number) =>
      expect(parseTime(`${piece.repeat(size / piece.length)} 00:00`).ok).toBe(false);
    await expectLinearTime(judge, { from: 200_000, times: 10 });
  },
);
