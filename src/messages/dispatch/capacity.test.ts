import { expect, test } from 'vitest';
import { Capacity } from './capacity.ts';

/** Takes this many parts per second for this long. */
function take(capacity: Capacity, perSecond: number, fromMs: number, forMs: number): void {
  for (let at = fromMs; at < fromMs + forMs; at += 1_000 / perSecond) capacity.took(at);
}

test('[DLV-3] A carrier has twice its window in hand, plus a tenth of a second’s worth if its responses are quick', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  expect(capacity.parts).toBe(20);
  take(capacity, 2_000, 0, 500);
  expect(capacity.parts).toBeGreaterThan(200);
  expect(capacity.parts).toBeLessThanOrEqual(212);
});

test('[DLV-3] A slow carrier never has more than twice its window in hand', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  take(capacity, 50, 0, 5_000);
  expect(capacity.parts).toBe(20);
});

test('[DLV-3] [BATCH-9] Claims grow with the carrier’s pace, so that a small window does not wait for the store', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  expect(capacity.room).toEqual({ room: 20 });
  take(capacity, 100, 0, 500);
  expect(capacity.room).toEqual({ room: 20 });
  take(capacity, 8_000, 500, 500);
  expect(capacity.room.room).toBeGreaterThanOrEqual(190);
  expect(capacity.room.room).toBeLessThanOrEqual(210);
  take(capacity, 100_000, 1_000, 500);
  expect(capacity.room).toEqual({ room: 500 });
});

test('[DLV-3] After a pause the carrier’s pace is measured again, and what is in hand stays within its bounds', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  take(capacity, 2_000, 0, 500);
  capacity.took(60_000);
  expect(capacity.parts).toBe(20);
  take(capacity, 100_000, 60_001, 500);
  expect(capacity.parts).toBe(1_010);
  expect(new Capacity({ window: 5_000 }, 0).parts).toBe(6_000);
});

test('[DLV-3] A carrier that gave something back gets no more than twice its window until it is quick again', () => {
  const capacity = new Capacity({ window: 10 }, 0);
  take(capacity, 2_000, 0, 500);
  capacity.slowed(500);
  expect(capacity.parts).toBe(20);
  take(capacity, 2_000, 500, 90);
  expect(capacity.parts).toBe(20);
  take(capacity, 2_000, 590, 20);
  expect(capacity.parts).toBeGreaterThan(200);
});

test('[DLV-3] [DLV-4] A text in one piece counts as its number of SMS, or as one message if the carrier takes it whole', () => {
  const inSms = new Capacity({ window: 10 }, 0);
  const inMessages = new Capacity({ window: 10, takesWhole: true }, 0);
  const long = { parts: 10 };
  for (const capacity of [inSms, inMessages]) capacity.take(long);
  expect([inSms.room, inMessages.room]).toEqual([{ room: 10 }, { room: 19 }]);
  expect([inSms, inMessages].map((one) => one.fits([long]))).toEqual([true, true]);
  for (const capacity of [inSms, inMessages]) capacity.take(long);
  expect([inSms, inMessages].map((one) => one.fits([long]))).toEqual([false, true]);
  for (const capacity of [inSms, inMessages]) for (let time = 0; time < 2; time++) capacity.leave(long);
  expect([inSms.room, inMessages.room]).toEqual([{ room: 20 }, { room: 20 }]);
});

test('[DLV-2] [DLV-4] For texts taken whole, no more SMS are in hand than two seconds of the throughput', () => {
  const capacity = new Capacity({ window: 10, takesWhole: true, smsWindow: 30 }, 0);
  const long = { parts: 10 };
  expect(capacity.room).toEqual({ room: 20, maxParts: 60 });
  expect(capacity.isFilledBy([long], capacity.room)).toBe(false);
  expect(capacity.isFilledBy(Array(6).fill(long), capacity.room)).toBe(true);
  expect(capacity.isFilledBy(Array(20).fill({ parts: 1 }), capacity.room)).toBe(true);
  for (let time = 0; time < 5; time++) capacity.take(long);
  expect(capacity.fits([long])).toBe(true);
  expect(capacity.fits([long, { parts: 1 }])).toBe(false);
  capacity.claiming({ room: 1, maxParts: 1 });
  expect(capacity.fits([long])).toBe(false);
  capacity.claiming();
  capacity.take(long);
  expect(capacity.room.room).toBe(0);
  capacity.leave(long);
  expect(capacity.room).toEqual({ room: 15, maxParts: 10 });
});
