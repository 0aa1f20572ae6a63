import { describe, expect, test } from 'vitest';
import { messages } from '../../test/carriers/carrier-recorder.ts';
import type { OutgoingPart } from './carrier.ts';
import { RepeatedRefusals } from './repeated-refusals.ts';

describe('a part in trouble', () => {
  const [one, other] = messages(2) as [OutgoingPart, OutgoingPart];

  test('[DLV-3] A refused part waits twice as long each time, at most five minutes, until it has its outcome', () => {
    const troubles = new RepeatedRefusals();
    const pauses = Array.from({ length: 12 }, () => troubles.refused(one, 0, 1_000).pauseMs);
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(pauses.at(-1)).toBe(300_000);
    troubles.ended(one);
    expect(troubles.size).toBe(0);
    expect(troubles.refused(one, 0, 1_000).pauseMs).toBe(1_000);
  });

  test('[DLV-3] A refused part counts as the only one in trouble when others have got through since', () => {
    const troubles = new RepeatedRefusals();
    expect(troubles.refused(one, 5, 1_000).isOnlyThisMessage).toBe(false);
    expect(troubles.refused(one, 5, 1_000).isOnlyThisMessage).toBe(false);
    expect(troubles.refused(other, 6, 1_000).isOnlyThisMessage).toBe(false);
    expect(troubles.refused(one, 6, 1_000).isOnlyThisMessage).toBe(true);
    expect(troubles.refused(one, 6, 1_000).isOnlyThisMessage).toBe(false);
  });

  test('[DLV-8] The number of refused parts remembered is bounded', () => {
    const troubles = new RepeatedRefusals();
    for (const part of messages(10_050)) troubles.refused(part, 0, 1_000);
    expect(troubles.size).toBe(10_000);
  });
});
