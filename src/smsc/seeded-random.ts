/** Draws what is left to chance; from the same seed the same follows, so that a test can be repeated. */
import type { Range, Shares } from './behaviour.ts';

export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed;
  }

  /** From `min` to `max`. */
  within({ min, max }: Range): number {
    return min === max ? min : min + Math.floor(this.#next() * (max - min + 1));
  }

  happens(percent: number): boolean {
    return percent > 0 && this.#next() * 100 < percent;
  }

  /** One of the names, each as often as its share says; undefined for the rest. */
  oneOf<Name extends string>(shares: Shares<Name>): Name | undefined {
    if (shares.size === 0) return undefined;
    let left = this.#next() * 100;
    for (const [name, percent] of shares) {
      left -= percent;
      if (left < 0) return name;
    }
    return undefined;
  }

  /** Mulberry32, of Tommy Ettinger: 32 bits of state are plenty here. From 0 to below 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
