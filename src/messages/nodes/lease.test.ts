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

  test('[RUN-2] [SEND-12] is renewed at the next look, not at the next beat', async () => {
    const { store } = given;
    const now = Date.now.bind(Date);
    let setByMs = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + setByMs);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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
    const beats = async () =>
      (await store.read(listOtherNodes, 0)).filter(({ id }) => id === 70).map(({ beat }) => beat);
    const [before] = await beats();
    setByMs = 3 * 24 * 3_600_000;
    expect(lease.held).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    await until(() => lease.held);
    expect(held).toEqual([true]);
    expect(await beats()).toEqual([(before as number) + 1]);
    await lease.stop();
  });
});
