import { afterEach, expect, test, vi } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { systemClock } from '../../foundation/clock.ts';
import { NodeLease } from './lease.ts';
import { listOtherNodes } from './store.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

eachStore('the lease of a node whose clock is set', (engine) => {
  const given = deliveryStore(engine);

  /** A lease that has begun, and the clock by which it was granted. */
  async function begun() {
    const { store } = given;
    const now = Date.now.bind(Date);
    let setByMs = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + setByMs);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    const held: boolean[] = [];
    const lease = new NodeLease({
      store,
      nodeId: 70,
      clock: systemClock,
      changed: (isHeld) => held.push(isHeld),
      lost: () => expect.fail('nobody has declared it dead'),
      outdated: () => expect.fail('nobody has migrated the store'),
    });
    await lease.start();
    const beat = async () =>
      (await store.read(listOtherNodes, 0)).find(({ id }) => id === 70)?.beat as number;
    return { lease, held, beat, setBy: (hours: number) => (setByMs = hours * 3_600_000) };
  }

  test.each([2, 72])(
    '[RUN-2] [SEND-12] With its clock set %i hours ahead, a node renews its lease at the next check, not at the next heartbeat',
    async (hours) => {
      const { lease, held, beat, setBy } = await begun();
      const before = await beat();
      setBy(hours);
      expect(lease.held).toBe(false);
      await vi.advanceTimersByTimeAsync(100);
      await until(() => lease.held);
      expect(held).toEqual([true]);
      expect(await beat()).toBe(before + 1);
      await lease.stop();
    },
  );

  test.each([2, 72])(
    '[RUN-2] [SEND-12] With its clock set %i hours back, a node’s lease has no gap, and is renewed at the next heartbeat',
    async (hours) => {
      const { lease, held, beat, setBy } = await begun();
      const before = await beat();
      setBy(-hours);
      expect(lease.held).toBe(true);
      await vi.advanceTimersByTimeAsync(3_900);
      expect(lease.held).toBe(true);
      expect(await beat()).toBe(before);
      await vi.advanceTimersByTimeAsync(200);
      await until(async () => (await beat()) === before + 1);
      expect(lease.held).toBe(true);
      expect(held).toEqual([]);
      await lease.stop();
    },
  );
});
