/** Schedules later work. A stop runs at once what others are waiting for, and drops the rest. */

export class Timers {
  readonly #waiting = new Map<NodeJS.Timeout, (() => void) | undefined>();
  #isStopped = false;
  /** How many tasks were dropped because of the stop. */
  forgotten = 0;

  /**
   * Runs the work at once if `ms` is 0. On a stop, the work runs only if it is `due`, meaning that somebody is waiting
   * for it.
   */
  after(ms: number, work: () => void, isDue = false): void {
    if (this.#isStopped && !isDue) this.forgotten += 1;
    else if (ms === 0 || this.#isStopped) work();
    else {
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        work();
      }, ms);
      this.#waiting.set(timer, isDue ? work : undefined);
    }
  }

  stop(): void {
    this.#isStopped = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [timer] of waiting) clearTimeout(timer);
    for (const [, due] of waiting) {
      if (due === undefined) this.forgotten += 1;
      else due();
    }
  }
}
