/**
 * Checks whether nodes of an earlier version are still alive in a store that is about to be migrated. Their knowledge of its
 * tables would then be wrong: a message that they accept could be missing wherever the new version looks for it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Stopwatch, systemStopwatch } from '../../foundation/clock.ts';
import { StartError } from '../../foundation/errors.ts';
import type { OlderStore } from '../../storage/schema-version.ts';
import { leaseMs } from './lease.ts';
import { listUnendedNodes, type UnendedNode } from './store.ts';

interface Watching {
  readonly tell: (details: object, message: string) => void;
  readonly leaseMs?: number;
  readonly stopwatch?: Stopwatch;
  readonly pause?: (ms: number) => Promise<unknown>;
}

const lookEveryMs = 500;

/**
 * Throws a StartError when a node has a heartbeat. A node that was killed, or whose machine is gone, has not reported its
 * end; that shows only after it has had no heartbeat for as long as its lease.
 */
export async function requireNoLivingNode(older: OlderStore, watching: Watching): Promise<void> {
  const { tell, leaseMs: watchMs = leaseMs, stopwatch = systemStopwatch, pause = delay } = watching;
  const first = await older.read(listUnendedNodes, null);
  if (first.length === 0) return;
  const nodeIds = first.map(({ id }) => id);
  tell(
    { nodeIds, waitSeconds: watchMs / 1_000 },
    'nodes have not reported that they stopped: waiting to see whether they are alive before the store is migrated',
  );
  const beats = new Map(first.map(({ id, beat }) => [id, beat]));
  const startedAt = stopwatch.elapsed();
  for (;;) {
    const isLast = stopwatch.elapsed() - startedAt >= watchMs;
    const nodes = await older.read(listUnendedNodes, null);
    const living = nodes.filter(({ id, beat }) => beats.get(id) !== beat);
    if (living.length > 0) throw livingNodes(living);
    if (isLast || nodes.length === 0) return;
    await pause(lookEveryMs);
  }
}

function livingNodes(nodes: readonly UnendedNode[]): StartError {
  return stillInUse(nodes.map(nameOf).join('; '));
}

export function nameOf({ id, startedAt }: UnendedNode): string {
  return `node ${id}, which has been running since ${new Date(startedAt).toISOString().slice(0, 19)}Z`;
}

export function stillInUse(byWhom: string): StartError {
  return new StartError(
    `The store can't be migrated while a server uses it: ${byWhom}. Stop all servers that use it, then start this version, or run carillon migrate. Nothing was changed.`,
  );
}
