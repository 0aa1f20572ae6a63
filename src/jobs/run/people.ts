/**
 * The people of a run by index (`place`), in short lists: changing one of 10,000 people copies two hundred references,
 * not all.
 */
import type { Person } from './run.ts';

const listLength = 128;

export class People {
  readonly size: number;
  readonly #lists: readonly (readonly Person[])[];
  /** Phones never change, so all versions share this index; it is built on the first lookup. */
  readonly #phones: { places?: ReadonlyMap<string, number> };

  private constructor(size: number, lists: readonly (readonly Person[])[], phones = {}) {
    this.size = size;
    this.#lists = lists;
    this.#phones = phones;
  }

  static of(people: readonly Person[]): People {
    const lists: (readonly Person[])[] = [];
    for (let at = 0; at < people.length; at += listLength) lists.push(people.slice(at, at + listLength));
    return new People(people.length, lists);
  }

  all(): readonly Person[] {
    return this.#lists.flat();
  }

  at(place: number): Person | undefined {
    return this.#lists[Math.floor(place / listLength)]?.[place % listLength];
  }

  /** The place of the person with this phone. */
  placeOf(phone: string): number | undefined {
    this.#phones.places ??= new Map(
      this.all().flatMap(({ phone: own, place }) => (own === null ? [] : [[own, place] as const])),
    );
    return this.#phones.places.get(phone);
  }

  /** Replaces each changed person by the new version. */
  with(changed: readonly Person[]): People {
    const copies: Person[][] = [];
    for (const person of changed) {
      const at = Math.floor(person.place / listLength);
      const copy = copies[at] ?? (this.#lists[at] ?? []).slice();
      copy[person.place % listLength] = person;
      copies[at] = copy;
    }
    const lists = this.#lists.map((list, at) => copies[at] ?? list);
    return new People(this.size, lists, this.#phones);
  }

  filter(isWanted: (person: Person) => boolean): readonly Person[] {
    return this.#lists.flatMap((list) => list.filter(isWanted));
  }

  some(isWanted: (person: Person) => boolean): boolean {
    return this.#lists.some((list) => list.some(isWanted));
  }
}
