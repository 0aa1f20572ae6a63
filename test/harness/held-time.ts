/**
 * Time in the hand of a test: timers and `performance.now()` stand still until the test lets time pass, while sockets,
 * immediates and the time of day go their way. What a test then says of time holds on a machine of any speed.
 */
import { vi } from 'vitest';
import { until } from './awake.ts';

export function holdTime(): void {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
}

/** What was still to come is forgotten. */
export function letTimeGo(): void {
  vi.useRealTimers();
}

/** Lets so much time pass at once: what becomes due meanwhile happens, each in its time. */
export function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

/** Looks until it is so, and lets some time pass after each look: what comes over sockets needs none of it. */
export async function passUntil(isSo: () => boolean, stepMs = 1): Promise<void> {
  await until(() => {
    if (isSo()) return true;
    pass(stepMs);
    return false;
  });
}

/** Lets time pass until this has ended. */
export async function passDuring<Result>(work: Promise<Result>, stepMs = 1): Promise<Result> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await passUntil(() => isOver, stepMs);
  return await work;
}
