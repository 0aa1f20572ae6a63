/** Lets only so many through at once; the others wait in the order in which they came, but not for ever. */

export class Turnstile {
  #free: number;
  readonly #patienceMs: number;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();

  constructor(places: number, patienceMs: number) {
    this.#free = places;
    this.#patienceMs = patienceMs;
  }

  /** False: none left in time. Whoever has entered must leave. */
  enter(): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        resolve(false);
      }, this.#patienceMs);
      this.#waiting.add(enter);
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
