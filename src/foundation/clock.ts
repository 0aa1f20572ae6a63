/** Time enters the house here, so that a test can hold the clock in its hand. */

export interface Clock {
  /** Milliseconds since 1970-01-01 00:00:00 UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
