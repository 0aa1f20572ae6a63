import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TaskOwner, Turns } from './turns.ts';

/** Works for a number of milliseconds in steps of half a millisecond, on a clock that only this work advances. */
function* working(ms: number): Generator<void, number> {
  for (let step = 0; step < 2 * ms; step += 1) {
    vi.advanceTimersByTime(0.5);
    yield;
  }
  return ms;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Records what it is at each of its turns, where each turn is one step. */
function* telling<What>(what: What, steps: number, taken: What[]): Generator<void, void> {
  for (let step = 1; step < steps; step += 1) {
    taken.push(what);
    yield;
  }
  taken.push(what);
}

const user = (companyId: number, userId = 1): TaskOwner => ({ companyId, userId });

/** Expects that, while n owners wait, none of them has two of any n turns. */
function expectTurns(taken: readonly unknown[]): void {
  for (const [index, one] of taken.entries()) {
    const waiting = new Set(taken.slice(index));
    expect(taken.slice(index + 1, index + waiting.size)).not.toContain(one);
  }
}

/** A turn is a single step here, however fast the machine is. */
const turnsOfAStep = () => new Turns(0);

describe('turns', () => {
  test('[CONV-12] [CONV-15] Companies take turns, as do the users of each, and all tasks end, whatever they ask for', async () => {
    const task = fc.record({
      companyId: fc.integer({ min: 1, max: 4 }),
      userId: fc.integer({ min: 1, max: 3 }),
      /** Each part is requested once the previous part has ended. */
      parts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 20 }), async (tasks) => {
        const turns = turnsOfAStep();
        const taken: (typeof tasks)[number][] = [];
        await Promise.all(
          tasks.map(async (one) => {
            for (const steps of one.parts) await turns.run(one, telling(one, steps, taken));
          }),
        );
        expect(taken).toHaveLength(tasks.flatMap(({ parts }) => parts).reduce((sum, one) => sum + one, 0));
        expectTurns(taken.map(({ companyId }) => companyId));
        for (const id of [1, 2, 3, 4])
          expectTurns(taken.filter(({ companyId }) => companyId === id).map(({ userId }) => userId));
      }),
      { numRuns: 100 },
    );
  });

  test('[CONV-12] [CONV-15] A company waits for only one turn of another, however many users the other has, and the users of each take turns', async () => {
    const turns = turnsOfAStep();
    const taken: number[] = [];
    const ofMany = [1, 1, 2, 2, 3, 3, 4, 4].map((userId) => user(1, userId));
    const owners = [...ofMany, user(2)];
    await Promise.all(owners.map((owner, index) => turns.run(owner, telling(index, 1, taken))));
    expect(taken).toEqual([0, 8, 2, 4, 6, 1, 3, 5, 7]);
  });

  test('[CONV-12] Clients that are not known yet take turns by their networks', async () => {
    const turns = turnsOfAStep();
    const taken: string[] = [];
    const run = (owner: TaskOwner, what: string) => turns.run(owner, telling(what, 2, taken));
    const networks = ['192.0.2', '192.0.2', '198.51.100'];
    await Promise.all([...networks.map((network) => run(network, network)), run(user(1), 'user')]);
    expectTurns(taken.slice(0, 6));
    expect(taken.slice(6)).toEqual(['192.0.2', '192.0.2']);
  });

  test('[CONV-12] An owner who comes while another has a hundred tasks, begun and fresh, gets every second turn', async () => {
    const turns = turnsOfAStep();
    const taken: number[] = [];
    const run = (companyId: number, steps: number) =>
      turns.run(user(companyId), telling(companyId, steps, taken));
    const many = Array.from({ length: 100 }, () => run(1, 9));
    await run(1, 1);
    const before = taken.length;
    many.push(...Array.from({ length: 100 }, () => run(1, 9)));
    await run(2, 20);
    const seen = taken.slice(before);
    expect(seen.filter((owner) => owner === 2)).toHaveLength(20);
    expect(seen.length).toBeLessThanOrEqual(40);
    await Promise.all(many);
  });

  test('[BATCH-6] A short task waits for only one turn of the same user’s begun tasks, and these alternate with fresh tasks', async () => {
    const turns = turnsOfAStep();
    const taken: string[] = [];
    const run = (what: string, steps: number) => turns.run(user(1), telling(what, steps, taken));
    const long = Array.from({ length: 20 }, () => run('long', 9));
    // This task is fresh like the long tasks, and comes after the first turns of all of them.
    await run('short', 1);
    const before = taken.length;
    await run('short', 1);
    expect(taken.length - before).toBeLessThanOrEqual(2);
    const short = Array.from({ length: 200 }, () => run('short', 1));
    const begun = taken.length;
    await Promise.all([...long, ...short]);
    const seen = taken.slice(begun);
    for (let index = 0; index < 100; index += 2)
      expect(seen.slice(index, index + 2).sort()).toEqual(['long', 'short']);
  });

  test('[BATCH-6] A short task does not wait for a long one that came before', async () => {
    const turns = new Turns();
    const ended: number[] = [];
    const long = turns.run(user(1), working(150)).then((ms) => ended.push(ms));
    const short = [8, 1].map((ms) => turns.run(user(1), working(ms)).then(() => ended.push(ms)));
    await Promise.all([long, ...short]);
    expect(ended).toEqual([1, 8, 150]);
  });

  test('[BATCH-6] While a task runs, events from outside get their turns too', async () => {
    const turns = new Turns();
    let isDone = false;
    const work = turns.run(user(1), working(60)).then(() => {
      isDone = true;
    });
    let times = 0;
    while (!isDone) {
      times += 1;
      await new Promise(setImmediate);
    }
    await work;
    // A turn lasts four milliseconds.
    expect(times).toBeGreaterThanOrEqual(15);
  });

  test('[BATCH-6] A task that fails, or that nobody wants any more, does not hold up the others', async () => {
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
    const given = turns.run(user(1), endless(), () => isWanted);
    const failed = turns.run(user(1), failing());
    await expect(failed).rejects.toThrow('broken');
    expect(await turns.run(user(1), working(5))).toBe(5);
    isWanted = false;
    await expect(given).rejects.toThrow('no longer needed');
    const last = steps;
    expect(await turns.run(user(1), working(5))).toBe(5);
    expect(steps).toBe(last);
  });
});
