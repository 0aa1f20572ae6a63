/** Measures time in which this process was running: while it is suspended or starved, nobody else counts as late. */
import type { Stopwatch } from './clock.ts';

const lookEveryMs = 100;
/** A busy event loop comes later than asked, and has been awake for all of that. */
const maxAtOnceMs = 500;

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
    return Math.min(now - this.#lookedAt, maxAtOnceMs);
  }
}

/** Of this thread. */
export const awakeTime: Stopwatch = new AwakeTime();
