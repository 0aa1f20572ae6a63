/** Pauses before something is tried again: longer after each failure, and never the same for all who wait. */

/** A part of each pause by which it is longer or shorter. */
const jitter = 0.2;

/** After so many failures in a row; the last pause again and again. `chance`: from 0 to 1. */
export function growingPauseMs(pausesMs: readonly number[], failures: number, chance: number): number {
  const pause = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
  return Math.round(pause * (1 + jitter * (2 * chance - 1)));
}

/** The longest that a pause of so long can become. */
export function withJitter(longestMs: number): number {
  return longestMs * (1 + jitter);
}

/** Also where the clock was put back since: no pause is longer than `longestMs`, give or take. */
export function isDue(at: number, now: number, longestMs: number): boolean {
  return at <= now || at - now > withJitter(longestMs);
}
