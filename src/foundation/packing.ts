/**
 * Packs sets of like objects for the way to another thread. A structured clone writes and reads every key of every object, and
 * that takes most of its time. Here all values cross in one array, and both sides know the keys.
 */

export type Packed<Item> = { readonly values: readonly unknown[] } | { readonly items: readonly Item[] };

type KeyOf<Item> = Item extends unknown ? keyof Item & string : never;

export class Packing<Item extends object> {
  readonly #keys: readonly string[];
  readonly #unpack: (values: readonly unknown[]) => readonly Item[];

  /** The keys of the usual object, in its order. A set with any other object crosses as it is. */
  constructor(...keys: readonly [KeyOf<Item>, ...KeyOf<Item>[]]) {
    this.#keys = keys;
    // Compiled, because setting keys one by one takes as long as a structured clone. The keys are names in our source.
    const object = keys.map((key, place) => `${key}: values[at + ${place}]`).join();
    this.#unpack = new Function(
      'values',
      `const items = [];
      for (let at = 0; at < values.length; at += ${keys.length}) items.push({ ${object} });
      return items;`,
    ) as (values: readonly unknown[]) => readonly Item[];
  }

  pack(items: readonly Item[]): Packed<Item> {
    // Grown value by value: V8 clones an array made with its length as slowly as an object.
    const values: unknown[] = [];
    for (const item of items) {
      let place = 0;
      for (const key in item) {
        if (key !== this.#keys[place]) return { items };
        values.push(item[key]);
        place += 1;
      }
      if (place !== this.#keys.length) return { items };
    }
    return { values };
  }

  unpack(packed: Packed<Item>): readonly Item[] {
    return 'values' in packed ? this.#unpack(packed.values) : packed.items;
  }
}
