import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from './seeded-random.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('chance', () => {
  test('[DLV-3] The SMSC for tests draws the same random numbers from the same seed, within their bounds', () => {
    fc.assert(
      fc.property(seeds, fc.nat(1_000), fc.nat(1_000), (seed, min, more) => {
        const [one, two] = [new SeededRandom(seed), new SeededRandom(seed)];
        for (let count = 0; count < 20; count++) {
          const drawn = one.within({ min, max: min + more });
          expect(two.within({ min, max: min + more })).toBe(drawn);
          expect(drawn).toBeGreaterThanOrEqual(min);
          expect(drawn).toBeLessThanOrEqual(min + more);
        }
      }),
    );
  });

  test('[DLV-3] The SMSC for tests draws each outcome by its share, and never one whose share is 0', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 60 }), (seed, share) => {
        const chance = new SeededRandom(seed);
        const shares = new Map([
          ['a', share],
          ['b', 40],
          ['never', 0],
        ]);
        const counts = new Map<string | undefined, number>();
        for (let count = 0; count < 2_000; count++) {
          const name = chance.oneOf(shares);
          counts.set(name, (counts.get(name) ?? 0) + 1);
        }
        // At most six standard deviations.
        expect(Math.abs((counts.get('a') ?? 0) - 20 * share)).toBeLessThan(135);
        expect(Math.abs((counts.get('b') ?? 0) - 800)).toBeLessThan(135);
        expect(counts.has('never')).toBe(false);
        if (share === 60) expect(counts.has(undefined)).toBe(false);
        expect([chance.happens(0), chance.happens(100), chance.oneOf(new Map())]).toEqual([
          false,
          true,
          undefined,
        ]);
      }),
    );
  });
});
