/**
 * Work that a server repeats until it is stopped: one pass at a time, the next when a pause is over or when it is woken.
 *
 *   start ──▶ idle ──the pause is over──▶ a pass ──▶ rest ──▶ idle
 *              └──woken──▶ gather ──────────▲          │
 *                                           └──woken meanwhile
 *
 * A pass that throws counts as ended. Pauses are measured from the end of one pass to the start of the next.
 */

export interface WokenLoopOptions {
  /** The pause between passes unless a pass returns another; Infinity waits until woken. */
  readonly pauseMs: number;
  /** The pause before the first pass; if absent, `pauseMs`. */
  readonly firstMs?: number;
  /** The minimum pause between two passes, however often the loop is woken. */
  readonly leastPauseMs?: number;
  /** The delay from a wake to its pass, which handles everything that arrives meanwhile; also applies between two passes. */
  readonly gatherMs?: number;
  /** The pause after a failed pass, even if the loop is woken; if absent, the same as after any other. */
  readonly retryMs?: number;
  /** Makes each pause at least this many times as long as the pass before it. */
  readonly rest?: number;
  /** Receives what a pass threw, unless the loop has been stopped. */
  readonly failed: (error: unknown) => void;
}

/** The signal is aborted when the loop is stopped. */
export type Pass = (signal: AbortSignal) => Promise<NextPass | undefined> | Promise<void> | void;

export interface NextPass {
  /** The pause until the next pass, instead of the usual one. */
  readonly pauseMs: number;
}

export class WokenLoop {
  readonly #options: WokenLoopOptions;
  readonly #pass: Pass;
  readonly #stopping = new AbortController();
  #isWoken = false;
  #isIdle = false;
  #endSleep: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(options: WokenLoopOptions, pass: Pass) {
    this.#options = options;
    this.#pass = pass;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): this {
    this.#running = this.#run();
    return this;
  }

  /**
   * Signals that there may be something to do. Cheap and called often; before the start, it makes the first pass begin at
   * once.
   */
  wake(): void {
    this.#isWoken = true;
    if (this.#isIdle) this.#endSleep();
  }

  /** Resolves when the current pass has ended. No further one begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#endSleep();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { pauseMs, firstMs = pauseMs, retryMs, failed } = this.#options;
    const { leastPauseMs = 0, gatherMs = 0, rest = 0 } = this.#options;
    await this.#idle(firstMs);
    while (!this.signal.aborted) {
      this.#isWoken = false;
      const startedAt = performance.now();
      let nextMs = pauseMs;
      let leastMs = Math.max(leastPauseMs, gatherMs);
      try {
        nextMs = (await this.#pass(this.signal))?.pauseMs ?? pauseMs;
      } catch (error) {
        if (!this.signal.aborted) failed(error);
        if (retryMs !== undefined) nextMs = leastMs = retryMs;
      }
      const restMs = Math.max(leastMs, rest * (performance.now() - startedAt));
      await this.#sleep(restMs);
      await this.#idle(nextMs - restMs);
    }
  }

  async #idle(ms: number): Promise<void> {
    if (this.#isWoken) return;
    this.#isIdle = true;
    await this.#sleep(ms);
    this.#isIdle = false;
    if (this.#isWoken) await this.#sleep(this.#options.gatherMs ?? 0);
  }

  async #sleep(ms: number): Promise<void> {
    // No timer is used, since it would take a millisecond.
    if (ms <= 0 || this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
      this.#endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
