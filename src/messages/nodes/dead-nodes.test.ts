import { expect, test } from 'vitest';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { listNodes } from '../../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { eachStore, openFreshStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { DeadNodes } from './dead-nodes.ts';
import { beatNode, enterNode, leaveNode } from './store.ts';

const leaseMs = 300;

/** A watch over the nodes with its own stopwatch, which advances only while `watch` runs or when a test sets it. */
function lookout(store: Store) {
  const stopwatch = { time: 1_000, elapsed: () => stopwatch.time };
  const deadNodes = new DeadNodes(store, 7, leaseMs, stopwatch);
  /** Checks the nodes at regular intervals for this long, as upkeep does, and returns those that it found dead. */
  const watch = async (forMs: number, beat?: () => Promise<unknown>): Promise<number[]> => {
    const found: number[] = [];
    const end = stopwatch.time + forMs;
    let beatAt = stopwatch.time;
    while (stopwatch.time < end) {
      if (beat !== undefined && stopwatch.time >= beatAt) {
        await beat();
        beatAt += leaseMs / 3;
      }
      found.push(...(await deadNodes.find().catch(() => [])).map(({ nodeId }) => nodeId));
      stopwatch.time += 10;
    }
    return found;
  };
  return { deadNodes, stopwatch, watch };
}

eachStore('nodes that said goodbye', (engine) => {
  const given = deliveryStore(engine);

  test('[RUN-2] A node that has ended is found at once', async () => {
    await given.store.write(leaveNode, 8);
    expect(await new DeadNodes(given.store, 7, 60_000).find()).toEqual([{ nodeId: 8, fellSilent: false }]);
  });

  test('[RUN-2] A node does not find itself among the ended nodes', async () => {
    await given.store.write(leaveNode, 7);
    await given.store.write(leaveNode, 8);
    expect(await new DeadNodes(given.store, 8, 60_000).find()).toEqual([{ nodeId: 7, fellSilent: false }]);
  });
});

describePostgres('nodes that share a store', () => {
  async function twoNodes(): Promise<{ store: Store; dispose: () => Promise<void> }> {
    const fresh = await openFreshStore('postgres');
    for (const nodeId of [7, 8]) await fresh.store.write(enterNode, { nodeId, now: 1_000 });
    return { store: fresh.store, dispose: () => fresh.dispose() };
  }

  test('[RUN-2] A node whose heartbeat stands still for a lease is declared dead, and learns of it', async () => {
    const { store, dispose } = await twoNodes();
    const { watch } = lookout(store);
    expect(await watch(leaseMs)).toEqual([]);
    expect(await watch(10)).toEqual([8]);
    expect(await store.write(beatNode, 8)).toEqual({ kind: 'dead' });
    expect(await store.read(listNodes, null)).toContainEqual({ id: 8, beat: 0, ended: 1 });
    await dispose();
  });

  test('[RUN-2] A node is alive as long as its heartbeat goes on', async () => {
    const { store, dispose } = await twoNodes();
    expect(await lookout(store).watch(leaseMs * 4, () => store.write(beatNode, 8))).toEqual([]);
    await dispose();
  });

  test('[RUN-2] [DLV-7] No node is declared dead after a time in which the store was away and none could send a heartbeat', async () => {
    const { store, dispose } = await twoNodes();
    const cut = new FaultyStore(store);
    const { watch } = lookout(cut);
    await watch(leaseMs / 2);
    cut.refuse(undefined, Number.POSITIVE_INFINITY);
    await watch(leaseMs * 2);
    cut.mend();
    // The other node is back as soon as the store is, and sends its heartbeat at its next turn.
    expect(await watch(leaseMs / 4)).toEqual([]);
    expect(await store.write(beatNode, 8)).toEqual({ kind: 'alive' });
    expect(await watch(leaseMs * 0.7)).toEqual([]);
    await dispose();
  });

  test('[RUN-2] A node that was itself asleep declares no other node dead', async () => {
    const { store, dispose } = await twoNodes();
    const { deadNodes, stopwatch, watch } = lookout(store);
    await watch(leaseMs / 4);
    stopwatch.time += leaseMs * 2;
    expect(await deadNodes.find()).toEqual([]);
    await dispose();
  });

  test('[RUN-2] A heartbeat in the last moment keeps a node alive', async () => {
    const { store, dispose } = await twoNodes();
    const { watch } = lookout(store);
    await watch(leaseMs * 0.9);
    await store.write(beatNode, 8);
    expect(await watch(leaseMs * 0.7)).toEqual([]);
    await dispose();
  });
});
