/** Knows from memory which batches are paused, since each claim of messages asks; read again when the store has news of them. */
import type { PausedBatch } from '../../messages/dispatch/hold.ts';
import type { Store } from '../../storage/store.ts';
import { listPaused } from './pause-store.ts';

export class PausedBatches {
  readonly #store: Store;
  #batches: readonly PausedBatch[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get all(): readonly PausedBatch[] {
    return this.#batches;
  }

  async read(): Promise<void> {
    this.#batches = await this.#store.read(listPaused, null);
  }
}
