/** The growing pauses of a carrier: between attempts to connect, and while it asks for less traffic. */

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

  /** Call this when an attempt succeeds. */
  reset(): void {
    this.#pauseMs = this.#minMs;
  }
}

const growth = 1.5;
const maxGrowths = 5;

/** Pauses submissions when the carrier throttles us, longer each time in a row (ESME_RTHROTTLED, HTTP 429 and similar). */
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
   * Handles throttling of a submission that was written at `writtenAt`. If that was before the current pause began, it is
   * nothing new and does not lengthen the pause. The pause is at least as long as the carrier asked for.
   */
  begin(writtenAt: number, askedMs = 0): void {
    if (writtenAt <= this.#began) return;
    this.#began = performance.now();
    const pauseMs = Math.max(askedMs, this.#minMs * growth ** Math.min(this.#inARow, maxGrowths));
    this.#inARow += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#over();
    }, pauseMs);
  }

  /**
   * Handles acceptance of a submission that was written at `writtenAt`; if that was after the last pause, the series ends.
   */
  accepted(writtenAt: number): void {
    if (writtenAt > this.#began) this.#inARow = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
