/** Stops the parts that were started, in reverse order. */

/** Stops the last part first, and each part only once. */
export class StopStack {
  readonly #steps: (() => Promise<void>)[] = [];
  #unwinding: Promise<void> | undefined;

  push(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Starts a part that is ready at once, and registers it to be stopped. */
  start(part: { start(): unknown; stop(): Promise<void> }): void {
    this.push(() => part.stop());
    part.start();
  }

  unwind(): Promise<void> {
    this.#unwinding ??= this.#run();
    return this.#unwinding;
  }

  /** A step that fails doesn't prevent the others from running. */
  async #run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
