/**
 * What crosses between threads goes together: to wake a thread takes as long as to handle a dozen parts. After a rest it
 * goes in the same turn of the event loop, otherwise once in so many milliseconds.
 */

const everyMs = 2;

export class Gathering {
  readonly #cross: () => void;
  #crossedAt = Number.NEGATIVE_INFINITY;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(cross: () => void) {
    this.#cross = cross;
  }

  /** There is something to cross. */
  add(): void {
    if (this.#immediate !== undefined || this.#timer !== undefined) return;
    const sinceMs = performance.now() - this.#crossedAt;
    if (sinceMs >= everyMs) this.#immediate = setImmediate(() => this.flush());
    else this.#timer = setTimeout(() => this.flush(), everyMs - sinceMs);
  }

  /** Whatever there is crosses now. */
  flush(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    this.#crossedAt = performance.now();
    this.#cross();
  }
}
