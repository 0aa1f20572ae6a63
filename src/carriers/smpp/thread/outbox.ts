/**
 * Combines messages to another thread, since waking a thread takes as long as handling a dozen parts. After a pause they
 * are sent in the same turn of the event loop, otherwise once every few milliseconds.
 */

const everyMs = 2;

export class Outbox {
  readonly #send: () => void;
  #sentAt = Number.NEGATIVE_INFINITY;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** There is something to send. */
  add(): void {
    if (this.#immediate !== undefined || this.#timer !== undefined) return;
    const sinceMs = performance.now() - this.#sentAt;
    if (sinceMs >= everyMs) this.#immediate = setImmediate(() => this.flush());
    else this.#timer = setTimeout(() => this.flush(), everyMs - sinceMs);
  }

  /** Sends what there is now. */
  flush(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    this.#sentAt = performance.now();
    this.#send();
  }
}
