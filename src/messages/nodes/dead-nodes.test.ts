import { expect, test } from 'vitest';
import { awakeMs, pause, undisturbed } from '../../../test/harness/awake.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { listNodes } from '../../../test/harness/delivery-verbs.ts';
import { describePostgres } from '../../../test/harness/engines.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { eachStore, openFreshStore } from '../../../test/harness/stores.ts';
import type { Store } from '../../storage/store.ts';
import { DeadNodes } from './dead-nodes.ts';
import { beatNode, enterNode, leaveNode } from './store.ts';

const leaseMs = 300;

/** Looks regularly, as upkeep does, for so long; answers with whom it found dead. */
async function watch(deadNodes: DeadNodes, forMs: number): Promise<number[]> {
  const found: number[] = [];
  const deadline = awakeMs() + forMs;
  while (awakeMs() < deadline) {
    found.push(...(await deadNodes.find()).map(({ nodeId }) => nodeId));
    await pause(40);
  }
  return found;
}

eachStore('nodes that said goodbye', (engine) => {
  const given = deliveryStore(engine);

  test('[RUN-2] are found at once', async () => {
    await given.store.write(leaveNode, 8);
    expect(await new DeadNodes(given.store, 7, 60_000).find()).toEqual([{ nodeId: 8, fellSilent: false }]);
  });

  test('[RUN-2] a node does not find itself', async () => {
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

  test('[RUN-2] are dead when their beat stands still for a lease, and are told so', () =>
    undisturbed(async () => {
      const { store, dispose } = await twoNodes();
      const deadNodes = new DeadNodes(store, 7, leaseMs);
      expect(await watch(deadNodes, leaseMs / 2)).toEqual([]);
      expect(new Set(await watch(deadNodes, leaseMs))).toEqual(new Set([8]));
      expect(await store.write(beatNode, 8)).toBe(false);
      expect(await store.read(listNodes, null)).toContainEqual({ id: 8, beat: 0, ended: 1 });
      await dispose();
    }));

  test('[RUN-2] live as long as they beat', () =>
    undisturbed(async () => {
      const { store, dispose } = await twoNodes();
      const beating = setInterval(() => void store.write(beatNode, 8), leaseMs / 3);
      expect(await watch(new DeadNodes(store, 7, leaseMs), leaseMs * 4)).toEqual([]);
      clearInterval(beating);
      await dispose();
    }));

  test('[RUN-2] [DLV-7] bury nobody after a time in which none could beat: the store was away', () =>
    undisturbed(async () => {
      const { store, dispose } = await twoNodes();
      const cut = new FaultyStore(store);
      const deadNodes = new DeadNodes(cut, 7, leaseMs);
      await watch(deadNodes, leaseMs / 2);
      cut.refuse(undefined, 1_000);
      const startedAt = awakeMs();
      while (awakeMs() - startedAt < leaseMs * 2) {
        await deadNodes.find().catch(() => undefined);
        await pause(40);
      }
      cut.mend();
      // The other node is back as soon as the store is, and beats at its next turn.
      const beating = pause(leaseMs / 4).then(() => store.write(beatNode, 8));
      expect(await watch(deadNodes, leaseMs * 0.7)).toEqual([]);
      expect(await beating).toBe(true);
      await dispose();
    }));

  test('[RUN-2] bury nobody for having slept themselves', () =>
    undisturbed(async () => {
      const { store, dispose } = await twoNodes();
      const deadNodes = new DeadNodes(store, 7, leaseMs);
      await watch(deadNodes, leaseMs / 4);
      await pause(leaseMs * 2);
      expect(await deadNodes.find()).toEqual([]);
      await dispose();
    }));

  test('[RUN-2] a beat in the last moment counts', () =>
    undisturbed(async () => {
      const { store, dispose } = await twoNodes();
      const deadNodes = new DeadNodes(store, 7, leaseMs);
      await watch(deadNodes, leaseMs * 0.9);
      await store.write(beatNode, 8);
      expect(await watch(deadNodes, leaseMs * 0.7)).toEqual([]);
      await dispose();
    }));
});
