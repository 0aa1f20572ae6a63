import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Backpressure } from './reception.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function source() {
  const calls: string[] = [];
  return { calls, hold: () => calls.push('hold'), release: () => calls.push('release') };
}

test('[DLV-5] [DLV-8] Reading from an SMSC stops at the limit of open deliveries, and goes on at half of it', () => {
  const backpressure = new Backpressure(10);
  const [one, other] = [source(), source()];
  expect(backpressure.admits(one, 9)).toBe(true);
  expect(one.calls).toEqual([]);
  for (const open of [10, 11, 12]) expect(backpressure.admits(one, open)).toBe(true);
  expect(backpressure.admits(other, 13)).toBe(true);
  backpressure.answered(true, 6);
  expect([one.calls, other.calls]).toEqual([['hold'], ['hold']]);
  backpressure.answered(true, 5);
  expect([one.calls, other.calls]).toEqual([
    ['hold', 'release'],
    ['hold', 'release'],
  ]);
});

test('[DLV-8] While the store takes nothing, reading goes on and deliveries are refused until it takes something', () => {
  const backpressure = new Backpressure(10);
  const one = source();
  backpressure.admits(one, 10);
  vi.advanceTimersByTime(4_900);
  // Receipts that could not be stored are not progress.
  backpressure.answered(false, 9);
  expect(one.calls).toEqual(['hold']);
  vi.advanceTimersByTime(200);
  expect(one.calls).toEqual(['hold', 'release']);
  expect(backpressure.admits(one, 9)).toBe(true);
  expect(backpressure.admits(one, 10)).toBe(false);
  backpressure.answered(true, 9);
  expect(backpressure.admits(one, 10)).toBe(true);
  expect(one.calls).toEqual(['hold', 'release', 'hold']);
});

test('[DLV-5] A slow store keeps reading from the SMSC on hold for as long as it takes', () => {
  const backpressure = new Backpressure(1_000);
  const one = source();
  backpressure.admits(one, 1_000);
  for (let open = 999; open > 501; open--) {
    vi.advanceTimersByTime(4_000);
    backpressure.answered(true, open);
  }
  expect(one.calls).toEqual(['hold']);
  backpressure.release();
  vi.advanceTimersByTime(60_000);
  expect(one.calls).toEqual(['hold', 'release']);
});
