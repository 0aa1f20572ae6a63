/**
 * Tells which other nodes are gone: those that said so, and those whose beat has stood still for the length of a lease
 * by this node's own clock, which never jumps. No wall clock decides, so none can bury the living.
 */
import type { Store } from '../storage/store.ts';
import { endNode, listOtherNodes } from './node-store.ts';

interface Sighting {
  readonly beat: number;
  /** When this beat was first seen, in milliseconds of `performance.now()`. */
  readonly since: number;
}

export class DeadNodes {
  readonly #store: Store;
  readonly #nodeId: number;
  readonly #leaseMs: number;
  #sightings = new Map<number, Sighting>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, nodeId: number, leaseMs: number) {
    this.#store = store;
    this.#nodeId = nodeId;
    this.#leaseMs = leaseMs;
  }

  async find(): Promise<readonly number[]> {
    // One process at a time has the embedded store: every other node is gone.
    const leaseMs = this.#store.dialect === 'sqlite' ? 0 : this.#leaseMs;
    const nodes = await this.#store.read(listOtherNodes, this.#nodeId);
    const now = performance.now();
    // While this node could not look, because the store was away or it slept itself, it could not see others live.
    const lookedAway = now - this.#lookedAt > (leaseMs * 2) / 3;
    this.#lookedAt = now;
    const sightings = new Map<number, Sighting>();
    const dead: number[] = [];
    for (const node of nodes) {
      const seen = lookedAway ? undefined : this.#sightings.get(node.id);
      const sighting = seen?.beat === node.beat ? seen : { beat: node.beat, since: now };
      sightings.set(node.id, sighting);
      const isSilent = now - sighting.since >= leaseMs;
      if (node.ended === 1 || (isSilent && (await this.#store.write(endNode, node)))) dead.push(node.id);
    }
    this.#sightings = sightings;
    return dead;
  }
}
