/**
 * Messages that the store holds as claimed by a node and that the node knows nothing of: the answer to the claim was lost
 * on its way, or what had to follow it failed, and nothing was handed over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import { releaseOrphans } from './orphan-store.ts';

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeId: number;
  readonly carrierId: number;
  /** What the node has in hand, or is about to have. None is expected anew while they are sought. */
  readonly knownIds: () => readonly number[];
}

const retryMs = 500;

export class Orphans {
  readonly #options: Options;
  #mayBe = false;
  #areSought = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** For sure: there may be some while they are being looked for. */
  get areNone(): boolean {
    return !(this.#mayBe || this.#areSought);
  }

  suspect(): void {
    this.#mayBe = true;
  }

  /** Gives back those that there may be. This happens between claims, never beside one. */
  async release(): Promise<void> {
    if (!this.#mayBe) return;
    const { store, clock, nodeId, carrierId } = this.#options;
    const knownIds = this.#options.knownIds();
    this.#areSought = true;
    // Before the look: whoever suspects some meanwhile may know of some that this one is too early for.
    this.#mayBe = false;
    try {
      await store.write(releaseOrphans, { carrierId, nodeId, knownIds, now: clock.now() });
    } catch (error) {
      this.#mayBe = true;
      throw error;
    } finally {
      this.#areSought = false;
    }
  }

  /** At a carrier that was removed, or at this node's end, they would be found only when the node is replaced: in doubt. */
  async leaveNone(isGivenUp: () => boolean, failed: (error: unknown) => void): Promise<void> {
    while (this.#mayBe && !isGivenUp()) {
      await this.release().catch((error: unknown) => {
        failed(error);
        return delay(retryMs);
      });
    }
  }
}
