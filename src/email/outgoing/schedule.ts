/** When a mail that was not taken is tried again, and when it is not any more. */
import { growingPauseMs } from '../../foundation/breaker.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Of one mail that the relay did not take for now, such as by greylisting. The last one again and again. */
const pausesMs = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * minuteMs);

/** Of a relay that is away, which one connection asks: every five seconds for two minutes, since most are back by then. */
export const longestRelayPauseMs = 30 * secondMs;
const relayPausesMs = [
  ...[secondMs, 2 * secondMs, ...Array.from({ length: 24 }, () => 5 * secondMs)],
  ...[10 * secondMs, 20 * secondMs, longestRelayPauseMs],
];

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
