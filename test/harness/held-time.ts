/**
 * Puts time under a test's control: timers and `performance.now()` stand still until the test lets time pass, while sockets,
 * immediates and the time of day continue. Assertions about time then hold on a machine of any speed.
 */
import { vi } from 'vitest';
import { until } from './awake.ts';

export function holdTime(): void {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
}

/** Discards all pending timers. */
export function letTimeGo(): void {
  vi.useRealTimers();
}

/** Lets this much time pass at once; timers that become due fire at their own times. */
export function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

/** Polls until the condition holds, letting a little time pass after each check; data from sockets needs none. */
export async function passUntil(isSo: () => boolean, stepMs = 1): Promise<void> {
  await until(() => {
    if (isSo()) return true;
    pass(stepMs);
    return false;
  });
}

/** Lets time pass until the work has ended. */
export async function passDuring<Result>(work: Promise<Result>, stepMs = 1): Promise<Result> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await passUntil(() => isOver, stepMs);
  return await work;
}
