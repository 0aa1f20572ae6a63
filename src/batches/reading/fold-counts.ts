/** Folds what has changed of the counts of batches into them, regularly, so that reading them stays cheap. */
import type { Store } from '../../storage/store.ts';
import { foldCountChanges } from './counts-store.ts';

export interface FoldingOptions {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

const foldEveryMs = 1_000;
/** As many as a short transaction folds: 10,000 take about 40 ms. */
const foldedAtOnce = 10_000;

/** Starts it; what it answers with ends it. */
export function keepFolding(options: FoldingOptions): () => Promise<void> {
  const folding = new CountFolding(options);
  folding.start();
  return () => folding.stop();
}

export class CountFolding {
  readonly #options: FoldingOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: FoldingOptions) {
    this.#options = options;
  }

  /** Only PostgreSQL has anything to fold. */
  start(): void {
    if (this.#options.store.dialect === 'postgres') this.#wait();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** All that there is now. */
  async fold(): Promise<void> {
    const { store, log } = this.#options;
    try {
      let folded = foldedAtOnce;
      while (folded === foldedAtOnce && !this.#stopped)
        folded = await store.write(foldCountChanges, foldedAtOnce);
    } catch (error) {
      log.warn({ error }, 'counts of batches could not be folded; it is tried again');
    }
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.fold().then(() => this.#wait());
    }, foldEveryMs);
    this.#timer.unref();
  }
}
