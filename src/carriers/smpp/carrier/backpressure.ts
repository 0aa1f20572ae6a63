/**
 * Lets the SMSC feel how quickly its deliveries are stored: while many wait for that, nothing more is read, so that the
 * next ones wait at the SMSC. On a transceiver answers to submissions lie in the same stream, and so fewer go out.
 *
 * A store that takes nothing is another matter, since the link would seem dead before long: then reading goes on, and
 * what comes is refused for now.
 */

/** Whoever brings deliveries. */
export interface Source {
  hold(): void;
  release(): void;
}

/** Without a delivery stored for so long, the store takes nothing. SMSCs wait longer than this for an answer. */
const standstillMs = 5_000;

export class Brake {
  readonly #most: number;
  readonly #held = new Set<Source>();
  #timer: NodeJS.Timeout | undefined;
  #hasMoved = false;
  #standsStill = false;

  /** Deliveries that may be open; what is read at once comes on top. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether one more may be taken beside those open. */
  admits(source: Source, open: number): boolean {
    if (open < this.#most) return true;
    if (this.#standsStill) return false;
    if (!this.#held.has(source)) this.#hold(source);
    return true;
  }

  /** One was stored, or could not be: so many are left. */
  answered(isStored: boolean, open: number): void {
    if (isStored) {
      this.#hasMoved = true;
      this.#standsStill = false;
    }
    if (this.#held.size > 0 && open <= this.#most / 2) this.release();
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#held) source.release();
    this.#held.clear();
  }

  #hold(source: Source): void {
    source.hold();
    this.#held.add(source);
    if (this.#held.size === 1) this.#watch();
  }

  #watch(): void {
    this.#hasMoved = false;
    // What this thread was told while it was held up itself is read before it is judged.
    this.#timer = setTimeout(() => setImmediate(() => this.#judge()), standstillMs);
  }

  #judge(): void {
    if (this.#held.size === 0) return;
    if (this.#hasMoved) {
      this.#watch();
      return;
    }
    this.#standsStill = true;
    this.release();
  }
}
