/**
 * Limits the concurrent reads of the store. Long reads have owners, who share a part of the turns and take them one after
 * the other: a short read always finds a turn, and no company waits for more than one page of each other company, however
 * many users it has. Within a company the same holds for its users.
 */
import { Budget } from '../foundation/budget.ts';
import { ServiceError } from '../foundation/errors.ts';
import { FairQueue } from '../foundation/fair-queue.ts';
import { storeUnavailable } from './store.ts';
import type { ReadOwner } from './verb.ts';

export interface ReadTurnsOptions {
  readonly turns: number;
  /** Of these, so many at most are had by reads that have an owner. */
  readonly ownedTurns: number;
  readonly maxWaitMs: number;
}

/** Reads of one user that may wait: more than users need who wait for their answers, and few for who does not. */
const maxWaitingOfUser = 64;

/** In the budget of turns, the owner of all reads that have one. */
const longReads = 'long';

interface WaitingRead {
  readonly begin: () => void;
}

const tooMany = new ServiceError(
  'overloaded',
  `Too many long reads of yours wait already (${maxWaitingOfUser}). Wait for some of them to be answered.`,
);

export class ReadTurns {
  readonly #options: ReadTurnsOptions;
  readonly #turns: Budget;
  readonly #short = new Set<WaitingRead>();
  readonly #long = new FairQueue<WaitingRead>({ ofMember: maxWaitingOfUser });
  #isShortNext = true;

  constructor(options: ReadTurnsOptions) {
    this.#options = options;
    this.#turns = new Budget({ inAll: options.turns, ofOwner: options.ownedTurns });
  }

  /** Throws when too many of the user's wait, no turn comes in time, or nobody waits for it any more. Whoever has had one gives it back. */
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
      const waiting: WaitingRead = { begin };
      signal?.addEventListener('abort', leaveEarly, { once: true });
      if (owner === undefined) this.#short.add(waiting);
      else if (this.#long.add(waiting, owner.companyId, owner.userId) !== undefined) leave(tooMany);
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

  /** Short reads and long ones by turns, as far as there are turns for both. */
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
