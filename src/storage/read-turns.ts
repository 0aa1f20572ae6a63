/**
 * Limits the concurrent reads of the store. Long reads have owners, who share a part of the turns and take them one after
 * the other: a short read always finds a turn, and no company waits for more than one page of each other company, however
 * many users it has. Within a company the same holds for its users.
 */
import { ServiceError } from '../foundation/errors.ts';
import { LinkedMap } from '../foundation/linked-map.ts';
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

interface WaitingRead {
  readonly begin: () => void;
}

const tooMany = new ServiceError(
  'overloaded',
  `Too many long reads of yours wait already (${maxWaitingOfUser}). Wait for some of them to be answered.`,
);

export class ReadTurns {
  readonly #options: ReadTurnsOptions;
  readonly #short = new Set<WaitingRead>();
  /** Of each company that waits, its users who do; whose turn is next stands first. */
  readonly #long = new LinkedMap<number, LinkedMap<number, Set<WaitingRead>>>();
  #isShortNext = true;
  #taken = 0;
  #takenByOwners = 0;

  constructor(options: ReadTurnsOptions) {
    this.#options = options;
  }

  /** Throws when too many of the user's wait, no turn comes in time, or nobody waits for it any more. Whoever has had one gives it back. */
  async take(owner?: ReadOwner, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isFree(owner !== undefined)) {
      this.#count(owner !== undefined, 1);
      return;
    }
    if (owner !== undefined && this.#waitingOf(owner) >= maxWaitingOfUser) throw tooMany;
    await new Promise<void>((resolve, reject) => {
      const { turns, maxWaitMs } = this.#options;
      const leave = (error: unknown) => {
        settle();
        this.#remove(owner, waiting);
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
      this.#add(owner, waiting);
    });
  }

  give(owner?: ReadOwner): void {
    this.#count(owner !== undefined, -1);
    const next = this.#next();
    if (next === undefined) return;
    const isOwned = next.owner !== undefined;
    this.#isShortNext = isOwned;
    this.#remove(next.owner, next.waiting);
    if (next.owner !== undefined) this.#putLast(next.owner);
    this.#count(isOwned, 1);
    next.waiting.begin();
  }

  /** Short reads and long ones by turns, as far as there are turns for both. */
  #next(): { readonly owner?: ReadOwner; readonly waiting: WaitingRead } | undefined {
    const [short] = this.#isFree(false) ? this.#short : [];
    const long = this.#isFree(true) ? this.#firstLong() : undefined;
    if (short !== undefined && (this.#isShortNext || long === undefined)) return { waiting: short };
    return long;
  }

  #firstLong(): { readonly owner: ReadOwner; readonly waiting: WaitingRead } | undefined {
    const [companyId, users] = this.#long.first ?? [];
    const [userId, reads] = users?.first ?? [];
    if (companyId === undefined || userId === undefined || reads === undefined) return undefined;
    const [waiting] = reads;
    return { owner: { companyId, userId }, waiting: waiting as WaitingRead };
  }

  #isFree(isOwned: boolean): boolean {
    if (this.#taken >= this.#options.turns) return false;
    return !isOwned || this.#takenByOwners < this.#options.ownedTurns;
  }

  #count(isOwned: boolean, change: 1 | -1): void {
    this.#taken += change;
    if (isOwned) this.#takenByOwners += change;
  }

  #waitingOf({ companyId, userId }: ReadOwner): number {
    return this.#long.get(companyId)?.get(userId)?.size ?? 0;
  }

  #add(owner: ReadOwner | undefined, waiting: WaitingRead): void {
    if (owner === undefined) {
      this.#short.add(waiting);
      return;
    }
    const users = this.#long.get(owner.companyId) ?? new LinkedMap<number, Set<WaitingRead>>();
    this.#long.set(owner.companyId, users);
    const reads = users.get(owner.userId) ?? new Set();
    users.set(owner.userId, reads.add(waiting));
  }

  #remove(owner: ReadOwner | undefined, waiting: WaitingRead): void {
    if (owner === undefined) {
      this.#short.delete(waiting);
      return;
    }
    const users = this.#long.get(owner.companyId);
    const reads = users?.get(owner.userId);
    reads?.delete(waiting);
    if (reads?.size === 0) users?.delete(owner.userId);
    if (users?.size === 0) this.#long.delete(owner.companyId);
  }

  /** The user goes behind the others of the company, and the company behind the others. */
  #putLast({ companyId, userId }: ReadOwner): void {
    const users = this.#long.get(companyId);
    if (users === undefined) return;
    const reads = users.get(userId);
    if (reads !== undefined) {
      users.delete(userId);
      users.set(userId, reads);
    }
    this.#long.delete(companyId);
    this.#long.set(companyId, users);
  }
}
