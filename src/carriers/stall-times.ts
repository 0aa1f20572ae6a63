/** What holds submissions to a carrier up, and for how long. */

export type StallCause =
  /** The window is full. */
  | 'window'
  /** The carrier's throughput setting is reached. */
  | 'throughput'
  /** The carrier throttles us. */
  | 'throttled'
  /** Data written earlier has not been sent yet. */
  | 'network'
  /** The carrier is down. */
  | 'link'
  /** The node's lease has expired. */
  | 'lease'
  | 'none';

const intervalMs = 10_000;
const notableShare = 0.5;

function noTimes(): Record<StallCause, number> {
  return { window: 0, throughput: 0, throttled: 0, network: 0, link: 0, lease: 0, none: 0 };
}

/** Measures how long submissions were held up, and by which cause: the answer to "why is it so slow?". */
export class StallTimes {
  readonly #total = noTimes();
  #current: StallCause = 'none';
  #since: number;
  #interval = noTimes();
  #intervalBegan: number;
  #lastInterval = noTimes();

  constructor(now: number) {
    this.#since = now;
    this.#intervalBegan = now;
  }

  get current(): StallCause {
    return this.#current;
  }

  /** Sets the cause from now on. Cheap when nothing changes. */
  note(cause: StallCause): void {
    if (cause === this.#current) return;
    this.#settle(performance.now());
    this.#current = cause;
  }

  /** The total since the start. */
  seconds(cause: StallCause, now: number): number {
    this.#settle(now);
    return this.#total[cause] / 1_000;
  }

  /** The share of about the last ten seconds, from 0 to 1. */
  share(cause: StallCause, now: number): number {
    this.#settle(now);
    const age = now - this.#intervalBegan;
    // The previous interval stands in for the missing part of the current one.
    const lacking = Math.max(0, 1 - age / intervalMs);
    return Math.min(1, this.#interval[cause] / intervalMs + this.#lastInterval[cause] * lacking);
  }

  /** Whether it held submissions up for more than half of that time, and is worth mentioning. */
  isNotable(cause: StallCause, now: number): boolean {
    return this.share(cause, now) > notableShare;
  }

  /** For the figures of a carrier's status. */
  figures(now: number) {
    return {
      windowLimitedShare: this.share('window', now),
      windowLimitedSeconds: this.seconds('window', now),
      throughputLimitedSeconds: this.seconds('throughput', now),
      throttledSeconds: this.seconds('throttled', now),
    };
  }

  #settle(now: number): void {
    const elapsed = now - this.#since;
    this.#since = now;
    this.#total[this.#current] += elapsed;
    this.#interval[this.#current] += elapsed;
    const age = now - this.#intervalBegan;
    if (age < intervalMs) return;
    for (const cause of Object.keys(this.#interval) as StallCause[]) {
      this.#lastInterval[cause] = this.#interval[cause] / age;
    }
    this.#interval = noTimes();
    this.#intervalBegan = now;
  }
}
