/** A queue that releases things in order, each a fixed time after it was added, with one timer for all. */

interface Delayed<Thing> {
  readonly at: number;
  readonly things: Thing[];
}

/** Things that were added within this time are released together. */
const granularityMs = 5;

export class DelayLine<Thing> {
  readonly #delayMs: number;
  readonly #out: (things: readonly Thing[]) => void;
  readonly #line: Delayed<Thing>[] = [];
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;

  constructor(delayMs: number, out: (things: readonly Thing[]) => void) {
    this.#delayMs = delayMs;
    this.#out = out;
  }

  push(things: readonly Thing[]): void {
    const at = performance.now() + this.#delayMs;
    const last = this.#line.at(-1);
    if (last !== undefined && at - last.at < granularityMs)
      for (const thing of things) last.things.push(thing);
    else this.#line.push({ at, things: [...things] });
    if (this.#timer === undefined) this.#arm();
  }

  /** Releases nothing more, and returns what is still inside, in order. */
  stop(): readonly Thing[] {
    if (this.#delayMs === 0) clearImmediate(this.#timer as NodeJS.Immediate);
    else clearTimeout(this.#timer as NodeJS.Timeout);
    this.#timer = undefined;
    return this.#line.splice(0).flatMap(({ things }) => things);
  }

  #arm(): void {
    const next = this.#line[0];
    if (next === undefined) return;
    // Even without a delay, things are released after the event loop's current turn, never within it.
    if (this.#delayMs === 0) this.#timer = setImmediate(() => this.#run());
    else this.#timer = setTimeout(() => this.#run(), Math.max(1, next.at - performance.now()));
  }

  #run(): void {
    this.#timer = undefined;
    const now = performance.now();
    let due = 0;
    while (due < this.#line.length && (this.#line[due] as Delayed<Thing>).at <= now + 1) due += 1;
    for (const { things } of this.#line.splice(0, due)) this.#out(things);
    this.#arm();
  }
}
