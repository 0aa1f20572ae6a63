/**
 * Counts failures by key, in slots of some seconds, for limits such as "8 in 5 minutes". This node's own failures are timed by
 * a clock that never jumps. Failures of other nodes, and of this node before a restart, are read from the store with their
 * time of day.
 */
import type { Clock, Stopwatch } from '../foundation/clock.ts';
import { lruCache } from '../foundation/lru-cache.ts';

export interface Limit {
  readonly failures: number;
  readonly windowMs: number;
}

/** The failures that a node counted in a slot; a later row for the same node and slot replaces the earlier one. */
export interface FailureRow {
  readonly node: string;
  /** Slot number since 1970. */
  readonly slot: number;
  readonly failures: number;
}

/** A failure counts until its whole slot is outside the window. */
export const slotMs = 15_000;
const maxWindowMs = 3_600_000;
/** The number of past slots that are read from the store. */
export const slotsKept = Math.ceil(maxWindowMs / slotMs) + 1;
/**
 * The allowance for differences between nodes' clocks. A failure further ahead was counted by a wrong clock and is ignored.
 */
const slotsAhead = 8;
/** Beyond this number, the keys that have gone longest without a failure are evicted; the store still has them. */
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
  readonly #counters = lruCache<string, Counter>(maxKeys);

  constructor(node: string, clock: Clock, stopwatch: Stopwatch) {
    this.#node = node;
    this.#clock = clock;
    this.#stopwatch = stopwatch;
  }

  /** Milliseconds until the next attempt is allowed. */
  lockedMs(key: string): number {
    return Math.max(0, (this.#counters.get(key)?.lockedUntil ?? 0) - this.#stopwatch.elapsed());
  }

  /** Returns true when this failure reaches a limit. */
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

  /** Takes over what the store knows of a key. */
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
    // This node knows its own counts, unless it has evicted the key in the meantime.
    if (!isKnown) counter.own = slots.filter(({ node }) => node === this.#node);
    counter.others = slots.filter(({ node }) => node !== this.#node);
    counter.lockedUntil = lockedUntil(counter, now);
  }

  /** Returns the rows to store for a key with at least this many failures, and marks them as stored. */
  takeUnstored(key: string, atLeast: number): FailureRow[] {
    const own = this.#counters.peek(key)?.own ?? [];
    if (own.reduce((sum, { failures }) => sum + failures, 0) < atLeast) return [];
    const bySlot = new Map<number, number>();
    for (const { slot, isStored } of own) if (!isStored) bySlot.set(slot, 0);
    for (const one of own) {
      const failures = bySlot.get(one.slot);
      // The clock may have been set back, so that a time of day occurred twice.
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

/** The time at which every limit has room for one more failure. */
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
