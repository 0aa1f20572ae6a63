/**
 * Gathers what carriers answer and stores it in sets: whatever comes while one set is being stored makes up the next.
 * What can't be stored is kept and tried again; meanwhile its messages count against what dispatch may claim.
 */
import type { Store } from '../storage/store.ts';
import { type Advance, type OutcomeRecord, recordOutcomes, type TakenPart } from './dispatch-store.ts';

interface Options {
  readonly store: Store;
  readonly carrierId: number;
  readonly nodeId: number;
  readonly now: () => number;
  /** These have found their place in the store, and count no more. */
  readonly stored: (advances: readonly Advance[]) => void;
  readonly failed: (error: unknown) => void;
}

const maxSet = 1_000;
const retryMs = 500;

export class OutcomeLog {
  readonly #options: Options;
  #taken: TakenPart[] = [];
  #advances: Advance[] = [];
  #storing = false;
  #scheduled = false;
  #gaveUp = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** A message's way on, with the parts that the carrier took of it. */
  add(advance: Advance, taken: readonly TakenPart[]): void {
    this.#advances.push(advance);
    for (const part of taken) this.#taken.push(part);
    if (this.#storing || this.#scheduled) return;
    this.#scheduled = true;
    // After this turn of the event loop, in which a carrier mostly answers for more than one.
    setImmediate(() => {
      this.#scheduled = false;
      void this.#store();
    });
  }

  /** What is not stored by now stays in flight in the store: whoever takes over finds it in doubt. */
  giveUp(): void {
    this.#gaveUp = true;
  }

  async #store(): Promise<void> {
    if (this.#storing) return;
    this.#storing = true;
    while (this.#advances.length > 0 && !this.#gaveUp) {
      const advances = this.#advances.splice(0, maxSet);
      const ids = new Set(advances.map((advance) => advance.id));
      const taken = this.#taken.filter((part) => ids.has(part.messageId));
      this.#taken = this.#taken.filter((part) => !ids.has(part.messageId));
      await this.#persist({
        nodeId: this.#options.nodeId,
        carrierId: this.#options.carrierId,
        now: this.#options.now(),
        advances,
        taken,
      });
      this.#options.stored(advances);
    }
    this.#storing = false;
  }

  async #persist(record: OutcomeRecord): Promise<void> {
    while (!this.#gaveUp) {
      try {
        await this.#options.store.write(recordOutcomes, record);
        return;
      } catch (error) {
        this.#options.failed(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }
}
