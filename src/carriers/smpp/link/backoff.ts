/** Growing pauses between tries to connect, spread so that many links do not come back in the same moment. */

/** Of the pause, to either side. */
const spread = 0.2;

export class Backoff {
  readonly #leastMs: number;
  readonly #mostMs: number;
  readonly #random: () => number;
  #pauseMs: number;

  constructor(leastMs: number, mostMs: number, random: () => number = Math.random) {
    this.#leastMs = leastMs;
    // An operator who sets only the least pause means it.
    this.#mostMs = Math.max(leastMs, mostMs);
    this.#random = random;
    this.#pauseMs = leastMs;
  }

  /** The next pause, twice the last. */
  next(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(this.#mostMs, pauseMs * 2);
    const spreadMs = pauseMs * (1 - spread + 2 * spread * this.#random());
    return Math.min(this.#mostMs, Math.max(this.#leastMs, spreadMs));
  }

  /** The last try went well. */
  reset(): void {
    this.#pauseMs = this.#leastMs;
  }
}
