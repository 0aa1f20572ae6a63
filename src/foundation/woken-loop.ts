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
  /** Unless the pass answers with another pause; Infinity: until it is woken. */
  readonly pauseMs: number;
  /** Before the first pass; absent: `pauseMs`. */
  readonly firstMs?: number;
  /** Between two passes, however often it is woken. */
  readonly leastPauseMs?: number;
  /** From a wake to the pass, which deals with all that comes meanwhile; also between two passes. */
  readonly gatherMs?: number;
  /** The pause after a pass that failed, even if it is woken; absent: as after any other. */
  readonly retryMs?: number;
  /** The pause is at least this many times as long as the pass before it. */
  readonly rest?: number;
  /** Gets what a pass threw, unless the loop has been stopped. */
  readonly failed: (error: unknown) => void;
}

/** The signal is aborted when the loop is stopped. */
export type Pass = (signal: AbortSignal) => Promise<NextPass | undefined> | Promise<void> | void;

export interface NextPass {
  /** Until the next pass, in place of the usual pause. */
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

  /** There may be something to do. Cheap, and called often; before the start, it makes the first pass begin at once. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isIdle) this.#endSleep();
  }

  /** Resolves when the pass under way has ended. No other one begins. */
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
    // Without a timer, which would take a millisecond.
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
