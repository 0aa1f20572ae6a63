/** Time enters the house here, so that a test can hold the clock in its hand. */

export interface Clock {
  /** Milliseconds since 1970-01-01 00:00:00 UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** For how long something lasts, whatever happens to the time of day meanwhile: it may be set, this never jumps. */
export interface Stopwatch {
  /** Milliseconds since some moment. */
  elapsed(): number;
}

export const systemStopwatch: Stopwatch = { elapsed: () => performance.now() };
