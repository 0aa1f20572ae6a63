/**
 * Compares the cost of the worst input with that of a usual one in the same run, so a slow or busy machine affects both alike.
 * For bounded work, which does not grow with its input (for other work, see `linear-time.ts`).
 */
import { expect } from 'vitest';
import { processorMs, turnsDuring } from './linear-time.ts';

/** How often the minimum of both is measured again before the work is declared too expensive. */
const attempts = 5;

export class UsualWork {
  readonly #work: () => unknown;
  #leastMs = Number.POSITIVE_INFINITY;

  constructor(work: () => unknown) {
    this.#work = work;
  }

  /** Fails if `work` takes more than this many times the usual processor time. */
  expectAtMost(times: number, work: () => unknown): Promise<void> {
    return this.#compare(times, () => processorMs(work));
  }

  /** The same for its longest range without a turn for other work. */
  expectTurnsOf(times: number, work: () => Promise<unknown>): Promise<void> {
    return this.#compare(times, async () => (await turnsDuring(work)).longestMs);
  }

  async #compare(times: number, measureMs: () => Promise<number>): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      // Measured once for all comparisons, and again whenever one looks too expensive.
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
