/**
 * A set for items that come and go by the thousand each second, which keeps no removed item alive. A `Set` or `Map` would
 * do if it were not for V8's garbage collector. When additions and removals wear out their table they create a new one, and
 * the old table keeps its content and points to the new one. Once an old table has moved to the old generation, everything
 * in flight since then follows it there instead of dying young: it is copied twice and waits for a full collection. Without
 * this class, the process that accepts messages spent a fifth of its time on that.
 */
export class Slots<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Returns the slot, a small number that is reused once it is free. */
  add(item: Item): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  at(slot: number): Item | undefined {
    return this.#items[slot];
  }

  /** Returns the removed item; undefined if the slot was free. */
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

/** The same for items with a number of their own: the table of numbers holds no objects that could be kept alive. */
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
