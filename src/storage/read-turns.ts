/**
 * Limits the concurrent reads of the store. Long reads have owners, who share a part of the turns and take them one after
 * the other: a short read always finds a turn, and no owner waits for more than one page of each other owner.
 */
import { ServiceError } from '../foundation/errors.ts';
import { storeUnavailable } from './store.ts';

export interface ReadTurnsOptions {
  readonly turns: number;
  /** Of these, so many at most are had by reads that have an owner. */
  readonly ownedTurns: number;
  readonly maxWaitMs: number;
}

/** Reads of one owner that may wait: more than users need who wait for their answers, and few for who does not. */
const maxWaitingOfOwner = 64;

/** The owner of a long read; undefined for short ones. */
export type ReadOwner = number | undefined;

interface WaitingRead {
  readonly owner: ReadOwner;
  readonly begin: () => void;
}

const tooMany = new ServiceError(
  'overloaded',
  `Too many long reads of yours wait already (${maxWaitingOfOwner}). Wait for some of them to be answered.`,
);

export class ReadTurns {
  readonly #options: ReadTurnsOptions;
  /** Of each owner in the order of their coming; the owner whose turn is next stands first. */
  readonly #waiting = new Map<ReadOwner, Set<WaitingRead>>();
  #taken = 0;
  #takenByOwners = 0;

  constructor(options: ReadTurnsOptions) {
    this.#options = options;
  }

  /** Throws when too many of the owner's wait, no turn comes in time, or nobody waits for it any more. Whoever has had one gives it back. */
  async take(owner?: ReadOwner, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isFree(owner)) {
      this.#count(owner, 1);
      return;
    }
    if (owner !== undefined && (this.#waiting.get(owner)?.size ?? 0) >= maxWaitingOfOwner) throw tooMany;
    await new Promise<void>((resolve, reject) => {
      const { turns, maxWaitMs } = this.#options;
      const leave = (error: unknown) => {
        settle();
        this.#remove(waiting);
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
      const waiting: WaitingRead = { owner, begin };
      signal?.addEventListener('abort', leaveEarly, { once: true });
      this.#add(waiting);
    });
  }

  give(owner?: ReadOwner): void {
    this.#count(owner, -1);
    for (const [next, queue] of this.#waiting) {
      if (!this.#isFree(next)) continue;
      const [first] = queue as Set<WaitingRead>;
      this.#remove(first as WaitingRead);
      this.#putLast(next);
      this.#count(next, 1);
      (first as WaitingRead).begin();
      return;
    }
  }

  #isFree(owner: ReadOwner): boolean {
    if (this.#taken >= this.#options.turns) return false;
    return owner === undefined || this.#takenByOwners < this.#options.ownedTurns;
  }

  #count(owner: ReadOwner, change: 1 | -1): void {
    this.#taken += change;
    if (owner !== undefined) this.#takenByOwners += change;
  }

  #add(waiting: WaitingRead): void {
    const queue = this.#waiting.get(waiting.owner);
    if (queue === undefined) this.#waiting.set(waiting.owner, new Set([waiting]));
    else queue.add(waiting);
  }

  #remove(waiting: WaitingRead): void {
    const queue = this.#waiting.get(waiting.owner);
    queue?.delete(waiting);
    if (queue?.size === 0) this.#waiting.delete(waiting.owner);
  }

  #putLast(owner: ReadOwner): void {
    const queue = this.#waiting.get(owner);
    if (queue === undefined) return;
    this.#waiting.delete(owner);
    this.#waiting.set(owner, queue);
  }
}
