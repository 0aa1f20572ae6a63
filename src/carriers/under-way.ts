/** Counts pending items, so that a stop can wait until there are none. */

export class UnderWay {
  #count = 0;
  #idle: (() => void) | undefined;

  get count(): number {
    return this.#count;
  }

  /** A negative number counts items that have ended. */
  add(more: number): void {
    this.#count += more;
    if (this.#count === 0) this.#idle?.();
  }

  /** Resolves when nothing is pending, or at the deadline. */
  async ended(deadlineMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
