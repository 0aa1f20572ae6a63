import { describe, expect, test } from 'vitest';
import { pause, until } from '../../test/harness/awake.ts';
import { WokenLoop } from './woken-loop.ts';

describe('periodic work', () => {
  test('[DLV-7] is done again after it has failed, and never twice at once', async () => {
    const faults: unknown[] = [];
    let atOnce = 0;
    let most = 0;
    let times = 0;
    const work = new WokenLoop({ pauseMs: 1, failed: (error) => faults.push(error) }, async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      times += 1;
      await pause(5);
      atOnce -= 1;
      if (times === 2) throw new Error('the second time');
    }).start();
    await until(() => times >= 5);
    await work.stop();
    expect(most).toBe(1);
    expect(faults).toEqual([new Error('the second time')]);
  });

  test('[DLV-7] what is thrown at once is a failure like any other', async () => {
    const faults: unknown[] = [];
    const work = new WokenLoop({ pauseMs: 1, failed: (error) => faults.push(error) }, () => {
      throw new Error('no file');
    }).start();
    await until(() => faults.length >= 2);
    await work.stop();
    expect(faults[0]).toEqual(new Error('no file'));
  });

  test('[RUN-4] a stop waits for what is under way, whose failure is no news then, and nothing begins after it', async () => {
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

  test('[DLV-7] rests so many times as long as it took', async () => {
    const began: number[] = [];
    const work = new WokenLoop({ pauseMs: 1, firstMs: 0, rest: 4, failed: () => undefined }, async () => {
      began.push(performance.now());
      await pause(20);
    }).start();
    await until(() => began.length >= 2);
    await work.stop();
    const [first = 0, second = 0] = began;
    // A timer may be early by one.
    expect(second - first).toBeGreaterThanOrEqual(5 * 19);
  });
});
