import { expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { requireNoLivingNode } from './living-nodes.ts';
import { beatNode, enterNode, leaveNode } from './store.ts';

const leaseMs = 15_000;

eachStore('nodes in a store that is to be migrated', (engine) => {
  const given = deliveryStore(engine);

  /** Watches by a clock of its own; what nodes do, they do after so long. Answers how long it took. */
  async function watch(afterMs = leaseMs, act: () => Promise<unknown> = async () => undefined) {
    let now = 0;
    const told: object[] = [];
    const watching = requireNoLivingNode(given.store, {
      leaseMs,
      stopwatch: { elapsed: () => now },
      tell: (details) => told.push(details),
      async pause(ms) {
        if (now < afterMs && now + ms >= afterMs) await act();
        now += ms;
      },
    });
    return { outcome: await watching.then(() => 'may begin', String), now: () => now, told };
  }

  test('[RUN-5] that have ended need no time', async () => {
    for (const nodeId of [7, 8]) await given.store.write(leaveNode, nodeId);
    const { outcome, now, told } = await watch();
    expect([outcome, now(), told]).toEqual(['may begin', 0, []]);
  });

  test('[RUN-5] that have said nothing are watched for a lease, which is told', async () => {
    await given.store.write(leaveNode, 7);
    const { outcome, now, told } = await watch();
    expect([outcome, now()]).toEqual(['may begin', leaseMs]);
    expect(told).toEqual([{ nodeIds: [8], waitSeconds: 15 }]);
  });

  test('[RUN-5] that say meanwhile that they ended are watched no longer', async () => {
    await given.store.write(leaveNode, 7);
    const { outcome, now } = await watch(4_000, () => given.store.write(leaveNode, 8));
    expect([outcome, now()]).toEqual(['may begin', 4_000]);
  });

  test('[RUN-5] that beat, be it at the very end, or enter, stop it and are named', async () => {
    const beats = await watch(leaseMs, () => given.store.write(beatNode, 8));
    expect(beats.outcome).toMatch(/: node 8, which has beaten since 1970-01-01T00:00:01Z\. Stop all servers/);
    const enters = await watch(500, () => given.store.write(enterNode, { nodeId: 9, now: 2_000 }));
    expect(enters.outcome).toMatch(
      /: node 9, which has beaten since 1970-01-01T00:00:02Z\. Stop all servers/,
    );
  });
});
