/** The only source of the time of day, so that a test can control it. */

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
