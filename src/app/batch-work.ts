/** What a node that dispatches does for batches beside requests: they become messages there, so that carriers hear of them at once. */
import type { Logger } from 'pino';
import type { ClosedCompanies } from '../batches/hours/closed-companies.ts';
import { KeptHours } from '../batches/hours/keep-hours.ts';
import { CountFolding } from '../batches/reading/counts.ts';
import { Expansion } from '../batches/steps/expand.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Delivery } from '../messages/delivery/delivery.ts';
import type { Observer } from '../messages/observer.ts';
import { acceptMessages } from '../messages/sending/accept.ts';
import type { Store } from '../storage/store.ts';

export interface BatchWorkOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly delivery: Delivery;
  readonly closed: ClosedCompanies;
  readonly observer: Observer;
  readonly isListenedTo: (companyId: number) => boolean;
  readonly log: Logger;
}

export class BatchWork {
  readonly #expansion: Expansion;
  readonly #hours: KeptHours;
  readonly #folding: CountFolding;

  constructor(options: BatchWorkOptions) {
    const { store, delivery } = options;
    this.#folding = new CountFolding(options);
    this.#hours = new KeptHours(options);
    this.#expansion = new Expansion({
      ...options,
      wakeCarrier: (carrierId) => delivery.wake(carrierId),
      // In no hurry where calls wait for the store.
      othersWait: () => store.waitMs(acceptMessages) > 0,
    });
  }

  start(): void {
    this.#folding.start();
    this.#hours.start();
    this.#expansion.start();
  }

  /** A batch may have a next step. */
  wake(): void {
    this.#expansion.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#expansion.stop(), this.#hours.stop(), this.#folding.stop()]);
  }
}
