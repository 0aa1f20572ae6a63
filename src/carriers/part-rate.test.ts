import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { awakeMs, pause } from '../../test/harness/awake.ts';
import { PartRate } from './part-rate.ts';

/** Takes as much as the rate gives for so long; answers with how many parts went, and how long it took. */
async function drain(perSecond: number, wanted: number, forMs: number) {
  let went = 0;
  const [startedAt, awakeAt] = [performance.now(), awakeMs()];
  const take = () => {
    const given = rate.take(wanted);
    expect(given).toBeLessThanOrEqual(wanted);
    went += given;
  };
  const rate = new PartRate(perSecond, take);
  take();
  await pause(forMs);
  rate.stop();
  return { went, awakeMs: awakeMs() - awakeAt, lastedMs: performance.now() - startedAt };
}

describe('a part rate', () => {
  test('[DLV-2] of 0 holds nothing back', () => {
    const rate = new PartRate(0, () => {
      throw new Error('nothing was held back');
    });
    expect(rate.take(1_000_000)).toBe(1_000_000);
    expect(rate.take(0)).toBe(0);
  });

  test.each([7, 50, 1_000])(
    '[DLV-2] of %i a second is kept within a few percent',
    { retry: 2 },
    async (perSecond) => {
      const { went, ...times } = await drain(perSecond, 10_000, 2_000);
      // What could have gone while the process was held up is not made up for.
      expect(went).toBeGreaterThanOrEqual(Math.floor(perSecond * (times.awakeMs / 1_000) * 0.95));
      // A tenth of a second's worth, but one at least, may go at once in the beginning.
      const most = perSecond * (times.lastedMs / 1_000) * 1.02 + Math.max(1, perSecond / 10);
      expect(went).toBeLessThanOrEqual(Math.ceil(most));
    },
  );

  test.each([1, 9, 33, 250, 3_000, 10_000])(
    '[DLV-2] of %i a second is exact to one percent over a minute',
    (perSecond) => {
      vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
      try {
        let went = 0;
        let most = 0;
        const take = () => {
          const given = rate.take(1_000_000);
          went += given;
          most = Math.max(most, given);
        };
        const rate = new PartRate(perSecond, take);
        take();
        vi.advanceTimersByTime(60_000);
        expect(Math.abs(went - perSecond * 60)).toBeLessThanOrEqual(Math.max(1, perSecond * 60 * 0.01));
        expect(most).toBeLessThanOrEqual(Math.max(1, perSecond / 10));
        rate.stop();
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test('[DLV-2] what was taken and did not go may go later', () => {
    const rate = new PartRate(100, () => undefined);
    expect(rate.take(10)).toBe(10);
    rate.giveBack(4);
    expect(rate.take(10)).toBe(4);
    rate.stop();
  });

  describe('by a clock that is set', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    test('[DLV-2] after a rest makes no burst above a tenth of a second', () => {
      const rate = new PartRate(200, () => undefined);
      expect(rate.take(1_000)).toBe(20);
      vi.advanceTimersByTime(500);
      expect(rate.take(1_000)).toBe(20);
      rate.stop();
    });

    test('[DLV-2] calls back once for what was held back, and not after it was stopped', () => {
      let calls = 0;
      const rate = new PartRate(20, () => {
        calls += 1;
      });
      expect(rate.take(5)).toBe(2);
      expect(rate.take(5)).toBe(0);
      vi.advanceTimersByTime(120);
      expect(calls).toBe(1);
      expect(rate.take(5)).toBe(2);
      rate.stop();
      vi.advanceTimersByTime(120);
      expect(calls).toBe(1);
    });
  });
});
