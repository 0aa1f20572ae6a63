/**
 * Until when this node may send, known in each of its threads in the moment of sending. Two clocks must agree: the steady
 * one stands still while the machine sleeps, and that of day may be set, so that whichever ran further counts.
 */
import { type Clock, type Stopwatch, systemClock } from './clock.ts';

/** `performance.now()` begins again in each thread. */
const threadsStopwatch: Stopwatch = {
  elapsed() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + nanoseconds / 1e6;
  },
};

interface Clocks {
  readonly stopwatch: Stopwatch;
  readonly clock: Clock;
}

/** A moment by both clocks. */
export interface Moment {
  readonly elapsed: number;
  readonly time: number;
}

export class SharedLease {
  /** Another thread makes the same lease of it. */
  readonly memory: SharedArrayBuffer;
  readonly #clocks: Clocks;
  /** Its end by the stopwatch and by the clock. */
  readonly #end: Float64Array;

  constructor(
    memory = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT),
    clocks: Clocks = { stopwatch: threadsStopwatch, clock: systemClock },
  ) {
    this.memory = memory;
    this.#clocks = clocks;
    this.#end = new Float64Array(memory);
  }

  now(): Moment {
    return { elapsed: this.#clocks.stopwatch.elapsed(), time: this.#clocks.clock.now() };
  }

  get isHeld(): boolean {
    const { elapsed, time } = this.now();
    return elapsed < (this.#end[0] as number) && time < (this.#end[1] as number);
  }

  /** Holds for so long from then on. */
  hold({ elapsed, time }: Moment, ms: number): void {
    this.#end[0] = elapsed + ms;
    this.#end[1] = time + ms;
  }

  end(): void {
    this.#end.fill(0);
  }
}
