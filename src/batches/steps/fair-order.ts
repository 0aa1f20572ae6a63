/**
 * Decides which batch makes the next step: the one that has made the fewest lately. So a small batch does not wait for a
 * large one to end, and however many small ones come, a large one goes on: the oldest has the weight of half of all the
 * batches, so that it gets at least a third of the steps.
 *
 * Each batch has a clock that its own steps advance, and a common clock advances by everybody's steps, divided among all;
 * a new batch starts at the common time (weighted fair queueing, after Demers, Keshav and Shenker 1989).
 */
import type { BatchUnderWay } from './advance-store.ts';

export class FairOrder {
  /** Clocks of the batches that were listed last, by batch id. */
  #clocks = new Map<number, number>();
  #common = 0;
  #oldestId = 0;

  /** Withdrawals come first; among equals the order is kept. */
  order(batches: readonly BatchUnderWay[]): readonly BatchUnderWay[] {
    this.#clocks = new Map(batches.map(({ id }) => [id, this.#clocks.get(id) ?? this.#common]));
    this.#oldestId = Math.min(...this.#clocks.keys());
    const clockOf = ({ id }: BatchUnderWay) => this.#clocks.get(id) as number;
    return [...batches].sort((a, b) => b.clearing - a.clearing || clockOf(a) - clockOf(b));
  }

  /** Records steps of a batch, which must be among those ordered last. */
  made(id: number, steps: number): void {
    const count = this.#clocks.size;
    const oldestWeight = Math.max(1, count / 2);
    const weight = id === this.#oldestId ? oldestWeight : 1;
    this.#clocks.set(id, (this.#clocks.get(id) ?? this.#common) + steps / weight);
    this.#common += steps / (oldestWeight + count - 1);
  }
}
