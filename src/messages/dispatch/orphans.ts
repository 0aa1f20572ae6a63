/**
 * Finds messages that the store has as claimed by this node, but that the node does not know: the answer to the claim was
 * lost, or something failed right after it, so that nothing was handed over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import { releaseOrphans } from './orphan-store.ts';

interface OrphanOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeId: number;
  readonly carrierId: number;
  /** Messages that the node is handling or about to handle. No further ones are expected during a search. */
  readonly knownIds: () => readonly number[];
}

const retryMs = 500;

export class Orphans {
  readonly #options: OrphanOptions;
  #mayBe = false;
  #isSearching = false;

  constructor(options: OrphanOptions) {
    this.#options = options;
  }

  /** Whether there are certainly none; false during a search. */
  get isEmpty(): boolean {
    return !(this.#mayBe || this.#isSearching);
  }

  suspect(): void {
    this.#mayBe = true;
  }

  /** Releases any orphans. To be called between claims, never during one. */
  async release(): Promise<void> {
    if (!this.#mayBe) return;
    const { store, clock, nodeId, carrierId } = this.#options;
    const knownIds = this.#options.knownIds();
    this.#isSearching = true;
    // Reset before the search, since a suspicion that comes meanwhile may concern later orphans.
    this.#mayBe = false;
    try {
      await store.write(releaseOrphans, { carrierId, nodeId, knownIds, now: clock.now() });
    } catch (error) {
      this.#mayBe = true;
      throw error;
    } finally {
      this.#isSearching = false;
    }
  }

  /** For a removed carrier, or at this node's end, when orphans would otherwise be found as in doubt by other nodes. */
  async leaveNone(isGivenUp: () => boolean, failed: (error: unknown) => void): Promise<void> {
    while (this.#mayBe && !isGivenUp()) {
      await this.release().catch((error: unknown) => {
        failed(error);
        return delay(retryMs);
      });
    }
  }
}
