/**
 * Finds the numbers that a batch has more than once, so that only their texts need be compared: most batches have none,
 * and half a million numbers take four megabytes.
 */

const blockNumbers = 16_384;

export class RepeatedNumbers {
  readonly #most: number;
  readonly #blocks: Float64Array[] = [];
  #count = 0;

  /** Of longer lists nobody will ask. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Of at most 15 digits, none of which leads with 0: as a number it is the same. */
  add(number: string): void {
    if (this.#count === this.#most) return;
    const at = this.#count % blockNumbers;
    if (at === 0) this.#blocks.push(new Float64Array(blockNumbers));
    const block = this.#blocks.at(-1) as Float64Array;
    block[at] = Number(number);
    this.#count += 1;
  }

  repeated(): ReadonlySet<number> {
    const all = new Float64Array(this.#count);
    for (const [index, block] of this.#blocks.entries()) {
      const from = index * blockNumbers;
      all.set(block.subarray(0, Math.min(blockNumbers, this.#count - from)), from);
    }
    all.sort();
    const repeated = new Set<number>();
    for (let at = 1; at < all.length; at += 1) {
      if (all[at] === all[at - 1]) repeated.add(all[at] as number);
    }
    return repeated;
  }
}
