/** Makes the random choices. The same seed gives the same sequence, so a test can be repeated. */
import type { Range, Shares } from './behaviour.ts';

export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed;
  }

  /** Returns a whole number from `min` to `max`, both included. */
  within({ min, max }: Range): number {
    return min === max ? min : min + Math.floor(this.#next() * (max - min + 1));
  }

  happens(percent: number): boolean {
    return percent > 0 && this.#next() * 100 < percent;
  }

  /** Returns one of the names with the probability of its share, or undefined for the remainder. */
  oneOf<Name extends string>(shares: Shares<Name>): Name | undefined {
    if (shares.size === 0) return undefined;
    let left = this.#next() * 100;
    for (const [name, percent] of shares) {
      left -= percent;
      if (left < 0) return name;
    }
    return undefined;
  }

  /** Mulberry32 by Tommy Ettinger: 32 bits of state are plenty here. Returns a value from 0 up to, but not including, 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
