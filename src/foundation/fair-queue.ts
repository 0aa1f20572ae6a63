/**
 * A queue in which owners take turns, and within each owner its members: networks and their addresses, companies and their
 * users. A busy owner or member delays only itself.
 */
import { LinkedMap } from './linked-map.ts';

type Key = number | string;

/** The most items that may wait, or the most of a `Budget` that may be taken. */
export interface FairLimits {
  readonly inAll: number;
  readonly ofOwner: number;
  readonly ofMember: number;
}

interface Owner<Item> {
  readonly key: Key;
  /** The next in turn comes first. */
  readonly members: LinkedMap<Key, Set<Item>>;
  size: number;
}

const unlimited: FairLimits = { inAll: Infinity, ofOwner: Infinity, ofMember: Infinity };

export class FairQueue<Item> {
  readonly #limits: FairLimits;
  /** The next in turn comes first. */
  readonly #owners = new LinkedMap<Key, Owner<Item>>();
  #size = 0;

  constructor(limits: Partial<FairLimits> = {}) {
    this.#limits = { ...unlimited, ...limits };
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the item that had to be dropped for lack of room: this item, or an item of the owner that has the most. */
  add(item: Item, ownerKey: Key, member: Key): Item | undefined {
    const { inAll, ofOwner, ofMember } = this.#limits;
    const known = this.#owners.get(ownerKey);
    const size = known?.size ?? 0;
    if (size >= ofOwner || (known?.members.get(member)?.size ?? 0) >= ofMember) return item;
    let displaced: Item | undefined;
    if (this.#size >= inAll) {
      const [, largest] = largestOf(this.#owners) ?? [];
      if (largest === undefined || largest.size <= size + 1) return item;
      displaced = this.#takeLatest(largest);
    }
    const owner = known ?? { key: ownerKey, members: new LinkedMap(), size: 0 };
    this.#owners.set(ownerKey, owner);
    owner.members.set(member, (owner.members.get(member) ?? new Set()).add(item));
    owner.size += 1;
    this.#size += 1;
    return displaced;
  }

  /** What `take` would return. */
  get next(): Item | undefined {
    const [, owner] = this.#owners.first ?? [];
    const [, items] = owner?.members.first ?? [];
    const [item] = items ?? [];
    return item;
  }

  /** Takes the next item in turn and moves its owner and member to the end. */
  take(): Item | undefined {
    const [, owner] = this.#owners.first ?? [];
    const [member, items] = owner?.members.first ?? [];
    if (owner === undefined || member === undefined || items === undefined) return undefined;
    const [item] = items;
    this.#remove(owner, member, items, item as Item);
    if (items.size > 0) {
      owner.members.delete(member);
      owner.members.set(member, items);
    }
    if (owner.size > 0) {
      this.#owners.delete(owner.key);
      this.#owners.set(owner.key, owner);
    }
    return item;
  }

  /** Removes an item that no longer waits. */
  remove(item: Item, ownerKey: Key, member: Key): void {
    const owner = this.#owners.get(ownerKey);
    const items = owner?.members.get(member);
    if (owner !== undefined && items?.has(item)) this.#remove(owner, member, items, item);
  }

  /** Takes the latest item of the member that has the most. */
  #takeLatest(owner: Owner<Item>): Item | undefined {
    const [member, items] = largestOf(owner.members) ?? [];
    if (member === undefined || items === undefined) return undefined;
    const item = [...items].at(-1) as Item;
    this.#remove(owner, member, items, item);
    return item;
  }

  #remove(owner: Owner<Item>, member: Key, items: Set<Item>, item: Item): void {
    items.delete(item);
    if (items.size === 0) owner.members.delete(member);
    owner.size -= 1;
    if (owner.size === 0) this.#owners.delete(owner.key);
    this.#size -= 1;
  }
}

function largestOf<Sized extends { readonly size: number }>(
  all: LinkedMap<Key, Sized>,
): readonly [Key, Sized] | undefined {
  let largest: readonly [Key, Sized] | undefined;
  for (const entry of all) if (entry[1].size > (largest?.[1].size ?? 0)) largest = entry;
  return largest;
}
