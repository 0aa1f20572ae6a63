/** Remembers which verbs failed lately because of the store. Each may use other tables, so each counts separately. */

/** Longer than a node's beats are apart: while they fail, the store counts as failing without a break. */
const rememberMs = 5_000;

export class WriteFailures {
  readonly #failedAt = new Map<string, number>();

  has(verb: string): boolean {
    const failedAt = this.#failedAt.get(verb);
    // Perhaps nobody has called since: then only the next call can tell.
    return failedAt !== undefined && performance.now() - failedAt <= rememberMs;
  }

  add(verb: string): void {
    this.#failedAt.set(verb, performance.now());
  }

  /** A call of it has succeeded. */
  over(verb: string): void {
    if (this.#failedAt.size > 0) this.#failedAt.delete(verb);
  }
}
