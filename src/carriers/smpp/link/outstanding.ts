/**
 * The requests of a connection that have no answer yet, found by sequence number (SMPP 3.4, 2.7.1, 3.2).
 *
 * They stand in a ring by the low bits of their number: thousands come and go each second, and a Map worn out by that
 * keeps what it held alive (see `foundation/slots.ts`). A number whose place is still taken, because an early request
 * has no answer yet, is passed over: numbers must rise and need not be consecutive.
 */

/** SMPP 3.4, 3.2: from 1 to here. */
export const lastSequence = 0x7fffffff;

/** Stands for the time at which a request was written that is not written yet. */
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
    // Twice the room, so that few numbers are passed over.
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

  /** A number for a request that is kept elsewhere. */
  draw(): number {
    const sequence = this.#next;
    this.#next = sequence === lastSequence ? 1 : sequence + 1;
    return sequence;
  }

  /** Answers with the request's number. Never more than `most` at once, else there is no end to the search. */
  add(item: Item): number {
    let sequence = this.draw();
    while (this.#items[sequence & this.#mask] !== undefined) sequence = this.draw();
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

  /** What was asked under this number; undefined: nothing, or it is answered already. */
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

  /** In the order of their numbers, or nearly: the numbers begin anew some time. */
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
