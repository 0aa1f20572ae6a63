/** Decides how often a failed receiver is retried: less and less, and hardly at all once it is seen to be unavailable. */

export interface BreakerState {
  /** Failures in a row. */
  readonly failures: number;
  /** The time of the first failure, or later, since time in which no attempt was possible does not count. */
  readonly failingSince: number | null;
  /** Nothing is sent before this time. */
  readonly nextAt: number;
}

export interface Failure {
  readonly isProbe: boolean;
  readonly now: number;
  /** From 0 to 1. */
  readonly chance: number;
  /** How long the receiver asked for a pause. */
  readonly askedMs: number | undefined;
}

/** The fraction by which each pause is randomly longer or shorter, so that clients do not all come back at once. */
const jitter = 0.2;

/** The pauses after consecutive failures: each longer than the previous one, and the last is repeated. */
export class Pauses {
  readonly #pausesMs: readonly number[];
  readonly #longestAskedMs: number;

  /** Longer pauses requested by a receiver are cut to `longestAskedMs`. */
  constructor(pausesMs: readonly number[], longestAskedMs = 0) {
    this.#pausesMs = pausesMs;
    this.#longestAskedMs = longestAskedMs;
  }

  get longestMs(): number {
    return Math.round(Math.max(this.#longestAskedMs, ...this.#pausesMs) * (1 + jitter));
  }

  /**
   * The pause after this many consecutive failures. `chance` is from 0 to 1; `askedMs` is the pause that the receiver asked
   * for.
   */
  pauseMs(failures: number, chance: number, askedMs = 0): number {
    const pause = this.#pausesMs[Math.min(failures, this.#pausesMs.length) - 1] ?? 0;
    const growing = Math.round(pause * (1 + jitter * (2 * chance - 1)));
    return Math.max(growing, Math.min(askedMs, this.#longestAskedMs));
  }

  /** The longest possible pause after this many consecutive failures, unless the receiver asks for more. */
  longestAfterMs(failures: number): number {
    return this.pauseMs(failures, 1);
  }
}

/** The breaker opens after this many consecutive failures. */
const failuresToOpen = 5;
/** If an attempt comes at most this much later than allowed, the time before it still counts as a time of failures. */
const maxUntriedMs = 60 * 60_000;

/** A circuit breaker: while it is open, one probe at a time is let through, each after a longer pause, until one succeeds. */
export class Breaker {
  readonly #pauses: Pauses;
  #state: BreakerState;

  constructor(state: BreakerState, pauses: Pauses) {
    this.#state = state;
    this.#pauses = pauses;
  }

  get state(): BreakerState {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#state.failures >= failuresToOpen;
  }

  /** Whether the receiver may be tried again. */
  isDue(now: number): boolean {
    return this.#state.nextAt <= now;
  }

  /** Call this when the clock was set back by this much; the current pause then ends when it would have ended anyway. */
  setBack(ms: number): void {
    this.#state = { ...this.#state, nextAt: Math.max(0, this.#state.nextAt - ms) };
  }

  /**
   * Whether one more attempt may start beside those in flight, of which there may be `maxConcurrent` while the breaker is
   * closed.
   */
  mayTry(now: number, underWay: number, maxConcurrent: number): boolean {
    return this.isDue(now) && underWay < (this.isOpen ? 1 : maxConcurrent);
  }

  /** Failures other than a probe's, from attempts in flight when the breaker opened, add no new information. */
  fail({ isProbe, now, chance, askedMs }: Failure): void {
    const { failures, nextAt } = this.#state;
    this.#state = {
      failures: this.isOpen && !isProbe ? failures : failures + 1,
      failingSince: this.#failingUntil(now),
      nextAt,
    };
    const pause = this.isOpen ? this.#state.failures - failuresToOpen + 1 : 0;
    const pausedTo = now + this.#pauses.pauseMs(pause, chance, askedMs);
    // After a probe the earlier time no longer counts: it may have been set by a clock that has since been set back.
    this.#state = { ...this.#state, nextAt: isProbe ? pausedTo : Math.max(nextAt, pausedTo) };
  }

  /**
   * Excludes time in which the server was down, the clock was set, or there was nothing to send, since that is not the
   * receiver's fault.
   */
  #failingUntil(now: number): number {
    const { failingSince, nextAt } = this.#state;
    if (failingSince === null) return now;
    return Math.min(now, failingSince + Math.max(0, now - nextAt - maxUntriedMs));
  }

  /** Returns true if it was open until now. */
  close(): boolean {
    const wasOpen = this.isOpen;
    // A receiver that asked for a pause gets it, whatever it accepts meanwhile.
    this.#state = { failures: 0, failingSince: null, nextAt: wasOpen ? 0 : this.#state.nextAt };
    return wasOpen;
  }

  /** Call this when someone states that the receiver is healthy again; also ends a pause that the receiver asked for. */
  reset(): void {
    this.#state = { failures: 0, failingSince: null, nextAt: 0 };
  }

  /** How long there have been only failures. */
  failingForMs(now: number): number {
    return now - (this.#state.failingSince ?? now);
  }
}
