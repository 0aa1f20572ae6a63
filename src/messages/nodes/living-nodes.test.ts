import { expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { requireNoLivingNode } from './living-nodes.ts';
import { beatNode, enterNode, leaveNode } from './store.ts';

const leaseMs = 15_000;

eachStore('nodes in a store that is to be migrated', (engine) => {
  const given = deliveryStore(engine);

  /** Watches by its own clock; `act` runs after `afterMs`. Returns how long the watch took. */
  async function watch(afterMs = leaseMs, act: () => Promise<unknown> = async () => undefined) {
    let now = 0;
    const reported: object[] = [];
    const watching = requireNoLivingNode(given.store, {
      leaseMs,
      stopwatch: { elapsed: () => now },
      tell: (details) => reported.push(details),
      async pause(ms) {
        if (now < afterMs && now + ms >= afterMs) await act();
        now += ms;
      },
    });
    return { outcome: await watching.then(() => 'may begin', String), now: () => now, reported };
  }

  test('[RUN-5] A migration does not wait for nodes that have ended', async () => {
    for (const nodeId of [7, 8]) await given.store.write(leaveNode, nodeId);
    const { outcome, now, reported } = await watch();
    expect([outcome, now(), reported]).toEqual(['may begin', 0, []]);
  });

  test('[RUN-5] A migration watches nodes that have been silent for the length of a lease, and says so', async () => {
    await given.store.write(leaveNode, 7);
    const { outcome, now, reported } = await watch();
    expect([outcome, now()]).toEqual(['may begin', leaseMs]);
    expect(reported).toEqual([{ nodeIds: [8], waitSeconds: 15 }]);
  });

  test('[RUN-5] A migration no longer watches a node that ends meanwhile', async () => {
    await given.store.write(leaveNode, 7);
    const { outcome, now } = await watch(4_000, () => given.store.write(leaveNode, 8));
    expect([outcome, now()]).toEqual(['may begin', 4_000]);
  });

  test('[RUN-5] A heartbeat, even at the very end, or a node that joins stops the migration, which names the node', async () => {
    const beats = await watch(leaseMs, () => given.store.write(beatNode, 8));
    expect(beats.outcome).toMatch(
      /: node 8, which has been running since 1970-01-01T00:00:01Z\. Stop all servers/,
    );
    const enters = await watch(500, () => given.store.write(enterNode, { nodeId: 9, now: 2_000 }));
    expect(enters.outcome).toMatch(
      /: node 9, which has been running since 1970-01-01T00:00:02Z\. Stop all servers/,
    );
  });
});
