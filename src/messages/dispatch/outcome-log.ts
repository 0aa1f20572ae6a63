/**
 * Collects what carriers answer and stores it in sets: what comes while one set is being stored makes up the next. While
 * the store is unreachable, a set is kept and tried again, and its messages count against what dispatch may claim. What
 * the store refuses because of its content would be refused forever: the message at fault is found by halving the set,
 * and gets a replacement outcome.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Carrier } from '../../carriers/carrier.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { type Store, StoreDamaged } from '../../storage/store.ts';
import type { Advance, OutcomeRecord, TakenPart } from '../outcome.ts';
import { recordOutcomes } from './store.ts';

interface OutcomeLogOptions {
  readonly store: Store;
  readonly carrier: Pick<Carrier, 'id' | 'isSimulator'>;
  readonly nodeId: number;
  readonly now: () => number;
  /** These are stored, and no longer count. */
  readonly stored: (advances: readonly Advance[]) => void;
  /** Storing failed and is tried again. */
  readonly failed: (error: unknown) => void;
  /** The store will never take this advance: returns the one to store instead. */
  readonly refused: (advance: Advance, error: unknown) => Advance;
}

const maxSet = 1_000;
const retryMs = 500;
const maxRetryMs = 30_000;
/** A reachable store that refuses a message this often does so because of its content. */
const maxRefusals = 3;
/** A fault that ends sooner is not reported. */
const notableMs = 2_000;

/** A moment by the clock, and by `performance.now()`. */
interface StartTime {
  readonly at: number;
  readonly ms: number;
}

export class OutcomeLog {
  readonly #options: OutcomeLogOptions;
  #taken: TakenPart[] = [];
  #advances: Advance[] = [];
  #storing = false;
  #scheduled = false;
  #gaveUp = false;
  /** When storing began to fail. */
  #failing: StartTime | undefined;
  /** When the store, though reachable, began to refuse everything. */
  #refusing: StartTime | undefined;

  constructor(options: OutcomeLogOptions) {
    this.#options = options;
  }

  /** Since when nothing could be stored; undefined when all is well, or the fault is recent. */
  get failingSince(): number | undefined {
    return sinceWhen(this.#failing);
  }

  /** The same for refusals by a reachable store. */
  get refusedSince(): number | undefined {
    return sinceWhen(this.#refusing);
  }

  /** Adds the advance of a message, with the parts that the carrier took. */
  add(advance: Advance, taken: readonly TakenPart[]): void {
    this.#advances.push(advance);
    for (const part of taken) this.#taken.push(part);
    if (this.#storing || this.#scheduled) return;
    this.#scheduled = true;
    // After this turn of the event loop, in which a carrier usually answers for more than one.
    setImmediate(() => {
      this.#scheduled = false;
      void this.#store();
    });
  }

  /** Stores nothing more: the rest stays in flight in the store, and the node that takes over finds it in doubt. */
  giveUp(): void {
    this.#gaveUp = true;
  }

  async #store(): Promise<void> {
    if (this.#storing) return;
    this.#storing = true;
    while (this.#advances.length > 0 && !this.#gaveUp) {
      const advances = this.#advances.splice(0, maxSet);
      const ids = idsOf(advances);
      const taken = this.#taken.filter((part) => ids.has(part.messageId));
      this.#taken = this.#taken.filter((part) => !ids.has(part.messageId));
      await this.#keep(advances, taken);
    }
    this.#storing = false;
  }

  /** Halves a refused set until the message at fault is alone. */
  async #keep(advances: readonly Advance[], taken: readonly TakenPart[]): Promise<void> {
    const refusal = await this.#persist(advances, taken);
    if (refusal === undefined) return;
    const [first] = advances;
    if (advances.length === 1) return this.#replace(first as Advance, refusal.error);
    const middle = Math.ceil(advances.length / 2);
    for (const half of [advances.slice(0, middle), advances.slice(middle)]) {
      const ids = idsOf(half);
      await this.#keep(
        half,
        taken.filter(({ messageId }) => ids.has(messageId)),
      );
    }
  }

  /** If the store refuses even this, it is itself at fault, and is asked less and less often until it works again. */
  async #replace(advance: Advance, error: unknown): Promise<void> {
    const instead = this.#options.refused(advance, error);
    for (let pauseMs = retryMs; !this.#gaveUp; pauseMs = Math.min(2 * pauseMs, maxRetryMs)) {
      const refusal = await this.#persist([instead], []);
      if (refusal === undefined) return;
      this.#options.failed(refusal.error);
      // Its row cannot be read: it stays in flight, and others need not wait for it.
      if (refusal.error instanceof StoreDamaged) return;
      await delay(pauseMs, undefined, { ref: false });
    }
  }

  /** Keeps trying while the store is unreachable. Returns the error if the store refuses this permanently. */
  async #persist(
    advances: readonly Advance[],
    taken: readonly TakenPart[],
  ): Promise<{ readonly error: unknown } | undefined> {
    const { store, nodeId, carrier, now, stored, failed } = this.#options;
    const { id: carrierId, isSimulator = false } = carrier;
    const record: OutcomeRecord = { nodeId, carrierId, isSimulator, now: now(), advances, taken };
    for (let refusals = 0; !this.#gaveUp; ) {
      try {
        await store.write(recordOutcomes, record);
        this.#failing = undefined;
        this.#refusing = undefined;
        stored(advances);
        return undefined;
      } catch (error) {
        const moment = { at: now(), ms: performance.now() };
        this.#failing ??= moment;
        if (!isOutOfReach(error)) {
          this.#refusing ??= moment;
          refusals += 1;
        }
        if (refusals === (advances.length === 1 ? maxRefusals : 1)) return { error };
        failed(error);
        await delay(retryMs);
      }
    }
    return undefined;
  }
}

function idsOf(advances: readonly Advance[]): ReadonlySet<number> {
  return new Set(advances.map(({ id }) => id));
}

function sinceWhen(moment: StartTime | undefined): number | undefined {
  return moment !== undefined && performance.now() - moment.ms >= notableMs ? moment.at : undefined;
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'store_unavailable' || error.code === 'overloaded');
}
