/** Lets only so many reads at the pool at a time, so that slow ones never hold every connection while writes wait. */

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

export class ReadTurns {
  readonly #size: number;
  readonly #maxWaitMs: number;
  /** In the order of their coming. */
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(size: number, maxWaitMs: number) {
    this.#size = size;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Throws when no turn comes in time. Whoever has had one gives it back. */
  async take(): Promise<void> {
    if (this.#taken < this.#size) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new Error(`${this.#size} reads were under way for ${this.#maxWaitMs} ms`));
      }, this.#maxWaitMs);
      const waiting: Waiting = { begin: resolve, timer };
      this.#waiting.add(waiting);
    });
  }

  /** The turn goes to whoever has waited longest. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.begin();
  }
}
