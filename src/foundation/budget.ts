/**
 * Bounds how much of something may be taken at a time: in total, by each owner, and by each of an owner's members, such as
 * companies and their users, or strangers and their networks. Anything over a bound is refused; for waiting instead, see
 * `FairQueue`.
 */
import type { FairLimits } from './fair-queue.ts';

type Key = number | string;

interface OwnerShare {
  taken: number;
  /** Holds only members that have taken something. */
  members?: Map<Key, number>;
}

export class Budget {
  readonly #limits: FairLimits;
  /** Holds only owners that have taken something, so that memory is bounded by what is taken. */
  readonly #owners = new Map<Key, OwnerShare>();
  #taken = 0;

  constructor({ inAll = Infinity, ofOwner = Infinity, ofMember = Infinity }: Partial<FairLimits>) {
    this.#limits = { inAll, ofOwner, ofMember };
  }

  taken(owner?: Key, member?: Key): number {
    if (owner === undefined) return this.#taken;
    const share = this.#owners.get(owner);
    return (member === undefined ? share?.taken : share?.members?.get(member)) ?? 0;
  }

  /** Without an owner only the total bound applies; without a member the bound for members does not. */
  hasRoomFor(amount: number, owner?: Key, member?: Key): boolean {
    const { inAll, ofOwner, ofMember } = this.#limits;
    if (this.#taken + amount > inAll) return false;
    if (owner === undefined) return true;
    if (this.taken(owner) + amount > ofOwner) return false;
    return member === undefined || this.taken(owner, member) + amount <= ofMember;
  }

  /** Returns false and takes nothing if there is no room for all of it. */
  take(amount: number, owner?: Key, member?: Key): boolean {
    if (!this.hasRoomFor(amount, owner, member)) return false;
    this.#count(amount, owner, member);
    return true;
  }

  /** Gives back what was taken for this owner and member. Giving it back twice is a bug in the caller. */
  give(amount: number, owner?: Key, member?: Key): void {
    if (amount > this.taken(owner, member)) throw new Error('more of a budget was given back than was taken');
    this.#count(-amount, owner, member);
  }

  /**
   * Takes one unit until the work ends, however it ends. Returns undefined, without starting the work, if there is no room.
   */
  async run<Result>(work: () => Promise<Result>, owner?: Key, member?: Key): Promise<Result | undefined> {
    if (!this.take(1, owner, member)) return undefined;
    try {
      return await work();
    } finally {
      this.give(1, owner, member);
    }
  }

  #count(change: number, owner: Key | undefined, member: Key | undefined): void {
    this.#taken += change;
    if (owner === undefined) return;
    const share: OwnerShare = this.#owners.get(owner) ?? { taken: 0 };
    share.taken += change;
    if (share.taken === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, share);
    if (member === undefined) return;
    share.members ??= new Map();
    const ofMember = (share.members.get(member) ?? 0) + change;
    if (ofMember === 0) share.members.delete(member);
    else share.members.set(member, ofMember);
  }
}
