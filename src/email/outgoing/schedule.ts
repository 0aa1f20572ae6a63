/** When a mail that was not taken is tried again, and when it is not any more. */
import { growingPauseMs } from '../../foundation/growing-pause.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Of one mail that the relay did not take for now, such as by greylisting. The last one again and again. */
const pausesMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);

/** Of a relay that is away: what waits for it is many people's. */
export const longestRelayPauseMs = 5 * minuteMs;
const relayPausesMs = [5_000, 15_000, 30_000, minuteMs, 2 * minuteMs, longestRelayPauseMs];

export const longestPauseMs = 4 * hourMs;

/** What is older, and was not taken, has failed. */
export const giveUpAfterMs = 48 * hourMs;

/** `tries`: that have failed. */
export function mailPauseMs(tries: number, chance: number): number {
  return growingPauseMs(pausesMs, tries, chance);
}

export function relayPauseMs(failures: number, chance: number): number {
  return growingPauseMs(relayPausesMs, failures, chance);
}
