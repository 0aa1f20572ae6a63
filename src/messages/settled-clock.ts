/**
 * Tells whether the time of day can be believed enough to delete by it. A clock that jumped ahead, by a wrong time
 * server say, makes everything look old; the new time counts when it has held for a day.
 */
import type { Clock, Stopwatch } from '../foundation/clock.ts';

const hourMs = 60 * 60 * 1_000;
/** Clocks that drift are set by less than this. */
const jumpMs = hourMs;
const settlesAfterMs = 24 * hourMs;

export class SettledClock {
  readonly #clock: Clock;
  readonly #stopwatch: Stopwatch;
  /** The time of day at the stopwatch's zero: what only a jump changes. */
  #base: number;
  #believedFrom = 0;

  constructor(clock: Clock, stopwatch: Stopwatch) {
    this.#clock = clock;
    this.#stopwatch = stopwatch;
    this.#base = this.#baseNow();
    this.#believedFrom = stopwatch.elapsed();
  }

  /** To be asked now and then; a jump counts from when it is noticed. */
  isSettled(): boolean {
    const base = this.#baseNow();
    const now = this.#stopwatch.elapsed();
    const jumpedMs = base - this.#base;
    if (Math.abs(jumpedMs) > jumpMs) {
      // Set back, it makes nothing look older than it is.
      this.#believedFrom = jumpedMs > 0 ? now + settlesAfterMs : now;
      this.#base = base;
    }
    return now >= this.#believedFrom;
  }

  #baseNow(): number {
    return this.#clock.now() - this.#stopwatch.elapsed();
  }
}
