/** Checks regularly for overdue events, but never right after this process itself was blocked. */

/** How many checks fit into the shortest time-out that is watched, within the bounds below. */
const checksPerTimeout = 4;
const minMs = 25;
const maxMs = 1_000;

export class Watchdog {
  readonly #everyMs: number;
  readonly #check: (now: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(shortestMs: number, check: (now: number) => void) {
    this.#everyMs = Math.min(maxMs, Math.max(minMs, shortestMs / checksPerTimeout));
    this.#check = check;
  }

  start(): void {
    this.#checkedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), this.#everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    const wasHeldUp = now - this.#checkedAt > 2 * this.#everyMs + minMs;
    this.#checkedAt = now;
    // Data that arrived in the meantime waits in the socket, and must be read before anything can be called late.
    if (!wasHeldUp) this.#check(now);
  }
}
