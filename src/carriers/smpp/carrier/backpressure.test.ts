import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Backpressure } from './backpressure.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function source() {
  const calls: string[] = [];
  return { calls, hold: () => calls.push('hold'), release: () => calls.push('release') };
}

test('[DLV-5] [DLV-8] reading is held beyond what may be open, and goes on at half of it', () => {
  const brake = new Backpressure(10);
  const [one, other] = [source(), source()];
  expect(brake.admits(one, 9)).toBe(true);
  expect(one.calls).toEqual([]);
  for (const open of [10, 11, 12]) expect(brake.admits(one, open)).toBe(true);
  expect(brake.admits(other, 13)).toBe(true);
  brake.answered(true, 6);
  expect([one.calls, other.calls]).toEqual([['hold'], ['hold']]);
  brake.answered(true, 5);
  expect([one.calls, other.calls]).toEqual([
    ['hold', 'release'],
    ['hold', 'release'],
  ]);
});

test('[DLV-8] while the store takes nothing reading goes on, and what comes is refused until it takes something', () => {
  const brake = new Backpressure(10);
  const one = source();
  brake.admits(one, 10);
  vi.advanceTimersByTime(4_900);
  // What could not be stored is no progress.
  brake.answered(false, 9);
  expect(one.calls).toEqual(['hold']);
  vi.advanceTimersByTime(200);
  expect(one.calls).toEqual(['hold', 'release']);
  expect(brake.admits(one, 9)).toBe(true);
  expect(brake.admits(one, 10)).toBe(false);
  brake.answered(true, 9);
  expect(brake.admits(one, 10)).toBe(true);
  expect(one.calls).toEqual(['hold', 'release', 'hold']);
});

test('[DLV-5] a slow store holds reading for as long as it takes', () => {
  const brake = new Backpressure(1_000);
  const one = source();
  brake.admits(one, 1_000);
  for (let open = 999; open > 501; open--) {
    vi.advanceTimersByTime(4_000);
    brake.answered(true, open);
  }
  expect(one.calls).toEqual(['hold']);
  brake.release();
  vi.advanceTimersByTime(60_000);
  expect(one.calls).toEqual(['hold', 'release']);
});
