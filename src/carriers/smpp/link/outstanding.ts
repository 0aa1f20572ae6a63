/**
 * The requests of a connection that have no answer yet, found by sequence number (SMPP 3.4, 2.7.1, 3.2).
 *
 * They are kept in a ring by the low bits of their number: thousands come and go each second, and a Map that changes that
 * often keeps what it held alive (see `foundation/slots.ts`). A number whose place is still taken by an older request
 * without an answer is skipped: numbers must rise and need not be consecutive.
 */

/** Sequence numbers go from 1 to this (SMPP 3.4, 3.2). */
export const lastSequence = 0x7fffffff;

/** The `writtenAt` of a request that is not written yet. */
export const unwritten = Number.POSITIVE_INFINITY;

export interface Unanswered<Item> {
  readonly sequence: number;
  readonly item: Item;
  /** By `performance.now()`, or `unwritten`. */
  readonly writtenAt: number;
}

export class Outstanding<Item> {
  readonly #mask: number;
  readonly #items: (Item | undefined)[];
  readonly #sequences: Int32Array;
  /** By `performance.now()`. */
  readonly #writtenAt: Float64Array;
  #size = 0;
  #next: number;

  constructor(most: number, firstSequence = 1) {
    // Twice the room, so that few numbers are skipped.
    const places = 2 ** Math.ceil(Math.log2(most * 2 + 2));
    this.#mask = places - 1;
    this.#items = new Array(places).fill(undefined);
    this.#sequences = new Int32Array(places);
    this.#writtenAt = new Float64Array(places);
    this.#next = firstSequence;
  }

  get size(): number {
    return this.#size;
  }

  /** The next number, for a request that is kept elsewhere. */
  nextSequence(): number {
    const sequence = this.#next;
    this.#next = sequence === lastSequence ? 1 : sequence + 1;
    return sequence;
  }

  /** Returns the request's number. With more than `max` at once, the search for a place would not end. */
  add(item: Item): number {
    let sequence = this.nextSequence();
    while (this.#items[sequence & this.#mask] !== undefined) sequence = this.nextSequence();
    const place = sequence & this.#mask;
    this.#items[place] = item;
    this.#sequences[place] = sequence;
    this.#writtenAt[place] = unwritten;
    this.#size += 1;
    return sequence;
  }

  written(sequence: number, now: number): void {
    this.#writtenAt[sequence & this.#mask] = now;
  }

  writtenAt(sequence: number): number {
    return this.#writtenAt[sequence & this.#mask] as number;
  }

  /** The request with this number; undefined when there is none, or it was answered already. */
  take(sequence: number): Item | undefined {
    const place = sequence & this.#mask;
    const item = this.#items[place];
    if (item === undefined || this.#sequences[place] !== sequence) return undefined;
    this.#items[place] = undefined;
    this.#size -= 1;
    return item;
  }

  /** Takes those written before then. */
  takeOlder(then: number): readonly Unanswered<Item>[] {
    return this.#takeWhere((place) => (this.#writtenAt[place] as number) < then);
  }

  /** Takes those that were never written. */
  takeUnwritten(): readonly Unanswered<Item>[] {
    return this.#takeWhere((place) => this.#writtenAt[place] === unwritten);
  }

  takeAll(): readonly Unanswered<Item>[] {
    return this.#takeWhere(() => true);
  }

  /** In the order of their numbers, except where the numbers wrap around. */
  #takeWhere(isMeant: (place: number) => boolean): readonly Unanswered<Item>[] {
    if (this.#size === 0) return [];
    const taken: Unanswered<Item>[] = [];
    for (let place = 0; place <= this.#mask; place++) {
      if (this.#items[place] === undefined || !isMeant(place)) continue;
      const sequence = this.#sequences[place] as number;
      const writtenAt = this.#writtenAt[place] as number;
      taken.push({ sequence, item: this.take(sequence) as Item, writtenAt });
    }
    return taken.sort((a, b) => a.sequence - b.sequence);
  }
}
