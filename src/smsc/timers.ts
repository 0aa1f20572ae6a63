/** What is to happen later, so that a stop can do at once what others wait for, and forget the rest. */

export class Timers {
  readonly #waiting = new Map<NodeJS.Timeout, (() => void) | undefined>();
  #isStopped = false;
  /** So much was not done, for the stop. */
  forgotten = 0;

  /** At once for 0 ms. At a stop it happens then only if it is `due`: somebody waits for it. */
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
