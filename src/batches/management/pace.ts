/**
 * How fast batches go, measured between the times that somebody looks at one: each look is kept for a while, and the pace
 * is that from the earliest kept look to the latest. A batch that nobody looked at before has none yet.
 */

interface Look {
  readonly at: number;
  readonly waiting: number;
}

/** Of this time, and of one look before it. */
const keptMs = 30_000;
/** Closer together, chance would decide. */
const leastMs = 1_000;
/** Whoever looks at more at once is told the pace of those that were looked at last. */
const maxBatches = 1_000;

export class Pace {
  readonly #looks = new Map<number, Look[]>();
  readonly #elapsed: () => number;

  /** Milliseconds by a clock that is never set. */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Messages that go to carriers in a second; undefined: not known yet. */
  look(id: number, waiting: number): number | undefined {
    const at = this.#elapsed();
    const looks = this.#looks.get(id) ?? [];
    while (looks[1] !== undefined && looks[1].at < at - keptMs) looks.shift();
    // More wait than before: it was resumed, or messages came back.
    if ((looks.at(-1)?.waiting ?? waiting) < waiting) looks.length = 0;
    if (at - (looks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= leastMs) looks.push({ at, waiting });
    this.#looks.delete(id);
    this.#looks.set(id, looks);
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > maxBatches && oldest !== undefined) this.#looks.delete(oldest);
    const [first] = looks;
    if (first === undefined || at - first.at < leastMs) return undefined;
    return ((first.waiting - waiting) * 1_000) / (at - first.at);
  }
}
