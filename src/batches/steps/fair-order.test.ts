import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BatchUnderWay } from './advance-store.ts';
import { FairOrder } from './expand.ts';

/** This many steps of a batch run together while it is expanded. */
const together = 8;

interface Working {
  readonly id: number;
  steps: number;
}

/** Simulates rounds, in each of which one batch has its turn; returns the round in which each batch ended. */
function work(
  arrivals: readonly (readonly Working[])[],
  maxRounds: number,
  look: (underWay: readonly Working[]) => void = () => undefined,
): ReadonlyMap<number, number> {
  const fair = new FairOrder();
  const ended = new Map<number, number>();
  let underWay: Working[] = [];
  for (let round = 0; round < maxRounds; round++) {
    underWay.push(...(arrivals[round] ?? []).map((batch) => ({ ...batch })));
    if (underWay.length === 0 && round >= arrivals.length) break;
    const [first] = fair.order(underWay.map(({ id }) => listed(id)));
    const batch = underWay.find(({ id }) => id === first?.id);
    if (batch === undefined) continue;
    const made = Math.min(batch.steps, together);
    batch.steps -= made;
    fair.made(batch.id, made);
    look(underWay);
    if (batch.steps === 0) ended.set(batch.id, round);
    underWay = underWay.filter(({ steps }) => steps > 0);
  }
  return ended;
}

function listed(id: number, clearing = 0): BatchUnderWay {
  return { companyId: 1, id, clearing };
}

describe('the order of batches under way', () => {
  test('[BATCH-2] A small batch gets its turn soon, though large ones are under way', () => {
    const large = Array.from({ length: 5 }, (_, index) => ({ id: index + 1, steps: 1_000 }));
    const ended = work([large, ...new Array(50).fill([]), [{ id: 100, steps: 4 }]], 1_000);
    expect((ended.get(100) as number) - 51).toBeLessThanOrEqual(large.length);
  });

  test('[BATCH-2] A stream of small batches keeps no large one waiting', () => {
    // A small batch arrives each round, so the small ones alone would be enough work.
    const small = Array.from({ length: 2_000 }, (_, index) => [{ id: index + 2, steps: 4 }]);
    const ended = work([[{ id: 1, steps: 200 }], ...small], 2_000);
    const [steps, ofThem] = [200, 4];
    // The large batch gets at least a third of all steps.
    expect((ended.get(1) as number) * ofThem).toBeLessThan(3 * steps);
  });

  test('[BATCH-2] Large batches advance evenly, the oldest does not fall behind, and all end, however many small ones arrive', () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 100, maxLength: 300 });
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 6 }), (comings, steps) => {
        let id = 3;
        const small = comings.map((count) => Array.from({ length: count }, () => ({ id: id++, steps })));
        const large = [0, 1, 2].map((one) => ({ id: one, steps: 80 }));
        const ended = work([large, ...small], 5_000, (underWay) => {
          const [oldest, second, third] = underWay.filter((one) => one.id < 3).map((one) => one.steps);
          if (oldest === undefined || second === undefined || third === undefined) return;
          expect(Math.abs(second - third)).toBeLessThanOrEqual(together);
          expect(oldest).toBeLessThanOrEqual(Math.min(second, third) + together);
        });
        expect(ended.size).toBe(id);
      }),
    );
  });

  test('[BATCH-5] An aborted batch goes before all others', () => {
    const fair = new FairOrder();
    fair.order([listed(1), listed(2, 1)]);
    fair.made(2, 1_000);
    expect(fair.order([listed(1), listed(2, 1)]).map(({ id }) => id)).toEqual([2, 1]);
  });

  test('[BATCH-2] A batch that rested, for example after a fault, gets no extra turns later', () => {
    const fair = new FairOrder();
    fair.order([listed(1), listed(2)]);
    for (let step = 0; step < 100; step++) {
      fair.order([listed(2)]);
      fair.made(2, 1);
    }
    fair.order([listed(1), listed(2)]);
    fair.made(1, 1);
    expect(fair.order([listed(1), listed(2)]).map(({ id }) => id)).toEqual([2, 1]);
  });
});
