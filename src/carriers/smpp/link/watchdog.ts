/** Looks regularly for what is overdue, but never right after this process was held up itself. */

/** Four looks in the shortest of the times looked after, within bounds. */
const looks = 4;
const leastMs = 25;
const mostMs = 1_000;

export class Vigil {
  readonly #everyMs: number;
  readonly #look: (now: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;

  constructor(shortestMs: number, look: (now: number) => void) {
    this.#everyMs = Math.min(mostMs, Math.max(leastMs, shortestMs / looks));
    this.#look = look;
  }

  start(): void {
    this.#lookedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), this.#everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    const wasHeldUp = now - this.#lookedAt > 2 * this.#everyMs + leastMs;
    this.#lookedAt = now;
    // What has come meanwhile lies in the socket, and must be read before anything can be called late.
    if (!wasHeldUp) this.#look(now);
  }
}
