/**
 * When API keys were used last: gathered in memory and written in sets, at most once a minute for each key, on whichever
 * nodes it is used, so that a call by key costs one comparison more.
 */
import { WokenLoop } from '../foundation/woken-loop.ts';
import type { Store } from '../storage/store.ts';
import { keepKeyUses } from './api-keys.ts';

/** Of one key, from one writing to the next. */
export const useEveryMs = 60_000;
/** From a use to its being stored. */
const gatherMs = 10_000;
const maxKeysAtOnce = 500;

export interface KeyUsesParts {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

export class KeyUses {
  readonly #parts: KeyUsesParts;
  /** When keys, by their ids, were used since the last writing; no more than there are keys in memory. */
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
    for (let first = 0; first < uses.length; first += maxKeysAtOnce) {
      const some = uses.slice(first, first + maxKeysAtOnce);
      const ids = some.map(([id]) => id);
      // One time for all: those of a set lie no further apart than it takes to gather them.
      const now = Math.max(...some.map(([, at]) => at));
      await this.#parts.store.write(keepKeyUses, { ids, now, everyMs: useEveryMs });
      for (const id of ids) this.#used.delete(id);
    }
  }

  /** They wait for the next writing. */
  #failed(error: unknown): void {
    this.#parts.log.warn({ error }, 'the last use of API keys could not be stored');
  }
}
