/** A bind rests when the SMSC asks for less, the longer the more often it asks in a row (field of ESME_RTHROTTLED). */

const growth = 1.5;
const mostGrowths = 5;

export class Rest {
  readonly #leastMs: number;
  readonly #over: () => void;
  #inARow = 0;
  #began = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `over` is called at the end of each rest. */
  constructor(leastMs: number, over: () => void) {
    this.#leastMs = leastMs;
    this.#over = over;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * The SMSC refused what was written then. Whatever was under way when the rest began tells nothing new: it does not
   * make the rest longer.
   */
  begin(writtenAt: number): void {
    if (writtenAt <= this.#began) return;
    this.#began = performance.now();
    const pauseMs = this.#leastMs * growth ** Math.min(this.#inARow, mostGrowths);
    this.#inARow += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#over();
    }, pauseMs);
  }

  /** The SMSC took something that was written after the last rest. */
  accepted(writtenAt: number): void {
    if (writtenAt > this.#began) this.#inARow = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
