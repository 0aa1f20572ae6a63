import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Backoff, ThrottleBackoff } from './backoff.ts';

describe('pauses between tries', () => {
  test('[DLV-3] Pauses between bind attempts double from the shortest to the longest, and start over after a success', () => {
    const backoff = new Backoff(1_000, 60_000, () => 0.5);
    const pauses = Array.from({ length: 8 }, () => backoff.next());
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    backoff.reset();
    expect(backoff.next()).toBe(1_000);
  });

  test('[DLV-3] Pauses between bind attempts differ from link to link, and never leave their bounds', () => {
    fc.assert(
      fc.property(fc.nat(60_000), fc.nat(60_000), fc.integer({ min: 1, max: 20 }), (least, most, tries) => {
        const backoff = new Backoff(least, most);
        for (let tried = 0; tried < tries; tried++) {
          const pauseMs = backoff.next();
          expect(pauseMs).toBeGreaterThanOrEqual(least);
          expect(pauseMs).toBeLessThanOrEqual(Math.max(least, most));
        }
      }),
    );
    const pauses = Array.from({ length: 20 }, () => {
      const backoff = new Backoff(1_000, 60_000);
      backoff.next();
      return backoff.next();
    });
    expect(new Set(pauses).size).toBeGreaterThan(10);
  });
});

describe('the throttle pause of a bind', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Measures the length of a pause in steps of a millisecond. */
  function lengthOf(rest: ThrottleBackoff): number {
    let ms = 0;
    while (rest.isOn && ms < 60_000) {
      vi.advanceTimersByTime(1);
      ms += 1;
    }
    return ms;
  }

  test('[DLV-3] The throttle pause of a bind grows with each refusal in a row, up to a bound, and resets after a success', () => {
    let over = 0;
    const rest = new ThrottleBackoff(1_000, () => {
      over += 1;
    });
    const lengths: number[] = [];
    for (let refusal = 0; refusal < 8; refusal++) {
      vi.advanceTimersByTime(1);
      rest.begin(performance.now());
      lengths.push(lengthOf(rest));
    }
    expect(lengths).toEqual([1_000, 1_500, 2_250, 3_375, 5_062, 7_593, 7_593, 7_593]);
    expect(over).toBe(8);
    vi.advanceTimersByTime(1);
    rest.accepted(performance.now());
    rest.begin(performance.now());
    expect(lengthOf(rest)).toBe(1_000);
  });

  test('[DLV-3] Responses to what was under way when a throttle pause began neither lengthen nor shorten it', () => {
    vi.advanceTimersByTime(10);
    const rest = new ThrottleBackoff(1_000, () => undefined);
    const writtenAt = performance.now();
    vi.advanceTimersByTime(10);
    for (let refusal = 0; refusal < 5; refusal++) rest.begin(writtenAt);
    expect(lengthOf(rest)).toBe(1_000);
    rest.accepted(writtenAt);
    vi.advanceTimersByTime(1);
    rest.begin(performance.now());
    expect(lengthOf(rest)).toBe(1_500);
  });

  test('[RUN-4] A stopped throttle pause does not call back', () => {
    const rest = new ThrottleBackoff(1_000, () => {
      throw new Error('it was stopped');
    });
    rest.begin(performance.now());
    rest.stop();
    vi.advanceTimersByTime(5_000);
    expect(rest.isOn).toBe(false);
  });
});
