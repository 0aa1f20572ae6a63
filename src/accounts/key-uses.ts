/**
 * Records when API keys were last used. Uses are gathered in memory and written in sets, at most once a minute per key across
 * all nodes, so that a call by key costs only one more comparison.
 */
import { WokenLoop } from '../foundation/woken-loop.ts';
import type { Store } from '../storage/store.ts';
import { keepKeyUses } from './api-keys.ts';

/** Milliseconds between two writes for the same key. */
export const useEveryMs = 60_000;
/** Milliseconds from a use until it is stored. */
const gatherMs = 10_000;
const maxKeysPerStep = 500;

export interface KeyUsesParts {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

export class KeyUses {
  readonly #parts: KeyUsesParts;
  /** When each key was used since the last write, by key id; holds no more keys than are cached. */
  readonly #used = new Map<number, number>();
  readonly #writing: WokenLoop;

  constructor(parts: KeyUsesParts) {
    this.#parts = parts;
    this.#writing = new WokenLoop({ pauseMs: gatherMs, failed: (error) => this.#failed(error) }, () =>
      this.write(),
    );
  }

  note(keyId: number, now: number): void {
    this.#used.set(keyId, now);
  }

  start(): void {
    this.#writing.start();
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.write().catch((error) => this.#failed(error));
  }

  async write(): Promise<void> {
    const uses = [...this.#used];
    for (let first = 0; first < uses.length; first += maxKeysPerStep) {
      const some = uses.slice(first, first + maxKeysPerStep);
      const ids = some.map(([id]) => id);
      // One timestamp for the whole set, since its uses are no further apart than the gathering time.
      const now = Math.max(...some.map(([, at]) => at));
      await this.#parts.store.write(keepKeyUses, { ids, now, everyMs: useEveryMs });
      for (const id of ids) this.#used.delete(id);
    }
  }

  /** The uses remain in memory for the next write. */
  #failed(error: unknown): void {
    this.#parts.log.warn({ error }, 'the last use of API keys could not be stored');
  }
}
