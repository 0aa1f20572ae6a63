/** Pauses a bind when the SMSC throttles it, longer each time in a row (ESME_RTHROTTLED and its like). */

const growth = 1.5;
const maxGrowths = 5;

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
