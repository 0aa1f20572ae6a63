import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

describe('pauses between tries', () => {
  test('[DLV-3] double from the least to the most, and begin anew after a success', () => {
    const backoff = new Backoff(1_000, 60_000, () => 0.5);
    const pauses = Array.from({ length: 8 }, () => backoff.next());
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    backoff.reset();
    expect(backoff.next()).toBe(1_000);
  });

  test('[DLV-3] differ from link to link, and never leave the bounds', () => {
    fc.assert(
      fc.property(fc.nat(60_000), fc.nat(60_000), fc.integer({ min: 1, max: 20 }), (least, most, tries) => {
        const backoff = new Backoff(least, most);
        for (let tried = 0; tried < tries; tried++) {
          const pauseMs = backoff.next();
          expect(pauseMs).toBeGreaterThanOrEqual(least);
          expect(pauseMs).toBeLessThanOrEqual(Math.max(least, most));
        }
      }),
    );
    const pauses = Array.from({ length: 20 }, () => {
      const backoff = new Backoff(1_000, 60_000);
      backoff.next();
      return backoff.next();
    });
    expect(new Set(pauses).size).toBeGreaterThan(10);
  });
});
