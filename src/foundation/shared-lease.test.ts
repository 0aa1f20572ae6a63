import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { endlessLease } from '../../test/harness/endless-lease.ts';
import { SharedLease } from './shared-lease.ts';

function leaseByHand() {
  const times = { elapsed: 1_000, time: 500_000 };
  const clocks = { stopwatch: { elapsed: () => times.elapsed }, clock: { now: () => times.time } };
  const lease = new SharedLease(undefined, clocks);
  const pass = (steadyMs: number, ofDayMs: number) => {
    times.elapsed += steadyMs;
    times.time += ofDayMs;
  };
  return { lease, clocks, pass };
}

describe('the lease of a node', () => {
  test('[RUN-2] A node holds no lease until one is granted, and the lease ends when its time is over', () => {
    const { lease, pass } = leaseByHand();
    expect(lease.isHeld).toBe(false);
    lease.hold(lease.now(), 100);
    expect(lease.isHeld).toBe(true);
    pass(99, 99);
    expect(lease.isHeld).toBe(true);
    pass(1, 1);
    expect(lease.isHeld).toBe(false);
  });

  test.each([
    ['a machine that slept, whose steady clock stood still', 0, 3_600_000],
    ['a time of day that was set back', 200, -3_600_000],
  ])('[RUN-2] A node’s lease ends by whichever of its clocks ran further: %s', (_, steadyMs, ofDayMs) => {
    const { lease, pass } = leaseByHand();
    lease.hold(lease.now(), 100);
    pass(steadyMs, ofDayMs);
    expect(lease.isHeld).toBe(false);
    lease.hold(lease.now(), 100);
    expect(lease.isHeld).toBe(true);
  });

  test('[RUN-2] A node’s lease counts from when it was requested, not from when the answer came', () => {
    const { lease, pass } = leaseByHand();
    const asked = lease.now();
    pass(101, 101);
    lease.hold(asked, 100);
    expect(lease.isHeld).toBe(false);
  });

  test('[RUN-2] Another thread, whose own clocks began later, sees the same node lease, and its end at once', async () => {
    const lease = new SharedLease();
    lease.hold(lease.now(), 3_600_000);
    const before = lease.now().elapsed;
    // The monotonic time in a freshly started thread.
    const [seconds] = await new Promise<[number, number]>((resolve) => {
      const worker = new Worker("require('node:worker_threads').parentPort.postMessage(process.hrtime())", {
        eval: true,
      });
      worker.once('message', resolve);
    });
    // The fraction of a second is cut off, so one second is added.
    expect((seconds + 1) * 1_000).toBeGreaterThan(before);
    expect(seconds * 1_000).toBeLessThanOrEqual(lease.now().elapsed);
    const elsewhere = new SharedLease(lease.memory);
    expect(elsewhere.isHeld).toBe(true);
    lease.end();
    expect(elsewhere.isHeld).toBe(false);
  });

  test('[RUN-2] A node lease without an end is always held', () => expect(endlessLease().isHeld).toBe(true));
});
