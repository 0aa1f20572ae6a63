import { describe, expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Works for some milliseconds in steps of half a one. */
function* working(ms: number): Generator<void, number> {
  for (let step = 0; step < 2 * ms; step += 1) {
    const until = performance.now() + 0.5;
    while (performance.now() < until);
    yield;
  }
  return ms;
}

describe('turns', () => {
  test('[BATCH-6] a short task does not wait for a long one that came before', async () => {
    const turns = new Turns();
    const ended: number[] = [];
    const long = turns.run(working(150)).then((ms) => ended.push(ms));
    const short = [8, 1].map((ms) => turns.run(working(ms)).then(() => ended.push(ms)));
    await Promise.all([long, ...short]);
    expect(ended).toEqual([1, 8, 150]);
  });

  test('[BATCH-6] what comes from outside has its turn too', async () => {
    const turns = new Turns();
    let timers = 0;
    const timer = setInterval(() => {
      timers += 1;
    }, 1);
    await turns.run(working(60));
    clearInterval(timer);
    expect(timers).toBeGreaterThan(3);
  });

  test('[BATCH-6] a task that fails, or that nobody wants any more, is no burden to the others', async () => {
    const turns = new Turns();
    let steps = 0;
    function* endless(): Generator<void, never> {
      for (;;) {
        steps += 1;
        yield;
      }
    }
    // biome-ignore lint/correctness/useYield: it fails before it would pause.
    function* failing(): Generator<void, never> {
      throw new Error('broken');
    }
    let isWanted = true;
    const given = turns.run(endless(), () => isWanted);
    const failed = turns.run(failing());
    await expect(failed).rejects.toThrow('broken');
    expect(await turns.run(working(5))).toBe(5);
    isWanted = false;
    await expect(given).rejects.toThrow('nobody wants');
    const last = steps;
    expect(await turns.run(working(5))).toBe(5);
    expect(steps).toBe(last);
  });
});
