/** For how long submissions were held up, and by what: the answer to "why is it so slow?". */

export type HoldUp =
  /** All the parts that the SMSC may have unanswered are unanswered. */
  | 'window'
  /** The throughput that the operator of the carrier set. */
  | 'throughput'
  /** The SMSC asked for less. */
  | 'rest'
  /** What was written before has not gone out yet. */
  | 'network'
  /** No bind is up. */
  | 'link'
  /** The node's lease is over. */
  | 'lease'
  | 'none';

const intervalMs = 10_000;

type Times = Record<HoldUp, number>;

function noTimes(): Times {
  return { window: 0, throughput: 0, rest: 0, network: 0, link: 0, lease: 0, none: 0 };
}

export class HoldUps {
  readonly #total = noTimes();
  #current: HoldUp = 'none';
  #since: number;
  #interval = noTimes();
  #intervalBegan: number;
  #lastInterval = noTimes();

  constructor(now: number) {
    this.#since = now;
    this.#intervalBegan = now;
  }

  get current(): HoldUp {
    return this.#current;
  }

  /** From now on it is this. Cheap where nothing changes. */
  note(holdUp: HoldUp): void {
    if (holdUp === this.#current) return;
    this.#settle(performance.now());
    this.#current = holdUp;
  }

  /** Since the beginning. */
  seconds(holdUp: HoldUp, now: number): number {
    this.#settle(now);
    return this.#total[holdUp] / 1_000;
  }

  /** Of the last ten seconds or so: from 0 to 1. */
  share(holdUp: HoldUp, now: number): number {
    this.#settle(now);
    const age = now - this.#intervalBegan;
    // The last whole interval counts for what this one lacks.
    const lacking = Math.max(0, 1 - age / intervalMs);
    return Math.min(1, this.#interval[holdUp] / intervalMs + this.#lastInterval[holdUp] * lacking);
  }

  #settle(now: number): void {
    const elapsed = now - this.#since;
    this.#since = now;
    this.#total[this.#current] += elapsed;
    this.#interval[this.#current] += elapsed;
    const age = now - this.#intervalBegan;
    if (age < intervalMs) return;
    for (const holdUp of Object.keys(this.#interval) as HoldUp[]) {
      this.#lastInterval[holdUp] = this.#interval[holdUp] / age;
    }
    this.#interval = noTimes();
    this.#intervalBegan = now;
  }
}
