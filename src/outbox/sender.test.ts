import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass } from '../../test/harness/held-time.ts';
import { type Clock, type Stopwatch, systemClock } from '../foundation/clock.ts';
import { Sender } from './sender.ts';

const never = new Promise<void>(() => undefined);

interface Options {
  stopMs?: number;
  mayDeliver?: () => boolean;
  dueAt?: () => number;
  times?: { readonly clock: Clock; readonly stopwatch: Stopwatch };
}

describe('a sender', () => {
  const opened: Sender[] = [];
  afterEach(() => {
    for (const sender of opened.splice(0)) sender.end();
    letTimeGo();
  });

  /** Starts the listed work, one item after the other; `faults` collects what was thrown. */
  function sender(
    work: (() => Promise<void>)[],
    { stopMs = 60_000, mayDeliver = (): boolean => true, dueAt = () => Infinity, times }: Options = {},
  ) {
    const faults: unknown[] = [];
    const setBack: number[] = [];
    const made = new Sender({
      ...(times ?? { clock: systemClock }),
      stopMs,
      mayDeliver,
      next: () => work.shift()?.(),
      dueAt,
      setBack: (ms) => setBack.push(ms),
      failed: (error) => faults.push(error),
    });
    opened.push(made);
    return { made, faults, setBack };
  }

  test('[HOOK-4] [MAIL-5] The outbox sender begins all the work that it may, even if one item hangs, and goes on when an item has ended', async () => {
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

  test('[HOOK-4] [MAIL-5] The outbox sender pauses after a failure, and does not ask an unavailable store in a loop', async () => {
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

  test('[HOOK-4] [MAIL-5] The outbox sender reports by how much the clock was set back, at once or little by little', () => {
    const times = { now: 8_000_000, elapsed: 0 };
    const clock = { now: () => times.now };
    const stopwatch = { elapsed: () => times.elapsed };
    const { made, setBack } = sender([], { times: { clock, stopwatch } });
    const wakeAfter = (ms: number, byClock: number) => {
      times.elapsed += ms;
      times.now += byClock;
      made.wake();
      return setBack.splice(0);
    };
    expect(wakeAfter(60_000, 60_000)).toEqual([]);
    expect(wakeAfter(1_000, 1_000 - 7_200_000)).toEqual([7_200_000]);
    expect(wakeAfter(1_000, 1_000)).toEqual([]);
    expect(wakeAfter(1_000, 7_200_000)).toEqual([]);
    // The difference builds up in small steps.
    expect(wakeAfter(1_000, 400)).toEqual([]);
    expect(wakeAfter(1_000, 400)).toEqual([1_200]);
  });

  test('[EVT-2] [MAIL-5] The outbox sender keeps asking an unavailable store, and begins nothing on a node that may not deliver', async () => {
    let asked = 0;
    const { made, faults } = sender([]);
    const answer = made.persistently(async () => {
      asked += 1;
      if (asked < 3) throw new Error('away');
      return 'stored';
    });
    expect(await answer).toBe('stored');
    // The fault is not reported once a second.
    expect(faults).toEqual([new Error('away')]);
    const work = [() => never];
    sender(work, { mayDeliver: () => false }).made.wake();
    expect(work).toHaveLength(1);
  });

  test('[RUN-4] A stop of the outbox sender waits for work under way and begins nothing more', async () => {
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

  test('[RUN-4] A stop of the outbox sender abandons work that takes too long, and stores no outcome of it', async () => {
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
