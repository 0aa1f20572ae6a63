/**
 * Tells whether the time of day can be believed enough to delete by it. A clock that jumped ahead, by a wrong time
 * server say, makes everything look old; the new time counts when it has held for a day. So does one that was far ahead
 * of the store's last believed time from the start.
 */
import type { Clock, Stopwatch } from './clock.ts';

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** Clocks that drift are set by less than this. */
const jumpMs = hourMs;
/** Few servers are out of service for longer, and those lose nothing by waiting. */
const farAheadMs = 7 * dayMs;
const settlesAfterMs = dayMs;

export class SettledClock {
  readonly #clock: Clock;
  readonly #stopwatch: Stopwatch;
  /** The time of day at the stopwatch's zero: what only a jump changes. */
  #base: number;
  /** By the stopwatch: the start, or when the latest jump was noticed. */
  #heldSince: number;
  #jumpedAhead = false;

  constructor(clock: Clock, stopwatch: Stopwatch) {
    this.#clock = clock;
    this.#stopwatch = stopwatch;
    this.#base = this.#baseNow();
    this.#heldSince = stopwatch.elapsed();
  }

  /**
   * To be asked now and then; a jump counts from when it is noticed. `believedAt` is the time of day when it was believed
   * last, by any node and in whichever life; null when it never was.
   */
  isSettled(believedAt: number | null): boolean {
    const base = this.#baseNow();
    const now = this.#stopwatch.elapsed();
    const jumpedMs = base - this.#base;
    if (Math.abs(jumpedMs) > jumpMs) {
      // Set back, it makes nothing look older than it is.
      this.#jumpedAhead = jumpedMs > 0;
      this.#heldSince = now;
      this.#base = base;
    }
    const isFarAhead = believedAt !== null && this.#clock.now() - believedAt > farAheadMs;
    return (!this.#jumpedAhead && !isFarAhead) || now - this.#heldSince >= settlesAfterMs;
  }

  #baseNow(): number {
    return this.#clock.now() - this.#stopwatch.elapsed();
  }
}
