/** Ends what was started, in reverse order. */

/** What was started last is stopped first; each once. */
export class StopStack {
  readonly #steps: (() => Promise<void>)[] = [];
  #unwinding: Promise<void> | undefined;

  push(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Starts a part, which is ready at once, and stops it in its turn. */
  start(part: { start(): unknown; stop(): Promise<void> }): void {
    this.push(() => part.stop());
    part.start();
  }

  unwind(): Promise<void> {
    this.#unwinding ??= this.#run();
    return this.#unwinding;
  }

  /** A step that fails keeps none of the others from being done. */
  async #run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
