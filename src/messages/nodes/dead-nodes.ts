/**
 * Finds other nodes that are gone: those that reported their end, and those whose heartbeat has not changed for the
 * length of a lease by this node's monotonic clock. Wall clocks play no part, so a wrong one cannot declare a living
 * node dead.
 */
import { type Stopwatch, systemStopwatch } from '../../foundation/clock.ts';
import { announceToOperators } from '../../storage/hints.ts';
import type { Store } from '../../storage/store.ts';
import { endNode, listOtherNodes } from './store.ts';

interface Sighting {
  readonly beat: number;
  /** When this heartbeat was first seen, by the stopwatch. */
  readonly since: number;
}

export interface DeadNode {
  readonly nodeId: number;
  /** Whether the node ended without reporting it, because it was killed, has crashed or is cut off. */
  readonly fellSilent: boolean;
}

export class DeadNodes {
  readonly #store: Store;
  readonly #nodeId: number;
  readonly #leaseMs: number;
  readonly #stopwatch: Stopwatch;
  #sightings = new Map<number, Sighting>();
  /** Silent nodes that no other node has taken over yet. */
  #silent = new Set<number>();
  /** Those found dead at the last look. */
  #found: ReadonlySet<number> = new Set();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, nodeId: number, leaseMs: number, stopwatch: Stopwatch = systemStopwatch) {
    this.#store = store;
    this.#nodeId = nodeId;
    this.#leaseMs = leaseMs;
    this.#stopwatch = stopwatch;
  }

  async find(): Promise<readonly DeadNode[]> {
    // Only one process at a time uses the embedded store, so every other node is gone.
    const leaseMs = this.#store.dialect === 'sqlite' ? 0 : this.#leaseMs;
    const nodes = await this.#store.read(listOtherNodes, this.#nodeId);
    const now = this.#stopwatch.elapsed();
    // After a time in which this node could not check the others (it had no store, or was suspended), sightings start
    // again.
    const lookedAway = now - this.#lookedAt > (leaseMs * 2) / 3;
    this.#lookedAt = now;
    const sightings = new Map<number, Sighting>();
    const dead: DeadNode[] = [];
    const silent = new Set<number>();
    for (const node of nodes) {
      const seen = lookedAway ? undefined : this.#sightings.get(node.id);
      const sighting = seen?.beat === node.beat ? seen : { beat: node.beat, since: now };
      sightings.set(node.id, sighting);
      const isSilent = now - sighting.since >= leaseMs;
      const ends = node.ended === 0 && isSilent && (await this.#store.write(endNode, node));
      if (ends || this.#silent.has(node.id)) silent.add(node.id);
      if (node.ended === 1 || ends) dead.push({ nodeId: node.id, fellSilent: silent.has(node.id) });
    }
    this.#sightings = sightings;
    this.#silent = silent;
    const found = new Set(dead.map(({ nodeId }) => nodeId));
    if ([...found].some((id) => !this.#found.has(id))) announceToOperators(this.#store, 'nodes');
    this.#found = found;
    return dead;
  }
}
