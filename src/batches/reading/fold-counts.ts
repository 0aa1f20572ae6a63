/** Folds what has changed of the counts of batches into them, regularly, so that reading them stays cheap. */
import { Periodic } from '../../foundation/periodic.ts';
import type { Store } from '../../storage/store.ts';
import { foldCountChanges } from './counts-store.ts';

export interface FoldingOptions {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

const foldEveryMs = 1_000;
/** As many as a short transaction folds: 10,000 take about 40 ms. */
const foldedAtOnce = 10_000;

export class CountFolding {
  readonly #store: Store;
  readonly #folds: Periodic;
  #stopped = false;

  constructor({ store, log }: FoldingOptions) {
    this.#store = store;
    const failed = (error: unknown) =>
      log.warn({ error }, 'counts of batches could not be folded; it is tried again');
    this.#folds = new Periodic({ pauseMs: foldEveryMs, failed }, () => this.fold());
  }

  /** Only PostgreSQL has anything to fold. */
  start(): void {
    if (this.#store.dialect === 'postgres') this.#folds.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#folds.stop();
  }

  /** All that there is now. */
  async fold(): Promise<void> {
    let folded = foldedAtOnce;
    while (folded === foldedAtOnce && !this.#stopped)
      folded = await this.#store.write(foldCountChanges, foldedAtOnce);
  }
}
