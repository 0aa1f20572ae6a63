/**
 * Collects outcomes from carriers and stores them in sets: those that arrive while one set is being stored form the next.
 * While the store is unreachable, a set is kept and retried, and its messages count against what dispatch may claim. A set
 * refused because of its content would be refused forever, so it is halved until the message at fault is found, which gets a
 * replacement outcome.
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
  /** Called when these advances are stored and no longer count. */
  readonly stored: (advances: readonly Advance[]) => void;
  /** Called when storing failed and is retried. */
  readonly failed: (error: unknown) => void;
  /** Called when the store will never take this advance; returns the advance to store instead. */
  readonly refused: (advance: Advance, error: unknown) => Advance;
}

const maxSet = 1_000;
const retryMs = 500;
const maxRetryMs = 30_000;
/** After this many refusals by a reachable store, the content of a message is held to be at fault. */
const maxRefusals = 3;
/** Faults that end sooner are not reported. */
const notableMs = 2_000;

/** A moment on the clock and on `performance.now()`. */
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
  /** When the store began to refuse everything although it is reachable. */
  #refusing: StartTime | undefined;

  constructor(options: OutcomeLogOptions) {
    this.#options = options;
  }

  /** Since when nothing could be stored; undefined when all is well or the fault is recent. */
  get failingSince(): number | undefined {
    return sinceWhen(this.#failing);
  }

  /** Since when a reachable store has refused everything; undefined when it has not, or only for a short time. */
  get refusedSince(): number | undefined {
    return sinceWhen(this.#refusing);
  }

  /** Adds a message's advance, with the parts that the carrier took. */
  add(advance: Advance, taken: readonly TakenPart[]): void {
    this.#advances.push(advance);
    for (const part of taken) this.#taken.push(part);
    if (this.#storing || this.#scheduled) return;
    this.#scheduled = true;
    // Waits for the end of this event-loop turn, in which a carrier usually responds to more than one message.
    setImmediate(() => {
      this.#scheduled = false;
      void this.#store();
    });
  }

  /** Stores nothing more: the rest stays in flight in the store, where the node that takes over finds it in doubt. */
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

  /** If the store refuses even this, the store itself is at fault and is tried at growing intervals until it works again. */
  async #replace(advance: Advance, error: unknown): Promise<void> {
    const instead = this.#options.refused(advance, error);
    for (let pauseMs = retryMs; !this.#gaveUp; pauseMs = Math.min(2 * pauseMs, maxRetryMs)) {
      const refusal = await this.#persist([instead], []);
      if (refusal === undefined) return;
      this.#options.failed(refusal.error);
      // The row cannot be read, so the message stays in flight and others need not wait for it.
      if (refusal.error instanceof StoreDamaged) return;
      await delay(pauseMs, undefined, { ref: false });
    }
  }

  /** Keeps trying while the store is unreachable. Returns the error if the store refuses the set permanently. */
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
