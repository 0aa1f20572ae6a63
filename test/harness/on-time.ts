/**
 * A promise of time, proven on a machine that may stand still at any moment: one that is kept by luck only fails in some
 * try, while a machine that paused once does not do so in each of them.
 */
import { expect } from 'vitest';
import { until } from './awake.ts';

const mostTries = 4;

/** Measures until it was quick enough; that it never was is the fault. */
export async function expectWithin(
  limitMs: number,
  measure: (attempt: number) => Promise<number>,
): Promise<void> {
  const tookMs: number[] = [];
  while (tookMs.length < mostTries) {
    const took = await measure(tookMs.length);
    if (took < limitMs) return;
    tookMs.push(Math.round(took));
  }
  expect(tookMs, `each took ${limitMs} ms or more`).toEqual([]);
}

/** Looks until it is so, and answers with the milliseconds that took. */
export async function msUntil(isSo: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<number> {
  const startedAt = performance.now();
  await until(isSo, timeoutMs);
  return performance.now() - startedAt;
}
