import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pause, until } from '../../test/harness/awake.ts';
import { holdTime, letTimeGo, pass } from '../../test/harness/held-time.ts';
import { type Pass, WokenLoop, type WokenLoopOptions } from './woken-loop.ts';

describe('a loop', () => {
  test('[DLV-7] A background loop runs again after a failure, and never twice at once', async () => {
    const faults: unknown[] = [];
    let running = 0;
    let most = 0;
    let times = 0;
    const work = new WokenLoop({ pauseMs: 1, failed: (error) => faults.push(error) }, async () => {
      running += 1;
      most = Math.max(most, running);
      times += 1;
      await pause(5);
      running -= 1;
      if (times === 2) throw new Error('the second time');
    }).start();
    await until(() => times >= 5);
    await work.stop();
    expect(most).toBe(1);
    expect(faults).toEqual([new Error('the second time')]);
  });

  test('[DLV-7] An error that a loop’s pass throws synchronously counts as a failure like any other', async () => {
    const faults: unknown[] = [];
    const work = new WokenLoop({ pauseMs: 1, failed: (error) => faults.push(error) }, () => {
      throw new Error('no file');
    }).start();
    await until(() => faults.length >= 2);
    await work.stop();
    expect(faults[0]).toEqual(new Error('no file'));
  });

  test('[RUN-4] Stopping a loop waits for the pass under way, ignores its failure, and starts no other', async () => {
    let isUnderWay = false;
    let times = 0;
    const faults: unknown[] = [];
    const work = new WokenLoop({ pauseMs: 1, failed: (error) => faults.push(error) }, async () => {
      times += 1;
      isUnderWay = true;
      await pause(20);
      isUnderWay = false;
      throw new Error('the store is closed');
    }).start();
    await until(() => isUnderWay);
    await work.stop();
    expect(isUnderWay).toBe(false);
    await pause(20);
    expect({ times, faults }).toEqual({ times: 1, faults: [] });
  });

  test('[DLV-7] A loop rests for a multiple of the time that its pass took', async () => {
    const began: number[] = [];
    const work = new WokenLoop({ pauseMs: 1, firstMs: 0, rest: 4, failed: () => undefined }, async () => {
      began.push(performance.now());
      await pause(20);
    }).start();
    await until(() => began.length >= 2);
    await work.stop();
    const [first = 0, second = 0] = began;
    // A timer may fire one millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(5 * 19);
  });
});

describe('a loop that is woken', () => {
  beforeEach(holdTime);
  afterEach(letTimeGo);

  const failed = () => undefined;

  /** Advances the clock and lets everything that is due run as far as it can without more time. */
  async function elapse(ms: number): Promise<void> {
    pass(ms);
    await new Promise(setImmediate);
  }

  function counting(options: Partial<WokenLoopOptions>, more: Pass = () => undefined) {
    const counted = { times: 0 };
    const loop = new WokenLoop({ pauseMs: 1_000, failed, ...options }, (signal) => {
      counted.times += 1;
      return more(signal);
    }).start();
    return { loop, counted };
  }

  test('[DLV-7] An idle loop begins a pass at once when woken, and otherwise when its pause is over', async () => {
    const { loop, counted } = counting({});
    await elapse(999);
    expect(counted.times).toBe(0);
    await elapse(1);
    expect(counted.times).toBe(1);
    loop.wake();
    loop.wake();
    await elapse(0);
    expect(counted.times).toBe(2);
    await elapse(999);
    expect(counted.times).toBe(2);
    await elapse(1);
    expect(counted.times).toBe(3);
    await loop.stop();
  });

  test('[DLV-7] A wake during a pass causes another pass, which begins when the minimum pause is over', async () => {
    let end: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { loop, counted } = counting({ firstMs: 0, leastPauseMs: 50 }, () => first);
    await elapse(0);
    loop.wake();
    await elapse(10_000);
    expect(counted.times).toBe(1);
    end();
    await elapse(0);
    await elapse(49);
    expect(counted.times).toBe(1);
    await elapse(1);
    expect(counted.times).toBe(2);
    await loop.stop();
  });

  test('[DLV-7] After a wake a loop waits a moment to gather more work, even between two passes', async () => {
    const { loop, counted } = counting({ pauseMs: Infinity, gatherMs: 20 });
    await elapse(100_000);
    loop.wake();
    await elapse(0);
    await elapse(19);
    expect(counted.times).toBe(0);
    await elapse(1);
    expect(counted.times).toBe(1);
    loop.wake();
    await elapse(19);
    expect(counted.times).toBe(1);
    await elapse(1);
    expect(counted.times).toBe(2);
    await loop.stop();
  });

  test('[DLV-7] A pass of a loop sets when the next one is due', async () => {
    const pauses = [0, 5, Infinity];
    const { loop, counted } = counting({ firstMs: 0 }, async () => ({ pauseMs: pauses.shift() ?? 0 }));
    await elapse(0);
    expect(counted.times).toBe(2);
    await elapse(5);
    expect(counted.times).toBe(3);
    await elapse(100_000_000);
    expect(counted.times).toBe(3);
    await loop.stop();
  });

  test('[DLV-7] A failed pass is tried again after a retry pause, however often the loop is woken', async () => {
    let isBroken = true;
    const { loop, counted } = counting({ pauseMs: Infinity, firstMs: 0, retryMs: 200 }, () => {
      if (isBroken) throw new Error('no store');
    });
    await elapse(0);
    loop.wake();
    await elapse(199);
    expect(counted.times).toBe(1);
    isBroken = false;
    await elapse(1);
    expect(counted.times).toBe(2);
    await elapse(100_000);
    expect(counted.times).toBe(2);
    await loop.stop();
  });

  test('[RUN-4] Stopping a loop signals the pass under way and ends every pause at once', async () => {
    let isAborted = false;
    const { loop, counted } = counting({ firstMs: 0 }, (signal) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
    });
    await elapse(0);
    await loop.stop();
    loop.wake();
    await elapse(10_000);
    expect({ isAborted, times: counted.times }).toEqual({ isAborted: true, times: 1 });
    for (const options of [{ leastPauseMs: 50 }, { gatherMs: 50 }, { pauseMs: Infinity }]) {
      const { loop: other } = counting(options);
      other.wake();
      await elapse(0);
      await other.stop();
    }
  });
});
