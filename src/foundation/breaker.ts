/** How often a receiver is asked again that has failed: less and less, and hardly at all once it is seen to be away. */

export interface BreakerState {
  /** In a row. */
  readonly failures: number;
  /** When the first of them was, or later: time in which nothing could be tried does not count. */
  readonly failingSince: number | null;
  /** Nothing is sent before. */
  readonly nextAt: number;
}

export interface Failure {
  readonly isProbe: boolean;
  readonly now: number;
  /** From 0 to 1. */
  readonly chance: number;
  /** For how long the receiver asks not to be asked. */
  readonly askedMs: number | undefined;
}

/** A part of each pause by which it is longer or shorter, so that those who wait do not all come back at once. */
const jitter = 0.2;

/** The pauses after failures in a row: each longer than the one before, and the last one again and again. */
export class Pauses {
  readonly #pausesMs: readonly number[];
  readonly #longestAskedMs: number;

  /** Longer pauses that a receiver asks for are cut to `longestAskedMs`. */
  constructor(pausesMs: readonly number[], longestAskedMs = 0) {
    this.#pausesMs = pausesMs;
    this.#longestAskedMs = longestAskedMs;
  }

  /** The longest that a pause can be. */
  get longestMs(): number {
    return Math.round(Math.max(this.#longestAskedMs, ...this.#pausesMs) * (1 + jitter));
  }

  /** After so many failures in a row. `chance`: from 0 to 1; `askedMs`: the pause that the receiver asked for. */
  pauseMs(failures: number, chance: number, askedMs = 0): number {
    const pause = this.#pausesMs[Math.min(failures, this.#pausesMs.length) - 1] ?? 0;
    const growing = Math.round(pause * (1 + jitter * (2 * chance - 1)));
    return Math.max(growing, Math.min(askedMs, this.#longestAskedMs));
  }

  /** The longest that it can be after so many failures in a row, unless the receiver asks for more. */
  longestAfterMs(failures: number): number {
    return this.pauseMs(failures, 1);
  }
}

/** It opens after so many in a row. */
const failuresToOpen = 5;
/** By so much a try may come later than it might, and the time before it still counts as one of failures. */
const mostUntriedMs = 60 * 60_000;

/** While it is open, one probe at a time is let through, each after a longer pause, until one is taken. */
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

  /** Whether the receiver may be asked again. */
  isDue(now: number): boolean {
    return this.#state.nextAt <= now;
  }

  /** The clock was set back by so much. The pause under way ends when it would have ended. */
  setBack(ms: number): void {
    this.#state = { ...this.#state, nextAt: Math.max(0, this.#state.nextAt - ms) };
  }

  /** Whether one more may be tried beside those under way, of which there may be `atOnce` while it is closed. */
  mayTry(now: number, underWay: number, atOnce: number): boolean {
    return this.isDue(now) && underWay < (this.isOpen ? 1 : atOnce);
  }

  /** Others than a probe, which were under way when it opened, say nothing new. */
  fail({ isProbe, now, chance, askedMs }: Failure): void {
    const { failures, nextAt } = this.#state;
    this.#state = {
      failures: this.isOpen && !isProbe ? failures : failures + 1,
      failingSince: this.#failingUntil(now),
      nextAt,
    };
    const pause = this.isOpen ? this.#state.failures - failuresToOpen + 1 : 0;
    const pausedTo = now + this.#pauses.pauseMs(pause, chance, askedMs);
    // A probe was due: that a clock said otherwise, which has been put back since, counts no more.
    this.#state = { ...this.#state, nextAt: isProbe ? pausedTo : Math.max(nextAt, pausedTo) };
  }

  /** Whether the server was down, the clock was set, or there was nothing to send: that is no fault of the receiver. */
  #failingUntil(now: number): number {
    const { failingSince, nextAt } = this.#state;
    if (failingSince === null) return now;
    return Math.min(now, failingSince + Math.max(0, now - nextAt - mostUntriedMs));
  }

  /** True when it was open until now. */
  close(): boolean {
    const wasOpen = this.isOpen;
    // A receiver that asked to be left alone is, whatever it takes meanwhile.
    this.#state = { failures: 0, failingSince: null, nextAt: wasOpen ? 0 : this.#state.nextAt };
    return wasOpen;
  }

  /** Somebody says that the receiver is well again, whatever it asked for. */
  reset(): void {
    this.#state = { failures: 0, failingSince: null, nextAt: 0 };
  }

  /** For how long there has been nothing but failures. */
  failingForMs(now: number): number {
    return now - (this.#state.failingSince ?? now);
  }
}
