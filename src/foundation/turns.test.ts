import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Turns } from './turns.ts';

/** Works for some milliseconds in steps of half a one, by a clock that stands still otherwise. */
function* working(ms: number): Generator<void, number> {
  for (let step = 0; step < 2 * ms; step += 1) {
    vi.advanceTimersByTime(0.5);
    yield;
  }
  return ms;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Tells at each of its turns, where one is a step, whose it is. */
function* telling(owner: number, steps: number, told: number[]): Generator<void, void> {
  for (let step = 1; step < steps; step += 1) {
    told.push(owner);
    yield;
  }
  told.push(owner);
}

/** A turn of these is a single step, however fast the machine is. */
const turnsOfAStep = () => new Turns(0);

describe('turns', () => {
  test('[CONV-12] however many tasks an owner has, none of the n who wait has two turns in n, and all tasks end', async () => {
    const task = fc.record({
      owner: fc.integer({ min: 1, max: 4 }),
      /** Each of them is asked for when the one before has ended. */
      parts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 20 }), async (tasks) => {
        const turns = turnsOfAStep();
        const told: number[] = [];
        await Promise.all(
          tasks.map(async ({ owner, parts }) => {
            for (const steps of parts) await turns.run(owner, telling(owner, steps, told));
          }),
        );
        expect(told).toHaveLength(tasks.flatMap(({ parts }) => parts).reduce((sum, one) => sum + one, 0));
        for (const [index, owner] of told.entries()) {
          const waiting = new Set(told.slice(index));
          // All of them have their turns before the owner's next.
          const next = told.slice(index + 1, index + waiting.size);
          expect(next).not.toContain(owner);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('[CONV-12] who comes while another has a hundred tasks, begun and fresh ones, has every second turn', async () => {
    const turns = turnsOfAStep();
    const told: number[] = [];
    const run = (owner: number, steps: number) => turns.run(owner, telling(owner, steps, told));
    const many = Array.from({ length: 100 }, () => run(1, 9));
    await run(1, 1);
    const before = told.length;
    many.push(...Array.from({ length: 100 }, () => run(1, 9)));
    await run(2, 20);
    const seen = told.slice(before);
    expect(seen.filter((owner) => owner === 2)).toHaveLength(20);
    expect(seen.length).toBeLessThanOrEqual(40);
    await Promise.all(many);
  });

  test('[BATCH-6] a short task does not wait for a long one that came before', async () => {
    const turns = new Turns();
    const ended: number[] = [];
    const long = turns.run(1, working(150)).then((ms) => ended.push(ms));
    const short = [8, 1].map((ms) => turns.run(1, working(ms)).then(() => ended.push(ms)));
    await Promise.all([long, ...short]);
    expect(ended).toEqual([1, 8, 150]);
  });

  test('[BATCH-6] what comes from outside has its turn too', async () => {
    const turns = new Turns();
    let isDone = false;
    const work = turns.run(1, working(60)).then(() => {
      isDone = true;
    });
    let times = 0;
    while (!isDone) {
      times += 1;
      await new Promise(setImmediate);
    }
    await work;
    // A turn is four milliseconds.
    expect(times).toBeGreaterThanOrEqual(15);
  });

  test('[BATCH-6] a task that fails, or that nobody wants any more, is no burden to the others', async () => {
    const turns = new Turns();
    let steps = 0;
    function* endless(): Generator<void, never> {
      for (;;) {
        steps += 1;
        vi.advanceTimersByTime(0.5);
        yield;
      }
    }
    // biome-ignore lint/correctness/useYield: it fails before it would pause.
    function* failing(): Generator<void, never> {
      throw new Error('broken');
    }
    let isWanted = true;
    const given = turns.run(1, endless(), () => isWanted);
    const failed = turns.run(1, failing());
    await expect(failed).rejects.toThrow('broken');
    expect(await turns.run(1, working(5))).toBe(5);
    isWanted = false;
    await expect(given).rejects.toThrow('nobody wants');
    const last = steps;
    expect(await turns.run(1, working(5))).toBe(5);
    expect(steps).toBe(last);
  });
});
