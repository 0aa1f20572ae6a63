import { expect, test } from 'vitest';
import { Capacity } from './capacity.ts';

/** So many parts a second for so long. */
function take(capacity: Capacity, perSecond: number, fromMs: number, forMs: number): void {
  for (let at = fromMs; at < fromMs + forMs; at += 1_000 / perSecond) capacity.took({ smsParts: 1 }, at);
}

test('[DLV-3] twice the window is in hand, and a tenth of a second’s worth ahead where answers are quick', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  expect(capacity.parts).toBe(20);
  take(capacity, 2_000, 0, 500);
  expect(capacity.parts).toBeGreaterThan(200);
  expect(capacity.parts).toBeLessThanOrEqual(212);
});

test('[DLV-3] a slow carrier never has more than twice its window: whoever comes next would wait for it', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  take(capacity, 50, 0, 5_000);
  expect(capacity.parts).toBe(20);
});

test('[DLV-3] after a pause the pace is found anew, and it has its bounds', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  take(capacity, 2_000, 0, 500);
  capacity.took({ smsParts: 1 }, 60_000);
  expect(capacity.parts).toBe(20);
  take(capacity, 100_000, 60_001, 500);
  expect(capacity.parts).toBe(1_010);
  expect(new Capacity({ window: 5_000 }).parts).toBe(6_000);
});

test('[DLV-3] of a carrier that gave something back nothing is known but its window, until it is quick again', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  take(capacity, 2_000, 0, 500);
  capacity.slowed(500);
  expect(capacity.parts).toBe(20);
  take(capacity, 2_000, 500, 90);
  expect(capacity.parts).toBe(20);
  take(capacity, 2_000, 590, 20);
  expect(capacity.parts).toBeGreaterThan(200);
});

test('[DLV-3] [DLV-4] a text in one piece counts as its SMS do, or as one where the window is of messages', () => {
  const inSms = new Capacity({ window: 10 }, 0);
  const inMessages = new Capacity({ window: 10, countsMessages: true }, 0);
  const long = { parts: 10, smsParts: 10 };
  expect([inSms.of([long, long]), inMessages.of([long, long])]).toEqual([20, 2]);
  for (let at = 0; at <= 500; at += 10) for (const capacity of [inSms, inMessages]) capacity.took(long, at);
  // Ten messages in a tenth of a second.
  expect(inSms.parts).toBe(110);
  expect(inMessages.parts).toBe(20);
});
