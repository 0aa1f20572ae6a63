import { describe, expect, test } from 'vitest';
import { SettledClock } from './clock.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

function started() {
  const clock = { time: 1_000 * dayMs, now: () => clock.time };
  const stopwatch = { time: 5_000, elapsed: () => stopwatch.time };
  const settled = new SettledClock(clock, stopwatch);
  const pass = (ms: number) => {
    clock.time += ms;
    stopwatch.time += ms;
  };
  return { clock, settled, pass };
}

describe('the time of day as a basis for purging', () => {
  test('[RUN-6] The clock is trusted for purging from the start, as time passes, and after small adjustments', () => {
    const { clock, settled, pass } = started();
    expect(settled.isSettled(null)).toBe(true);
    for (let day = 0; day < 100; day++) {
      pass(dayMs);
      clock.time += hourMs / 2;
      expect(settled.isSettled(null)).toBe(true);
      clock.time -= hourMs / 2;
      expect(settled.isSettled(null)).toBe(true);
    }
  });

  test('[RUN-6] After a jump ahead the clock is not trusted for purging until it has held for a day', () => {
    const { clock, settled, pass } = started();
    clock.time += 60 * dayMs;
    expect(settled.isSettled(null)).toBe(false);
    pass(dayMs - 1);
    expect(settled.isSettled(null)).toBe(false);
    pass(1);
    expect(settled.isSettled(null)).toBe(true);
  });

  test('[RUN-6] The clock is trusted for purging again as soon as a jump ahead is corrected', () => {
    const { clock, settled, pass } = started();
    clock.time += 60 * dayMs;
    expect(settled.isSettled(null)).toBe(false);
    pass(hourMs);
    clock.time -= 60 * dayMs;
    expect(settled.isSettled(null)).toBe(true);
    clock.time -= 60 * dayMs;
    expect(settled.isSettled(null)).toBe(true);
  });

  test('[RUN-6] A clock that starts far ahead of the last trusted time is not trusted for purging until it has held for a day', () => {
    const { clock, settled, pass } = started();
    const before = clock.time - 60 * dayMs;
    expect(settled.isSettled(before)).toBe(false);
    pass(dayMs - 1);
    expect(settled.isSettled(before)).toBe(false);
    pass(1);
    expect(settled.isSettled(before)).toBe(true);
    expect(settled.isSettled(clock.time)).toBe(true);
  });

  test('[RUN-6] The clock is trusted at start after some days out of service, and when it is behind the last trusted time', () => {
    const { clock, settled } = started();
    for (const days of [0, 1, 7, -400]) expect(settled.isSettled(clock.time - days * dayMs)).toBe(true);
  });

  test('[RUN-6] A clock that was wrong at the start is trusted for purging as soon as it is corrected', () => {
    const { clock, settled, pass } = started();
    const before = clock.time - 60 * dayMs;
    pass(hourMs);
    expect(settled.isSettled(before)).toBe(false);
    clock.time -= 60 * dayMs;
    expect(settled.isSettled(before)).toBe(true);
  });
});
