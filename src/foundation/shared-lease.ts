/**
 * The end of this node's send lease, known in each of its threads at the moment of sending. Two clocks are read, because
 * the steady one stops while the machine sleeps and the time of day may be set; whichever advanced further counts.
 */
import { type Clock, type Stopwatch, systemClock } from './clock.ts';

/** `performance.now()` starts over in each thread. */
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

/** A moment on both clocks. */
export interface Moment {
  readonly elapsed: number;
  readonly time: number;
}

export class SharedLease {
  /** Another thread builds the same lease from this memory. */
  readonly memory: SharedArrayBuffer;
  readonly #clocks: Clocks;
  /** The lease's end on the stopwatch and on the clock. */
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

  /** Sets the lease to last this long from the given moment. */
  hold({ elapsed, time }: Moment, ms: number): void {
    this.#end[0] = elapsed + ms;
    this.#end[1] = time + ms;
  }

  end(): void {
    this.#end.fill(0);
  }
}
