/**
 * Limits concurrent reads of the store. Long reads have owners, who share part of the turns and take them in rotation.
 * A short read therefore always finds a turn, and no company waits for more than one page of each other company,
 * however many users the other has. The same holds for the users within a company.
 */
import { Budget } from '../foundation/budget.ts';
import { ServiceError } from '../foundation/errors.ts';
import { FairQueue } from '../foundation/fair-queue.ts';
import { storeUnavailable } from './store.ts';
import type { ReadOwner } from './verb.ts';

export interface ReadTurnsOptions {
  readonly turns: number;
  /** At most this many of the turns go to reads that have an owner. */
  readonly ownedTurns: number;
  readonly maxWaitMs: number;
}

/** Limits on waiting reads: ample for users and companies that wait for each answer, but low for those that do not. */
const maxWaiting = { inAll: 2_000, ofOwner: 256, ofMember: 64 };

/** The name under which the budget of turns counts all reads that have an owner. */
const longReads = 'long';

interface WaitingRead {
  readonly begin: () => void;
  readonly refuse: () => void;
}

const tooMany = new ServiceError('overloaded', {
  sentence: 'reads_waiting',
  user: maxWaiting.ofMember,
  company: maxWaiting.ofOwner,
  all: maxWaiting.inAll,
});

export class ReadTurns {
  readonly #options: ReadTurnsOptions;
  readonly #turns: Budget;
  readonly #short = new Set<WaitingRead>();
  readonly #long = new FairQueue<WaitingRead>(maxWaiting);
  #isShortNext = true;

  constructor(options: ReadTurnsOptions) {
    this.#options = options;
    this.#turns = new Budget({ inAll: options.turns, ofOwner: options.ownedTurns });
  }

  /** How many long reads wait. */
  get waiting(): number {
    return this.#long.size;
  }

  /**
   * Throws if too many reads of the user or the company are waiting, no turn comes in time, or the caller stops
   * waiting. Every turn taken must be given back.
   */
  async take(owner?: ReadOwner, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#turns.take(1, owner && longReads)) return;
    await new Promise<void>((resolve, reject) => {
      const { turns, maxWaitMs } = this.#options;
      const leave = (error: unknown) => {
        settle();
        if (owner === undefined) this.#short.delete(waiting);
        else this.#long.remove(waiting, owner.companyId, owner.userId);
        reject(error);
      };
      const leaveEarly = () => leave(signal?.reason);
      const timer = setTimeout(
        () => leave(storeUnavailable(new Error(`${turns} reads were under way for ${maxWaitMs} ms`))),
        maxWaitMs,
      );
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leaveEarly);
      };
      const begin = () => {
        settle();
        resolve();
      };
      const refuse = () => {
        settle();
        reject(tooMany);
      };
      const waiting: WaitingRead = { begin, refuse };
      signal?.addEventListener('abort', leaveEarly, { once: true });
      if (owner === undefined) this.#short.add(waiting);
      else this.#long.add(waiting, owner.companyId, owner.userId)?.refuse();
    });
  }

  give(owner?: ReadOwner): void {
    this.#turns.give(1, owner && longReads);
    const next = this.#next();
    if (next === undefined) return;
    this.#isShortNext = next.isOwned;
    this.#turns.take(1, next.isOwned ? longReads : undefined);
    next.waiting.begin();
  }

  /** Alternates between short and long reads as long as both have turns available. */
  #next(): { readonly isOwned: boolean; readonly waiting: WaitingRead } | undefined {
    const [short] = this.#turns.hasRoomFor(1) ? this.#short : [];
    const hasLong = this.#long.size > 0 && this.#turns.hasRoomFor(1, longReads);
    if (short !== undefined && (this.#isShortNext || !hasLong)) {
      this.#short.delete(short);
      return { isOwned: false, waiting: short };
    }
    const long = hasLong ? this.#long.take() : undefined;
    return long && { isOwned: true, waiting: long };
  }
}
