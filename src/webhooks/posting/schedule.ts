/** When what a receiver did not take is posted again, and when it is not any more. */
import { growingPauseMs, isDue as isDueWithin } from '../../foundation/breaker.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The last one again and again. */
const pausesMs = [
  ...[5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs],
  ...[hourMs, 2 * hourMs, 4 * hourMs],
];

/** What is older, and was not taken, is kept as given up. */
export const giveUpAfterMs = 24 * hourMs;
/** An endpoint where nothing but failures came for so long is disabled. */
export const disableAfterMs = 5 * 24 * hourMs;

/** A receiver that asks for more is asked after this. */
const longestAskedMs = 4 * hourMs;

/** After so many failures in a row. `chance`: from 0 to 1; `askedMs`: what the receiver asked for. */
export function pauseMs(failures: number, chance: number, askedMs = 0): number {
  return Math.max(growingPauseMs(pausesMs, failures, chance), Math.min(askedMs, longestAskedMs));
}

export function isDue(at: number, now: number): boolean {
  return isDueWithin(at, now, longestAskedMs);
}

/** RFC 9110, section 10.2.3: seconds, or a date. Undefined: neither. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.length > 100) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * secondMs;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
