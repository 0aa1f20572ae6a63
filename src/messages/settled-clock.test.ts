import { describe, expect, test } from 'vitest';
import { SettledClock } from './settled-clock.ts';

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

describe('the time of day, for deleting by it,', () => {
  test('[RUN-6] is believed from the start, while time passes, and when it is set by a little', () => {
    const { clock, settled, pass } = started();
    expect(settled.isSettled()).toBe(true);
    for (let day = 0; day < 100; day++) {
      pass(dayMs);
      clock.time += hourMs / 2;
      expect(settled.isSettled()).toBe(true);
      clock.time -= hourMs / 2;
      expect(settled.isSettled()).toBe(true);
    }
  });

  test('[RUN-6] is not believed after a jump ahead until it has held for a day', () => {
    const { clock, settled, pass } = started();
    clock.time += 60 * dayMs;
    expect(settled.isSettled()).toBe(false);
    pass(dayMs - 1);
    expect(settled.isSettled()).toBe(false);
    pass(1);
    expect(settled.isSettled()).toBe(true);
  });

  test('[RUN-6] is believed again at once when it is set right', () => {
    const { clock, settled, pass } = started();
    clock.time += 60 * dayMs;
    expect(settled.isSettled()).toBe(false);
    pass(hourMs);
    clock.time -= 60 * dayMs;
    expect(settled.isSettled()).toBe(true);
    clock.time -= 60 * dayMs;
    expect(settled.isSettled()).toBe(true);
  });
});
