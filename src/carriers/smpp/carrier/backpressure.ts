/**
 * Slows the SMSC down to the speed at which its deliveries are stored: while many wait for that, nothing more is read, so
 * the next ones wait at the SMSC. On a transceiver, answers to submissions share the stream, so fewer submissions go out.
 *
 * When the store takes nothing at all, the link would soon seem dead: then reading goes on, and deliveries are refused
 * with a temporary error.
 */

/** A connection that brings deliveries. */
export interface DeliverySource {
  hold(): void;
  release(): void;
}

/** The store counts as stalled when it has stored no delivery for so long. SMSCs wait longer than this for an answer. */
const storeStallMs = 5_000;

export class Backpressure {
  readonly #most: number;
  readonly #held = new Set<DeliverySource>();
  #timer: NodeJS.Timeout | undefined;
  #hasMoved = false;
  #isStoreStalled = false;

  /** How many deliveries may be open; those that were read together with the last of them come on top. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether one more delivery may be taken besides those open. */
  admits(source: DeliverySource, open: number): boolean {
    if (open < this.#most) return true;
    if (this.#isStoreStalled) return false;
    if (!this.#held.has(source)) this.#hold(source);
    return true;
  }

  /** A delivery was stored, or could not be, which leaves `open`. */
  answered(isStored: boolean, open: number): void {
    if (isStored) {
      this.#hasMoved = true;
      this.#isStoreStalled = false;
    }
    if (this.#held.size > 0 && open <= this.#most / 2) this.release();
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#held) source.release();
    this.#held.clear();
  }

  #hold(source: DeliverySource): void {
    source.hold();
    this.#held.add(source);
    if (this.#held.size === 1) this.#watch();
  }

  #watch(): void {
    this.#hasMoved = false;
    // When this thread itself was blocked, it first reads what has come in, and judges then.
    this.#timer = setTimeout(() => setImmediate(() => this.#judge()), storeStallMs);
  }

  #judge(): void {
    if (this.#held.size === 0) return;
    if (this.#hasMoved) {
      this.#watch();
      return;
    }
    this.#isStoreStalled = true;
    this.release();
  }
}
