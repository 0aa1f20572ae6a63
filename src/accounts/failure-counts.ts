/**
 * Counts failures by key, in slots of some seconds, for limits such as "8 in 5 minutes". Those of this node go by a clock
 * that never jumps. Those of other nodes, and of its own lives before, come from the store by the time of day.
 */
import { LRUCache } from 'lru-cache';
import type { Clock, Stopwatch } from '../foundation/clock.ts';

export interface Limit {
  readonly failures: number;
  readonly windowMs: number;
}

/** Failures that a node counted in a slot; a later row of the same takes the place of an earlier one. */
export interface FailureRow {
  readonly node: string;
  /** Number of the slot since 1970. */
  readonly slot: number;
  readonly failures: number;
}

/** A failure counts until the whole of its slot is past the window. */
export const slotMs = 15_000;
const maxWindowMs = 3_600_000;
/** So far back the store is asked. */
export const slotsKept = Math.ceil(maxWindowMs / slotMs) + 1;
/** Nodes' clocks may differ by so much. What is further ahead was counted by a clock that was wrong, and does not count. */
const slotsAhead = 8;
/** Keys without a failure for the longest time are forgotten first; the store still knows them. */
const maxKeys = 50_000;

interface CountedSlot {
  /** By the stopwatch. */
  readonly startedAt: number;
  readonly slot: number;
  failures: number;
  isStored: boolean;
}

interface Counter {
  readonly limits: readonly Limit[];
  own: CountedSlot[];
  others: readonly Pick<CountedSlot, 'startedAt' | 'failures'>[];
  lockedUntil: number;
}

export class FailureCounts {
  readonly #clock: Clock;
  readonly #stopwatch: Stopwatch;
  readonly #node: string;
  readonly #counters = new LRUCache<string, Counter>({ max: maxKeys });

  constructor(node: string, clock: Clock, stopwatch: Stopwatch) {
    this.#node = node;
    this.#clock = clock;
    this.#stopwatch = stopwatch;
  }

  /** For how long the next attempt has to wait. */
  lockedMs(key: string): number {
    return Math.max(0, (this.#counters.get(key)?.lockedUntil ?? 0) - this.#stopwatch.elapsed());
  }

  /** Returns true where a limit is reached by it. */
  add(key: string, limits: readonly Limit[]): boolean {
    const now = this.#stopwatch.elapsed();
    const counter = this.#counterOf(key, limits);
    const slot = this.#slotOfDay();
    const last = counter.own.at(-1);
    if (last !== undefined && last.slot === slot && now - last.startedAt < slotMs) {
      last.failures += 1;
      last.isStored = false;
    } else {
      counter.own = counter.own.filter(({ startedAt }) => startedAt + slotMs + maxWindowMs > now);
      counter.own.push({ startedAt: now, slot, failures: 1, isStored: false });
    }
    const wasLocked = counter.lockedUntil > now;
    counter.lockedUntil = lockedUntil(counter, now);
    return !wasLocked && counter.lockedUntil > now;
  }

  /** What the store knows of a key. */
  learn(key: string, limits: readonly Limit[], rows: readonly FailureRow[]): void {
    const isKnown = this.#counters.peek(key) !== undefined;
    if (!isKnown && rows.length === 0) return;
    const [now, present] = [this.#stopwatch.elapsed(), this.#slotOfDay()];
    const counter = this.#counterOf(key, limits);
    const slots = rows
      .filter(({ slot }) => slot <= present + slotsAhead)
      .map(({ slot, failures, node }) => {
        const startedAt = now - Math.max(0, present - slot) * slotMs;
        return { startedAt, slot, failures, node, isStored: true };
      })
      .sort((a, b) => a.startedAt - b.startedAt);
    // What this node has counted it knows itself, unless it has forgotten the key meanwhile.
    if (!isKnown) counter.own = slots.filter(({ node }) => node === this.#node);
    counter.others = slots.filter(({ node }) => node !== this.#node);
    counter.lockedUntil = lockedUntil(counter, now);
  }

  /** What is to be stored of a key that has so many; it counts as stored from then on. */
  takeUnstored(key: string, atLeast: number): FailureRow[] {
    const own = this.#counters.peek(key)?.own ?? [];
    if (own.reduce((sum, { failures }) => sum + failures, 0) < atLeast) return [];
    const bySlot = new Map<number, number>();
    for (const { slot, isStored } of own) if (!isStored) bySlot.set(slot, 0);
    for (const one of own) {
      const failures = bySlot.get(one.slot);
      // The clock may have been set back, so that a time of day came twice.
      if (failures !== undefined) bySlot.set(one.slot, failures + one.failures);
      one.isStored = true;
    }
    return [...bySlot].map(([slot, failures]) => ({ node: this.#node, slot, failures }));
  }

  #slotOfDay(): number {
    return Math.floor(this.#clock.now() / slotMs);
  }

  #counterOf(key: string, limits: readonly Limit[]): Counter {
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const counter: Counter = { limits, own: [], others: [], lockedUntil: 0 };
    this.#counters.set(key, counter);
    return counter;
  }
}

/** The moment from which each limit has room for one more failure. */
function lockedUntil({ limits, own, others }: Counter, now: number): number {
  const slots = [...own, ...others].sort((a, b) => b.startedAt - a.startedAt);
  let until = 0;
  for (const { failures, windowMs } of limits) {
    let counted = 0;
    for (const slot of slots) {
      const endsAt = slot.startedAt + slotMs + windowMs;
      if (endsAt <= now) break;
      counted += slot.failures;
      if (counted < failures) continue;
      until = Math.max(until, endsAt);
      break;
    }
  }
  return until;
}
