/**
 * Examples that `clocks.test.ts` has to find, marked as such, and others that it has to leave alone. This code never runs.
 */
import { expect } from 'vitest';
import { awakeMs } from '../harness/awake.ts';

export async function examples(work: () => Promise<{ readonly time: number; readonly pauseMs: number }>) {
  const before = Date.now();
  const { time, pauseMs } = await work();
  const tookMs = performance.now() - before;
  const all: number[] = [];
  all.push(awakeMs() - before);
  expect(Date.now() - before).toBeLessThan(1_000); // found
  expect(tookMs, 'with a reason').toBeLessThanOrEqual(2 * before); // found
  expect(Math.max(...all)).toBeLessThan(before); // found
  expect(pauseMs).toBeLessThan(60 * 1_000); // found
  expect(time).toBeLessThanOrEqual(Date.now());
  expect(tookMs).toBeGreaterThanOrEqual(200);
  expect(pauseMs).toBeLessThan(2 * before);
}
