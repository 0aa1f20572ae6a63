import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import type { OutgoingPart } from '../../carrier.ts';
import { RepeatedRefusals } from '../carrier/repeated-refusals.ts';
import { ThrottleBackoff } from './throttle-backoff.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the rest of a bind', () => {
  /** For how long it rests, by steps of a millisecond. */
  function lengthOf(rest: ThrottleBackoff): number {
    let ms = 0;
    while (rest.isOn && ms < 60_000) {
      vi.advanceTimersByTime(1);
      ms += 1;
    }
    return ms;
  }

  test('[DLV-3] is longer each time in a row, up to a bound, and short again after a success', () => {
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

  test('[DLV-3] is no longer for what was under way when it began, and no shorter either', () => {
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

  test('[RUN-4] stopped, it is never over', () => {
    const rest = new ThrottleBackoff(1_000, () => {
      throw new Error('it was stopped');
    });
    rest.begin(performance.now());
    rest.stop();
    vi.advanceTimersByTime(5_000);
    expect(rest.isOn).toBe(false);
  });
});

describe('a part in trouble', () => {
  const [one, other] = messages(2) as [OutgoingPart, OutgoingPart];

  test('[DLV-3] waits twice as long each time, at most five minutes, until it has ended', () => {
    const troubles = new RepeatedRefusals();
    const pauses = Array.from({ length: 12 }, () => troubles.refused(one, 0, 1_000).pauseMs);
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(pauses.at(-1)).toBe(300_000);
    troubles.ended(one);
    expect(troubles.size).toBe(0);
    expect(troubles.refused(one, 0, 1_000).pauseMs).toBe(1_000);
  });

  test('[DLV-3] is alone with it when others got through since', () => {
    const troubles = new RepeatedRefusals();
    expect(troubles.refused(one, 5, 1_000).isOnlyThisMessage).toBe(false);
    expect(troubles.refused(one, 5, 1_000).isOnlyThisMessage).toBe(false);
    expect(troubles.refused(other, 6, 1_000).isOnlyThisMessage).toBe(false);
    expect(troubles.refused(one, 6, 1_000).isOnlyThisMessage).toBe(true);
    expect(troubles.refused(one, 6, 1_000).isOnlyThisMessage).toBe(false);
  });

  test('[DLV-8] is one of a bounded number that are known', () => {
    const troubles = new RepeatedRefusals();
    for (const part of messages(10_050)) troubles.refused(part, 0, 1_000);
    expect(troubles.size).toBe(10_000);
  });
});
