/**
 * Gathers what carriers answer and stores it in sets: whatever comes while one set is being stored makes up the next.
 * While the store is out of reach a set is kept and tried again, and its messages count against what dispatch may claim.
 * What the store refuses for what stands in it would be refused for ever: the message at fault is sought out, and goes
 * another way.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import type { Advance, OutcomeRecord, TakenPart } from '../outcome.ts';
import { recordOutcomes } from './store.ts';

interface Options {
  readonly store: Store;
  readonly carrierId: number;
  readonly nodeId: number;
  readonly now: () => number;
  /** These have found their place in the store, and count no more. */
  readonly stored: (advances: readonly Advance[]) => void;
  /** It is tried again. */
  readonly failed: (error: unknown) => void;
  /** The store will never take it: answers with where the message goes instead. */
  readonly refused: (advance: Advance, error: unknown) => Advance;
}

const maxSet = 1_000;
const retryMs = 500;
const longestRetryMs = 30_000;
/** A store that refuses a message so often, and can be reached, does so for what stands in it. */
const mostRefusals = 3;
/** A fault that is over by then is nobody's business. */
const notableMs = 2_000;

/** By the clock, and by `performance.now()`. */
interface Moment {
  readonly at: number;
  readonly ms: number;
}

export class OutcomeLog {
  readonly #options: Options;
  #taken: TakenPart[] = [];
  #advances: Advance[] = [];
  #storing = false;
  #scheduled = false;
  #gaveUp = false;
  /** Since when nothing could be stored. */
  #failing: Moment | undefined;
  /** Since when the store, which could be reached, took nothing. */
  #refusing: Moment | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Since when nothing could be stored; undefined: all is well, or it has not been so for long. */
  get failingSince(): number | undefined {
    return sinceWhen(this.#failing);
  }

  /** The same for what the store refuses; one that is out of reach says nothing of what it would take. */
  get refusedSince(): number | undefined {
    return sinceWhen(this.#refusing);
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
      const ids = idsOf(advances);
      const taken = this.#taken.filter((part) => ids.has(part.messageId));
      this.#taken = this.#taken.filter((part) => !ids.has(part.messageId));
      await this.#keep(advances, taken);
    }
    this.#storing = false;
  }

  /** A set that is refused is halved until the message at fault stands alone. */
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

  /** Where the store takes not even this, it is at fault itself, and is asked ever more seldom until it is mended. */
  async #replace(advance: Advance, error: unknown): Promise<void> {
    const instead = this.#options.refused(advance, error);
    for (let pauseMs = retryMs; !this.#gaveUp; pauseMs = Math.min(2 * pauseMs, longestRetryMs)) {
      const refusal = await this.#persist([instead], []);
      if (refusal === undefined) return;
      this.#options.failed(refusal.error);
      await delay(pauseMs, undefined, { ref: false });
    }
  }

  /** However long the store is out of reach. Answers with its refusal, if it refuses this for good. */
  async #persist(
    advances: readonly Advance[],
    taken: readonly TakenPart[],
  ): Promise<{ readonly error: unknown } | undefined> {
    const { store, nodeId, carrierId, now, stored, failed } = this.#options;
    const record: OutcomeRecord = { nodeId, carrierId, now: now(), advances, taken };
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
        if (refusals === (advances.length === 1 ? mostRefusals : 1)) return { error };
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

function sinceWhen(moment: Moment | undefined): number | undefined {
  return moment !== undefined && performance.now() - moment.ms >= notableMs ? moment.at : undefined;
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'store_unavailable' || error.code === 'overloaded');
}
