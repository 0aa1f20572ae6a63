import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdTime, letTimeGo, pass } from '../../test/harness/held-time.ts';
import { PartRate } from './part-rate.ts';

beforeEach(holdTime);
afterEach(letTimeGo);

describe('a part rate', () => {
  test('[DLV-2] A part rate of 0 holds nothing back', () => {
    const rate = new PartRate(0, () => {
      throw new Error('nothing was held back');
    });
    expect(rate.take(1_000_000)).toBe(1_000_000);
    expect(rate.take(0)).toBe(0);
  });

  test.each([1, 7, 9, 33, 50, 250, 1_000, 3_000, 10_000])(
    '[DLV-2] A part rate of %i a second is exact to one percent over a minute',
    (perSecond) => {
      let went = 0;
      let most = 0;
      const take = () => {
        const given = rate.take(1_000_000);
        went += given;
        most = Math.max(most, given);
      };
      const rate = new PartRate(perSecond, take);
      take();
      pass(60_000);
      expect(Math.abs(went - perSecond * 60)).toBeLessThanOrEqual(Math.max(1, perSecond * 60 * 0.01));
      expect(most).toBeLessThanOrEqual(Math.max(1, perSecond / 10));
      rate.stop();
    },
  );

  test('[DLV-2] Parts that the rate has granted but that were not sent may be sent later', () => {
    const rate = new PartRate(100, () => undefined);
    expect(rate.take(10)).toBe(10);
    rate.giveBack(4);
    expect(rate.take(10)).toBe(4);
    rate.stop();
  });

  test('[DLV-2] After a rest a part rate allows no burst above a tenth of a second', () => {
    const rate = new PartRate(200, () => undefined);
    expect(rate.take(1_000)).toBe(20);
    pass(500);
    expect(rate.take(1_000)).toBe(20);
    rate.stop();
  });

  test('[DLV-2] A part rate calls back once for what it held back, and not after it is stopped', () => {
    let calls = 0;
    const rate = new PartRate(20, () => {
      calls += 1;
    });
    expect(rate.take(5)).toBe(2);
    expect(rate.take(5)).toBe(0);
    pass(120);
    expect(calls).toBe(1);
    expect(rate.take(5)).toBe(2);
    rate.stop();
    pass(120);
    expect(calls).toBe(1);
  });
});
