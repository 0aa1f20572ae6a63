/** The pauses of a link, which grow: between attempts to connect, and while the SMSC asks for less. */

/** The jitter, as a share of the pause, to either side. */
const spread = 0.2;

/** Pauses between attempts to connect, with jitter so that many links do not come back at the same moment. */
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

const growth = 1.5;
const maxGrowths = 5;

/** Pauses a bind when the SMSC throttles it, longer each time in a row (ESME_RTHROTTLED and its like). */
export class ThrottleBackoff {
  readonly #minMs: number;
  readonly #over: () => void;
  #inARow = 0;
  #began = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `over` is called at the end of each pause. */
  constructor(minMs: number, over: () => void) {
    this.#minMs = minMs;
    this.#over = over;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * The SMSC throttled a submission that was written then. If that was before the current pause began, it says nothing
   * new and does not make the pause longer.
   */
  begin(writtenAt: number): void {
    if (writtenAt <= this.#began) return;
    this.#began = performance.now();
    const pauseMs = this.#minMs * growth ** Math.min(this.#inARow, maxGrowths);
    this.#inARow += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#over();
    }, pauseMs);
  }

  /** The SMSC accepted a submission that was written then; after the last pause, this ends the series. */
  accepted(writtenAt: number): void {
    if (writtenAt > this.#began) this.#inARow = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
