import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass, passUntil } from '../../../test/harness/held-time.ts';
import { DelayLine } from './delay-line.ts';

interface Seen {
  readonly thing: number;
  readonly at: number;
}

function delayLine(delayMs: number): { line: DelayLine<number>; seen: Seen[] } {
  const seen: Seen[] = [];
  const line = new DelayLine<number>(delayMs, (things) => {
    for (const thing of things) seen.push({ thing, at: performance.now() });
  });
  return { line, seen };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(holdTime);
afterEach(letTimeGo);

describe('a delay line', () => {
  test.each([0, 1, 40])('[DLV-1] lets things out in order, %i ms after they went in', async (delayMs) => {
    const { line, seen } = delayLine(delayMs);
    const wentIn = new Map<number, number>();
    for (let thing = 0; thing < 30; thing++) {
      wentIn.set(thing, performance.now());
      line.push([thing]);
      pass(thing % 3);
    }
    await passUntil(() => seen.length === 30);
    expect(seen.map(({ thing }) => thing)).toEqual([...wentIn.keys()]);
    for (const { thing, at } of seen) {
      // Things that went in within a few milliseconds come out together, with the first of them.
      expect(at - (wentIn.get(thing) as number)).toBeGreaterThanOrEqual(delayMs - 6);
      // Without a delay it takes a turn of the event loop, and no time that is held.
      if (delayMs > 0) expect(at - (wentIn.get(thing) as number)).toBeLessThanOrEqual(delayMs + 1);
    }
  });

  test('[DLV-1] lets nothing out within the turn that put it in, even without a delay', async () => {
    const { line, seen } = delayLine(0);
    line.push([1, 2]);
    await Promise.resolve();
    expect(seen).toEqual([]);
    await until(() => seen.length === 2);
  });

  test('[DLV-1] goes on when what comes out puts something in', async () => {
    const seen: number[] = [];
    const line = new DelayLine<number>(2, (things) => {
      seen.push(...things);
      if (seen.length < 5) line.push([seen.length]);
    });
    line.push([0]);
    await passUntil(() => seen.length === 5);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test('[DLV-1] takes more at once than a call takes arguments', async () => {
    const { line, seen } = delayLine(0);
    const many = Array.from({ length: 200_000 }, (_, index) => index);
    line.push(many);
    await until(() => seen.length === many.length);
    expect(seen.map(({ thing }) => thing)).toEqual(many);
  });

  test('[RUN-4] stopped, it gives back what is inside and lets nothing out any more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(0, 3, 20),
        fc.array(fc.array(fc.integer(), { maxLength: 4 }), { maxLength: 6 }),
        async (delayMs, sets) => {
          const { line, seen } = delayLine(delayMs);
          for (const set of sets) line.push(set);
          if (sets.length % 2 === 1) await nextTurn();
          if (sets.length % 3 === 1) pass(delayMs / 2);
          const out = seen.map(({ thing }) => thing);
          expect([...out, ...line.stop()]).toEqual(sets.flat());
          pass(delayMs + 5);
          await nextTurn();
          expect(seen).toHaveLength(out.length);
        },
      ),
      { numRuns: 30 },
    );
  });
});
