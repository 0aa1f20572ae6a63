/**
 * Whose step is next, among batches that a node finds under way: that of which it has made the fewest lately. So a small
 * batch does not wait for a large one to end, and however many small ones come, a large one goes on beside them: the
 * oldest counts for half as many as there are, so that it has a third of the steps at the least.
 *
 * Each batch has a clock that goes on by its own steps, and there is a common one that goes on by everybody's, shared
 * among all: who is new begins with the time of that (weighted fair queueing, after Demers, Keshav and Shenker 1989).
 */
import type { UnderWay } from './advance-store.ts';

export class FairOrder {
  /** By batch, of those that were under way when it was last asked for the order. */
  #clocks = new Map<number, number>();
  #common = 0;
  #oldestId = 0;

  /** What is taken back goes before all others; among equals, those go first that stand first. */
  order(batches: readonly UnderWay[]): readonly UnderWay[] {
    this.#clocks = new Map(batches.map(({ id }) => [id, this.#clocks.get(id) ?? this.#common]));
    this.#oldestId = Math.min(...this.#clocks.keys());
    const clockOf = ({ id }: UnderWay) => this.#clocks.get(id) as number;
    return [...batches].sort((a, b) => b.clearing - a.clearing || clockOf(a) - clockOf(b));
  }

  /** So many steps of the batch have been made, one of those that were put in order last. */
  made(id: number, steps: number): void {
    const count = this.#clocks.size;
    const oldestWeight = Math.max(1, count / 2);
    const weight = id === this.#oldestId ? oldestWeight : 1;
    this.#clocks.set(id, (this.#clocks.get(id) ?? this.#common) + steps / weight);
    this.#common += steps / (oldestWeight + count - 1);
  }
}
