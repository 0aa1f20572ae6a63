/**
 * Heartbeats of a node that doesn't dispatch. It accepts messages, so no migration may begin while it is alive, and it
 * has to learn of a migration that has begun.
 */
import { NodeLease } from '../messages/nodes/lease.ts';
import type { AboutNode } from '../messages/nodes/store.ts';
import type { Context } from '../storage/context.ts';
import type { Ids } from '../storage/ids.ts';
import type { StopStack } from './stop-stack.ts';

interface Present extends Context {
  readonly nodeIds: Ids;
  readonly about: AboutNode;
  readonly outdated: (version: number) => void;
  readonly log: { warn(details: object, message: string): void };
}

/** Returns a function that tells the node's id; undefined while other nodes may take this one for dead. */
export async function startPresence(present: Present, stack: StopStack): Promise<() => number | undefined> {
  const { nodeIds, log, ...options } = present;
  let current: { readonly lease: NodeLease; readonly nodeId: number } | undefined;
  let entering: Promise<void> | undefined;
  let isStopped = false;
  const enter = async () => {
    const nodeId = await nodeIds.draw(1);
    const lease = new NodeLease({
      ...options,
      nodeId,
      changed: () => undefined,
      // Called at each heartbeat until the node has joined again.
      lost() {
        entering ??= again(lease).finally(() => {
          entering = undefined;
        });
      },
    });
    await lease.start();
    current = { lease, nodeId };
  };
  const again = async (before: NodeLease) => {
    try {
      if (isStopped) return;
      await enter();
      await before.stop();
    } catch (error) {
      log.warn({ error }, 'this node could not rejoin under a new id; trying again');
    }
  };
  await enter();
  stack.push(async () => {
    isStopped = true;
    await entering;
    await current?.lease.stop().catch((error: unknown) => {
      log.warn({ error }, 'could not announce the end of this node; the other nodes will notice its silence');
    });
  });
  return () => (current?.lease.held ? current.nodeId : undefined);
}
