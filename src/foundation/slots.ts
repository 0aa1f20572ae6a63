/**
 * A set for items that come and go by thousands each second, and that keeps no removed item alive.
 *
 * A `Set` or `Map` would do, but for the garbage collector of V8. When their table is worn out by additions and removals
 * they make a new one, and the old table keeps what it held and points to the new. Once an old table has been moved to
 * the old generation, everything that was under way since follows it there instead of dying young: it is copied twice
 * and waits for a full collection. Without, the process that accepts messages spent a fifth of its time so.
 */
export class Slots<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Returns the slot, a small number that is given again when it is free. */
  add(item: Item): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  at(slot: number): Item | undefined {
    return this.#items[slot];
  }

  /** Returns what was there; undefined when the slot was free. */
  remove(slot: number): Item | undefined {
    const item = this.#items[slot];
    if (item === undefined) return undefined;
    this.#items[slot] = undefined;
    this.#free.push(slot);
    return item;
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}

/** The same for what has a number of its own: the table of numbers holds nothing that could be kept. */
export class NumberedSlots<Item> {
  readonly #slotOf = new Map<number, number>();
  readonly #slots = new Slots<Item>();

  get size(): number {
    return this.#slots.size;
  }

  keys(): Iterable<number> {
    return this.#slotOf.keys();
  }

  get(key: number): Item | undefined {
    const slot = this.#slotOf.get(key);
    return slot === undefined ? undefined : this.#slots.at(slot);
  }

  set(key: number, item: Item): void {
    this.delete(key);
    this.#slotOf.set(key, this.#slots.add(item));
  }

  delete(key: number): void {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) return;
    this.#slots.remove(slot);
    this.#slotOf.delete(key);
  }
}
