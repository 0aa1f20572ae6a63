import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storedReason } from '../../foundation/sentences.ts';
import type { SendHours } from './send-hours.ts';
import { sendWindow } from './send-window.ts';

const hour = 60 * 60 * 1_000;

function hours(from: string, to: string, zone = 'Europe/Stockholm'): SendHours {
  return { from, to, zone, batch: 'delay' };
}

/** The UTC time when the hours next open, or `open` while they are open. */
function opening(sendHours: SendHours, at: string): string {
  const window = sendWindow(sendHours, Date.parse(at));
  return window.kind === 'opensAt' ? new Date(window.at).toISOString().replace('.000Z', 'Z') : window.kind;
}

function closing(sendHours: SendHours, at: string): string {
  const window = sendWindow(sendHours, Date.parse(at));
  return window.kind === 'open' ? new Date(window.until).toISOString().replace('.000Z', 'Z') : window.kind;
}

describe('send hours', () => {
  test('[BATCH-5] Send hours begin at the first moment of `from` and end before the first moment of `to`', () => {
    const day = hours('07:00', '21:00');
    expect(opening(day, '2026-01-15T05:59:59.999Z')).toBe('2026-01-15T06:00:00Z');
    expect(opening(day, '2026-01-15T06:00:00Z')).toBe('open');
    expect(opening(day, '2026-01-15T19:59:59.999Z')).toBe('open');
    expect(opening(day, '2026-01-15T20:00:00Z')).toBe('2026-01-16T06:00:00Z');
    // Daylight saving time.
    expect(opening(day, '2026-07-15T05:00:00Z')).toBe('open');
    expect(opening(day, '2026-07-15T19:00:00Z')).toBe('2026-07-16T05:00:00Z');
  });

  test('[BATCH-5] Send hours may span midnight', () => {
    const night = hours('21:00', '06:00');
    expect(opening(night, '2026-01-15T20:00:00Z')).toBe('open');
    expect(opening(night, '2026-01-16T04:59:59Z')).toBe('open');
    expect(opening(night, '2026-01-16T05:00:00Z')).toBe('2026-01-16T20:00:00Z');
  });

  test('[BATCH-5] Send hours end at midnight when `to` is 00:00', () => {
    const evening = hours('18:00', '00:00', 'UTC');
    expect(opening(evening, '2026-01-15T23:59:59Z')).toBe('open');
    expect(opening(evening, '2026-01-16T00:00:00Z')).toBe('2026-01-16T18:00:00Z');
  });

  test('[BATCH-5] Outside the send hours a batch is dropped if its company has chosen that', () => {
    const drop: SendHours = { ...hours('07:00', '21:00'), batch: 'drop' };
    expect(opening(drop, '2026-01-15T07:00:00Z')).toBe('open');
    expect(sendWindow(drop, Date.parse('2026-01-15T05:00:00Z'))).toEqual({
      kind: 'drop',
      until: Date.parse('2026-01-15T06:00:00Z'),
      reason: storedReason({
        sentence: 'outside_hours',
        from: '07:00',
        to: '21:00',
        zone: 'Europe/Stockholm',
      }),
    });
  });

  // Stockholm, 29 March 2026: 02:00 is followed by 03:00, at 01:00 UTC.
  test('[BATCH-5] When clocks go forward, the skipped hour is not part of the send hours', () => {
    expect(opening(hours('02:30', '04:00'), '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00Z');
    expect(opening(hours('02:30', '04:00'), '2026-03-29T01:00:00Z')).toBe('open');
    expect(opening(hours('01:00', '02:30'), '2026-03-29T00:59:59Z')).toBe('open');
    expect(opening(hours('01:00', '02:30'), '2026-03-29T01:00:00Z')).toBe('2026-03-29T23:00:00Z');
    expect(opening(hours('02:10', '02:50'), '2026-03-28T12:00:00Z')).toBe('2026-03-30T00:10:00Z');
    expect(opening(hours('07:00', '21:00'), '2026-03-28T21:00:00Z')).toBe('2026-03-29T05:00:00Z');
  });

  // Stockholm, 25 October 2026: 03:00 is followed by 02:00, at 01:00 UTC.
  test('[BATCH-5] When clocks go back, local times that occur twice count both times for send hours', () => {
    expect(opening(hours('02:30', '04:00'), '2026-10-25T00:00:00Z')).toBe('2026-10-25T00:30:00Z');
    expect(opening(hours('02:30', '04:00'), '2026-10-25T00:30:00Z')).toBe('open');
    expect(opening(hours('02:30', '04:00'), '2026-10-25T01:00:00Z')).toBe('2026-10-25T01:30:00Z');
    expect(opening(hours('01:00', '02:30'), '2026-10-25T00:30:00Z')).toBe('2026-10-25T01:00:00Z');
    expect(opening(hours('01:00', '02:30'), '2026-10-25T01:00:00Z')).toBe('open');
    expect(opening(hours('01:00', '02:30'), '2026-10-25T01:30:00Z')).toBe('2026-10-26T00:00:00Z');
    expect(opening(hours('07:00', '21:00'), '2026-10-24T20:00:00Z')).toBe('2026-10-25T06:00:00Z');
  });

  // Stockholm: clocks go forward at 01:00 UTC on 29 March 2026, and back at 01:00 UTC on 25 October.
  test('[BATCH-5] Send hours close by the local clock, even on days when it changes', () => {
    expect(closing(hours('07:00', '21:00'), '2026-01-15T12:00:00Z')).toBe('2026-01-15T20:00:00Z');
    expect(closing(hours('07:00', '21:00'), '2026-03-29T12:00:00Z')).toBe('2026-03-29T19:00:00Z');
    expect(closing(hours('21:00', '06:00'), '2026-03-28T22:00:00Z')).toBe('2026-03-29T04:00:00Z');
    expect(closing(hours('21:00', '06:00'), '2026-10-24T22:00:00Z')).toBe('2026-10-25T05:00:00Z');
    // The closing time falls in the hour that is skipped or repeated.
    expect(closing(hours('01:00', '02:30'), '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00Z');
    expect(closing(hours('01:00', '02:30'), '2026-10-25T00:00:00Z')).toBe('2026-10-25T00:30:00Z');
    expect(closing(hours('01:00', '02:30'), '2026-10-25T01:10:00Z')).toBe('2026-10-25T01:30:00Z');
  });

  test('[BATCH-5] Send hours are correct where clocks change by half an hour, and where a day was skipped', () => {
    // Lord Howe, 4 October 2026: 02:00 is followed by 02:30.
    const lordHowe = hours('02:15', '05:00', 'Australia/Lord_Howe');
    expect(opening(lordHowe, '2026-10-03T15:00:00Z')).toBe('2026-10-03T15:30:00Z');
    // Apia skipped 30 December 2011.
    const apia = hours('07:00', '21:00', 'Pacific/Apia');
    expect(opening(apia, '2011-12-30T09:00:00Z')).toBe('2011-12-30T17:00:00Z');
  });
});

/** Computes local time independently of the code under test. */
class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  }

  isWithin({ from, to }: SendHours, at: number): boolean {
    const shown = this.#format.format(at);
    return from < to ? from <= shown && shown < to : from <= shown || shown < to;
  }
}

