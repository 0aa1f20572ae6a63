/** Growing pauses between attempts to connect, with jitter so that many links do not come back at the same moment. */

/** The jitter, as a share of the pause, to either side. */
const spread = 0.2;

export class Backoff {
  readonly #minMs: number;
  readonly #maxMs: number;
  readonly #random: () => number;
  #pauseMs: number;

  constructor(minMs: number, maxMs: number, random: () => number = Math.random) {
    this.#minMs = minMs;
    // The minimum wins when an operator sets it above the maximum.
    this.#maxMs = Math.max(minMs, maxMs);
    this.#random = random;
    this.#pauseMs = minMs;
  }

  /** The next pause, twice as long as the last. */
  next(): number {
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(this.#maxMs, pauseMs * 2);
    const spreadMs = pauseMs * (1 - spread + 2 * spread * this.#random());
    return Math.min(this.#maxMs, Math.max(this.#minMs, spreadMs));
  }

  /** To be called when an attempt succeeded. */
  reset(): void {
    this.#pauseMs = this.#minMs;
  }
}
