/** The only sources of time, so that a test can control them: that of day, a stopwatch, and what the two say of each other. */

export interface Clock {
  /** Milliseconds since 1970-01-01 00:00:00 UTC. */
  now(): number;
}

/**
 * The time of day in so many milliseconds, or so long ago. Times are whole milliseconds, as the store keeps them, and what
 * a stopwatch measured has a fraction.
 */
export function timeIn(clock: Clock, ms: number): number {
  return clock.now() + Math.round(ms);
}

export const systemClock: Clock = { now: () => Date.now() };

/** For how long something lasts, whatever happens to the time of day meanwhile: it may be set, this never jumps. */
export interface Stopwatch {
  /** Milliseconds since some moment. */
  elapsed(): number;
}

export const systemStopwatch: Stopwatch = { elapsed: () => performance.now() };

const lookEveryMs = 100;
/** A busy event loop comes later than asked, and has been awake for all of that. */
const maxAtOnceMs = 500;

/** Measures time in which this process was running: while it is suspended or starved, nobody else counts as late. */
class AwakeTime implements Stopwatch {
  #awakeMs = 0;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  elapsed(): number {
    this.#timer ??= this.#start();
    return this.#awakeMs + this.#sinceLook(performance.now());
  }

  #start(): NodeJS.Timeout {
    this.#lookedAt = performance.now();
    return setInterval(() => this.#look(), lookEveryMs).unref();
  }

  #look(): void {
    const now = performance.now();
    this.#awakeMs += this.#sinceLook(now);
    this.#lookedAt = now;
  }

  #sinceLook(now: number): number {
    return Math.min(now - this.#lookedAt, maxAtOnceMs);
  }
}

/** That of this thread. */
export const awakeTime: Stopwatch = new AwakeTime();

/** Smaller corrections add up until they amount to this. */
const leastSetBackMs = 1_000;

/** Notices that the time of day was set back, so that pauses under way can be shortened by as much. */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #stopwatch: Stopwatch;
  /** The time of day at the stopwatch's zero. */
  #base: number;

  constructor(clock: Clock, stopwatch: Stopwatch = systemStopwatch) {
    this.#clock = clock;
    this.#stopwatch = stopwatch;
    this.#base = clock.now() - stopwatch.elapsed();
  }

  /** How far the clock was set back since the last call, in milliseconds; 0: it was not. */
  setBackMs(): number {
    const base = this.#clock.now() - this.#stopwatch.elapsed();
    const backMs = Math.round(this.#base - base);
    if (backMs < leastSetBackMs) {
      this.#base = Math.max(this.#base, base);
      return 0;
    }
    this.#base = base;
    return backMs;
  }
}

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
/** Clocks that drift are set by less than this. */
const jumpMs = hourMs;
/** Few servers are out of service for longer, and those lose nothing by waiting. */
const farAheadMs = 7 * dayMs;
const settlesAfterMs = dayMs;

/**
 * Tells whether the time of day can be believed enough to delete by it. A clock that jumped ahead, by a wrong time
 * server say, makes everything look old; the new time counts when it has held for a day. So does one that was far ahead
 * of the store's last believed time from the start.
 */
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