const zones = [
  'Europe/Stockholm',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Pacific/Apia',
  'Pacific/Chatham',
  'UTC',
];

/** Instants within two days of a clock change. A zone may have no changes. */
function nearChanges(zone: string): fc.Arbitrary<number> {
  const shown = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const offset = (at: number) => Date.parse(`${shown.format(at)}Z`) - at;
  const from = Date.UTC(2010, 0, 1);
  const days = Array.from({ length: 365 * 20 }, (_, day) => from + day * 24 * hour);
  const changing = days.filter((day) => offset(day) !== offset(day + 24 * hour));
  const around = changing.length === 0 ? days : changing;
  return fc
    .tuple(fc.constantFrom(...around), fc.integer({ min: -48 * hour, max: 48 * hour }))
    .map(([day, distance]) => day + distance);
}

const minuteOfDay = fc.integer({ min: 0, max: 24 * 60 - 1 });
// Many of the windows are near the hours at which clocks change.
const nearNight = fc.oneof(minuteOfDay, fc.integer({ min: 0, max: 4 * 60 }));
const written = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

describe.each(zones)('send hours in %s', (zone) => {
  const clock = new WallClock(zone);
  const instants = fc.oneof(
    { arbitrary: nearChanges(zone), weight: 3 },
    { arbitrary: fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }), weight: 1 },
  );

  test('[BATCH-5] Send hours open and close at the moment when the local clock first shows their times', () => {
    fc.assert(
      fc.property(instants, nearNight, nearNight, (now, from, to) => {
        fc.pre(from !== to);
        const sendHours = hours(written(from), written(to), zone);
        const window = sendWindow(sendHours, now);
        const isWithin = clock.isWithin(sendHours, now);
        expect(window.kind).toBe(isWithin ? 'open' : 'opensAt');
        const until = window.kind === 'opensAt' ? window.at : window.until;
        expect(until).toBeGreaterThan(now);
        expect(clock.isWithin(sendHours, until)).toBe(!isWithin);
        for (let before = until - 1; before >= now; before -= 10 * 60_000) {
          expect(clock.isWithin(sendHours, before)).toBe(isWithin);
        }
      }),
      { numRuns: 150 },
    );
  });
});
