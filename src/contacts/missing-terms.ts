/** Gives contacts their terms that were written before there were any: after an upgrade, while the server serves. */
import { Periodic } from '../foundation/periodic.ts';
import type { Store } from '../storage/store.ts';
import { addMissingTerms, findBookWithoutTerms } from './term-store.ts';

/** A node of the version before, which has not been stopped yet, may go on to write such. */
const lookEveryMs = 60_000;
/** Contacts in a transaction. */
const setSize = 300;

export class MissingTerms {
  readonly #store: Store;
  readonly #looks: Periodic;
  #isStopped = false;

  constructor(store: Store, log: { warn(details: object, message: string): void }) {
    this.#store = store;
    const failed = (error: unknown) =>
      log.warn({ error }, 'contacts from before an upgrade are not all found by name yet; it is tried again');
    this.#looks = new Periodic({ pauseMs: lookEveryMs, firstMs: 0, failed }, () => this.#addAll());
  }

  start(): void {
    this.#looks.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looks.stop();
  }

  async #addAll(): Promise<void> {
    while (!this.#isStopped) {
      const bookId = await this.#store.read(findBookWithoutTerms, null);
      if (bookId === undefined) return;
      await this.#store.write(addMissingTerms, { bookId, limit: setSize });
    }
  }
}
