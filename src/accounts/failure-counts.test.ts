import { describe, expect, test } from 'vitest';
import { FailureCounts, slotMs } from './failure-counts.ts';

const minuteMs = 60_000;
const limits = [{ failures: 3, windowMs: 5 * minuteMs }];
const startedAt = 1_700_000_000_000;

function openNode(name: string) {
  const time = { clock: startedAt, watch: 50_000 };
  const counts = new FailureCounts(name, { now: () => time.clock }, { elapsed: () => time.watch });
  return {
    time,
    counts,
    add: () => counts.add('key', limits),
    take: () => counts.takeUnstored('key', 1),
    lockedMs: () => counts.lockedMs('key'),
    pass(ms: number) {
      time.clock += ms;
      time.watch += ms;
    },
  };
}

describe('counts of failures', () => {
  test('[AUTH-6] Failures counted by other nodes add up, and those that a node stored itself count once', () => {
    const [one, other] = [openNode('one'), openNode('other')];
    one.add();
    one.add();
    const rows = one.take();
    expect(rows.map(({ failures }) => failures)).toEqual([2]);
    one.counts.learn('key', limits, rows);
    expect(one.lockedMs()).toBe(0);
    other.counts.learn('key', limits, rows);
    expect(other.add()).toBe(true);
    expect(other.lockedMs()).toBeGreaterThan(4 * minuteMs);
    one.counts.learn('key', limits, [...rows, ...other.take()]);
    expect(one.lockedMs()).toBeGreaterThan(4 * minuteMs);
  });

  test('[AUTH-6] A stored count is not stored again until more failures fall into its time slot', () => {
    const { add, take } = openNode('one');
    add();
    expect(take()).toMatchObject([{ failures: 1 }]);
    expect(take()).toEqual([]);
    add();
    expect(take()).toMatchObject([{ failures: 2 }]);
  });

  test('[AUTH-6] A node reads forgotten counts back from the store and continues from them', () => {
    const first = openNode('one');
    first.add();
    first.add();
    const rows = first.take();
    const again = openNode('one');
    again.counts.learn('key', limits, rows);
    expect(again.add()).toBe(true);
    expect(again.take()).toMatchObject([{ failures: 3 }]);
  });

  test('[AUTH-6] Setting the system clock neither ends nor prolongs a lock-out on the same node', () => {
    const { time, add, lockedMs, pass } = openNode('one');
    for (let count = 1; count <= 3; count++) add();
    time.clock += 100 * minuteMs;
    expect(lockedMs()).toBeGreaterThan(0);
    time.clock -= 1_000 * minuteMs;
    expect(lockedMs()).toBeGreaterThan(0);
    pass(5 * minuteMs + slotMs);
    expect(lockedMs()).toBe(0);
  });

  test('[AUTH-6] Failures that a wrong clock dates days too early or too late lock nobody out', () => {
    const { counts, lockedMs } = openNode('one');
    const present = Math.floor(startedAt / slotMs);
    const days = (count: number) => (count * 24 * 60 * minuteMs) / slotMs;
    const row = (slot: number) => ({ node: 'other', slot, failures: 100 });
    counts.learn('key', limits, [row(present + days(2)), row(present - days(2))]);
    expect(lockedMs()).toBe(0);
    counts.learn('key', limits, [row(present + 4)]);
    expect(lockedMs()).toBeLessThanOrEqual(5 * minuteMs + slotMs);
    expect(lockedMs()).toBeGreaterThan(0);
  });

  test('[AUTH-6] After the clock is set back, a time slot that occurs twice is stored with all its failures', () => {
    const { time, add, take, pass } = openNode('one');
    add();
    take();
    pass(slotMs);
    time.clock -= slotMs;
    add();
    expect(take()).toMatchObject([{ failures: 2 }]);
  });

  test('[AUTH-6] Memory for failure counts is bounded, however many keys unauthenticated clients invent', () => {
    const { counts } = openNode('one');
    for (let index = 0; index < 60_000; index++) counts.add(`key ${index}`, limits);
    expect(counts.takeUnstored('key 0', 1)).toEqual([]);
    expect(counts.takeUnstored('key 59999', 1)).toHaveLength(1);
  });
});
