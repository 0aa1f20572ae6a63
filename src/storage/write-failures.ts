/** Which verbs failed lately because the store was at fault. Each may write elsewhere, so each answers for itself. */

/** Longer than a node's beats are apart: while they fail, the store counts as failing without a break. */
const rememberMs = 5_000;

export class WriteFailures {
  readonly #failedAt = new Map<string, number>();

  get any(): boolean {
    const now = performance.now();
    for (const [verb, failedAt] of this.#failedAt) {
      // Perhaps nobody has called since: then only the next call can tell.
      if (now - failedAt > rememberMs) this.#failedAt.delete(verb);
    }
    return this.#failedAt.size > 0;
  }

  add(verb: string): void {
    this.#failedAt.set(verb, performance.now());
  }

  /** A call of it has succeeded. */
  over(verb: string): void {
    if (this.#failedAt.size > 0) this.#failedAt.delete(verb);
  }
}
