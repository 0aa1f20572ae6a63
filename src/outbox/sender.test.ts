import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass } from '../../test/harness/held-time.ts';
import { systemClock } from '../foundation/clock.ts';
import { Sender } from './sender.ts';

const never = new Promise<void>(() => undefined);

describe('a sender', () => {
  const opened: Sender[] = [];
  afterEach(() => {
    for (const sender of opened.splice(0)) sender.end();
    letTimeGo();
  });

  /** Begins what is in the list, one after the other; `faults` has what was thrown. */
  function sender(
    work: (() => Promise<void>)[],
    { stopMs = 60_000, mayDeliver = (): boolean => true, dueAt = () => Infinity } = {},
  ) {
    const faults: unknown[] = [];
    const made = new Sender({
      clock: systemClock,
      stopMs,
      mayDeliver,
      next: () => work.shift()?.(),
      dueAt,
      failed: (error) => faults.push(error),
    });
    opened.push(made);
    return { made, faults };
  }

  test('[HOOK-4] [MAIL-5] begins all that may be, though one hangs, and goes on when one has ended', async () => {
    const begun: string[] = [];
    let end = () => {};
    const work = [
      () => never,
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    ];
    const { made } = sender(work);
    made.wake();
    expect(work).toEqual([]);
    work.push(async () => void begun.push('next'));
    end();
    await until(() => begun.length === 1);
  });

  test('[HOOK-4] [MAIL-5] rests after a failure: a store that is away is not asked in a loop', async () => {
    holdTime();
    const work: (() => Promise<void>)[] = [() => Promise.reject(new Error('away'))];
    const { made, faults } = sender(work, { dueAt: () => 0 });
    made.wake();
    work.push(() => Promise.reject(new Error('still away')));
    await until(() => faults.length === 1);
    pass(999);
    expect(work).toHaveLength(1);
    pass(1);
    expect(work).toEqual([]);
    await until(() => faults.length === 2);
    work.push(() => never);
    made.wake();
    expect(work).toEqual([]);
  });

  test('[EVT-2] [MAIL-5] keeps asking a store that is away, and a node that may not deliver begins nothing', async () => {
    let asked = 0;
    const { made, faults } = sender([]);
    const answer = made.persistently(async () => {
      asked += 1;
      if (asked < 3) throw new Error('away');
      return 'stored';
    });
    expect(await answer).toBe('stored');
    // Not once a second.
    expect(faults).toEqual([new Error('away')]);
    const work = [() => never];
    sender(work, { mayDeliver: () => false }).made.wake();
    expect(work).toHaveLength(1);
  });

  test('[RUN-4] a stop waits for what is under way, and begins nothing more', async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const work = [() => ended];
    const { made, faults } = sender(work);
    made.wake();
    work.push(() => never);
    const stopped = made.stop();
    made.wake();
    expect(made.isOver).toBe(false);
    end();
    await stopped;
    expect([made.isOver, work.length, faults]).toEqual([true, 1, []]);
  });

  test('[RUN-4] a stop leaves what takes too long, of which nothing is stored any more', async () => {
    let asked = 0;
    const { made, faults } = sender([() => never], { stopMs: 10 });
    made.wake();
    const storing = made.persistently(async () => {
      asked += 1;
      throw new Error('away');
    });
    await until(() => faults.length === 1);
    await made.stop();
    expect(made.isOver).toBe(true);
    await expect(storing).rejects.toThrow('away');
    expect(asked).toBe(1);
  });
});
