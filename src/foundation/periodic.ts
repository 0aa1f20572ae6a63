/** Work that a server does again and again: never twice at once, also after it has failed, until it is stopped. */

export interface PeriodicOptions {
  /** From the end of one time to the begin of the next. */
  readonly pauseMs: number;
  /** Before the first time; absent: as before any other. */
  readonly firstMs?: number;
  /** The pause is at least so many times as long as the work before it; absent: however long that was. */
  readonly rest?: number;
  /** What the work threw; of no use any more once it is stopped. */
  readonly failed: (error: unknown) => void;
}

export class Periodic {
  readonly #work: () => Promise<void> | void;
  readonly #options: PeriodicOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: PeriodicOptions, work: () => Promise<void> | void) {
    this.#options = options;
    this.#work = work;
  }

  start(): this {
    this.#wait(this.#options.firstMs ?? this.#options.pauseMs);
    return this;
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wait(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, ms);
  }

  async #run(): Promise<void> {
    const { pauseMs, rest = 0, failed } = this.#options;
    const startedAt = performance.now();
    try {
      await this.#work();
    } catch (error) {
      if (!this.#isStopped) failed(error);
    }
    this.#wait(Math.max(pauseMs, rest * (performance.now() - startedAt)));
  }
}
