/** Limits a stream of parts to a number per second, with bursts of at most a tenth of a second's worth. */

const burstsPerSecond = 10;

export class PartRate {
  readonly #perSecond: number;
  readonly #onMore: () => void;
  readonly #burst: number;
  #tokens: number;
  #filledAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** 0 parts per second means no limit. `onMore` is called when parts that were held back may go. */
  constructor(perSecond: number, onMore: () => void) {
    this.#perSecond = perSecond;
    this.#onMore = onMore;
    this.#burst = Math.max(1, perSecond / burstsPerSecond);
    this.#tokens = this.#burst;
  }

  /** How many of `wanted` parts may go now. */
  take(wanted: number): number {
    if (this.#perSecond === 0) return wanted;
    const now = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1_000) * this.#perSecond);
    this.#filledAt = now;
    const given = Math.max(0, Math.min(wanted, Math.floor(this.#tokens)));
    this.#tokens -= given;
    if (given < wanted) this.#wait();
    return given;
  }

  /** Gives back parts that were granted and not sent; a negative number takes parts that were sent beyond the grant. */
  giveBack(parts: number): void {
    this.#tokens += parts;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#timer !== undefined) return;
    const untilNextMs = ((1 - this.#tokens) / this.#perSecond) * 1_000;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#onMore();
      },
      Math.max(1, untilNextMs),
    );
  }
}
