import { describe, expect, test, vi } from 'vitest';
import { pause } from '../../test/carriers/carrier-recorder.ts';
import { PartRate } from './part-rate.ts';

/** Takes as much as the rate gives for so long; answers with the times at which parts went. */
async function drain(perSecond: number, wanted: number, forMs: number): Promise<number[]> {
  const went: number[] = [];
  const startedAt = performance.now();
  const take = () => {
    const given = rate.take(wanted);
    expect(given).toBeLessThanOrEqual(wanted);
    for (let index = 0; index < given; index++) went.push(performance.now() - startedAt);
  };
  const rate = new PartRate(perSecond, take);
  take();
  await pause(forMs);
  rate.stop();
  return went;
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
      const forMs = 2_000;
      const went = await drain(perSecond, 10_000, forMs);
      const expected = (perSecond * forMs) / 1_000;
      expect(went.length).toBeGreaterThanOrEqual(Math.floor(expected * 0.95));
      // A tenth of a second's worth, but one at the least, may go at once in the beginning.
      expect(went.length).toBeLessThanOrEqual(Math.ceil(expected * 1.02 + Math.max(1, perSecond / 10)));
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

  test('[DLV-2] after a rest makes no burst above a tenth of a second', async () => {
    const rate = new PartRate(200, () => undefined);
    expect(rate.take(1_000)).toBe(20);
    await pause(500);
    expect(rate.take(1_000)).toBe(20);
    rate.stop();
  });

  test('[DLV-2] calls back once for what was held back, and not after it was stopped', async () => {
    let calls = 0;
    const rate = new PartRate(20, () => {
      calls += 1;
    });
    expect(rate.take(5)).toBe(2);
    expect(rate.take(5)).toBe(0);
    await pause(120);
    expect(calls).toBe(1);
    expect(rate.take(5)).toBe(2);
    rate.stop();
    await pause(120);
    expect(calls).toBe(1);
  });
});
