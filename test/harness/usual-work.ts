/**
 * What the worst input costs, against a usual one in the same run: a slow or busy machine slows both down alike. For work
 * that is bounded, which a larger input does not make larger (for that, see `linear-time.ts`).
 */
import { expect } from 'vitest';
import { processorMs, turnsDuring } from './linear-time.ts';

/** How often the least time of both is taken anew before the work is called too dear. */
const attempts = 5;

export class UsualWork {
  readonly #work: () => unknown;
  #leastMs = Number.POSITIVE_INFINITY;

  constructor(work: () => unknown) {
    this.#work = work;
  }

  /** Fails where `work` takes more than so many times the processor time of what is usual. */
  expectAtMost(times: number, work: () => unknown): Promise<void> {
    return this.#compare(times, () => processorMs(work));
  }

  /** The same for its longest stretch in which nobody else has a turn. */
  expectTurnsOf(times: number, work: () => Promise<unknown>): Promise<void> {
    return this.#compare(times, async () => (await turnsDuring(work)).longestMs);
  }

  async #compare(times: number, measureMs: () => Promise<number>): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      // Once for all that is compared with it, and anew where that looks too dear.
      if (attempt > 1 || this.#leastMs === Number.POSITIVE_INFINITY)
        this.#leastMs = Math.min(this.#leastMs, await processorMs(this.#work));
      least = Math.min(least, await measureMs());
      if (least < times * this.#leastMs) return;
    }
    expect.fail(
      `${least.toFixed(1)} ms are ${(least / this.#leastMs).toFixed(1)} times what the usual takes: more than ${times}`,
    );
  }
}
