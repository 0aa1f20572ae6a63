/**
 * The only sources of time, so that tests can control them: the time of day, a stopwatch, and checks of one against the
 * other.
 */

export interface Clock {
  /** Milliseconds since 1970-01-01 00:00:00 UTC. */
  now(): number;
}

/**
 * The time of day this many milliseconds from now, or in the past if negative. Times are whole milliseconds, as in the store,
 * while stopwatch readings have fractions.
 */
export function timeIn(clock: Clock, ms: number): number {
  return clock.now() + Math.round(ms);
}

export const systemClock: Clock = { now: () => Date.now() };

/** Measures durations independently of the time of day: the clock may be set, but this never jumps. */
export interface Stopwatch {
  /** Milliseconds since an arbitrary moment. */
  elapsed(): number;
}

export const systemStopwatch: Stopwatch = { elapsed: () => performance.now() };

const lookEveryMs = 100;
/** A busy event loop fires the timer late although the process was awake throughout, so gaps count up to this length. */
const maxGapMs = 500;

/** Measures the time in which this process was running: while it is suspended or starved, nobody else counts as late. */
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
    return Math.min(now - this.#lookedAt, maxGapMs);
  }
}

/** The instance of this thread. */
export const awakeTime: Stopwatch = new AwakeTime();

/** Smaller corrections accumulate until they reach this. */
const leastSetBackMs = 1_000;

/** Detects that the time of day was set back, so that current pauses can be shortened by as much. */
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

  /** How far the clock was set back since the last call, in milliseconds; 0 if it was not. */
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
/** Corrections of clock drift are smaller than this. */
const jumpMs = hourMs;
/** Few servers are out of service for longer, and those lose nothing by waiting. */
const farAheadMs = 7 * dayMs;
const settlesAfterMs = dayMs;

/**
 * Decides whether the time of day can be trusted enough to delete by it. A clock that jumped ahead, for example because of
 * a wrong time server, makes everything look old; the new time counts once it has held for a day. The same applies to a
 * clock that is, from the start, far ahead of the store's last believed time.
 */
export class SettledClock {
  readonly #clock: Clock;
  readonly #stopwatch: Stopwatch;
  /** The time of day at the stopwatch's zero, which only a jump changes. */
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
   * Call this regularly; a jump counts from when it is noticed. `believedAt` is when the time of day was last believed, by
   * any node and in any run; null if never.
   */
  isSettled(believedAt: number | null): boolean {
    const base = this.#baseNow();
    const now = this.#stopwatch.elapsed();
    const jumpedMs = base - this.#base;
    if (Math.abs(jumpedMs) > jumpMs) {
      // A clock set back makes nothing look older than it is.
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
