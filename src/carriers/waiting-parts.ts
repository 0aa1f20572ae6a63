/** Parts that wait for the window, the rate or the link, in order, each with the time at which its wait began. */
import type { OutgoingPart } from './carrier.ts';

/** How many consumed entries may remain at the front before they are cut off. */
const maxSpent = 1_024;

export class WaitingParts {
  #parts: OutgoingPart[] = [];
  /** By `performance.now()`. */
  #since: number[] = [];
  #head = 0;

  get size(): number {
    return this.#parts.length - this.#head;
  }

  push(part: OutgoingPart, since: number): void {
    this.#parts.push(part);
    this.#since.push(since);
  }

  /** Puts these parts before all others, in the order given. */
  putBack(parts: readonly OutgoingPart[], since: number): void {
    this.#parts = [...parts, ...this.#parts.slice(this.#head)];
    this.#since = [...parts.map(() => since), ...this.#since.slice(this.#head)];
    this.#head = 0;
  }

  shift(): OutgoingPart | undefined {
    const part = this.#parts[this.#head];
    if (part === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#parts.length) this.#cut();
    else if (this.#head > maxSpent && this.#head * 2 > this.#parts.length) this.#cut();
    return part;
  }

  /** Takes the parts whose wait began before `then`. */
  takeOlder(then: number): readonly OutgoingPart[] {
    const older: OutgoingPart[] = [];
    while (this.size > 0 && (this.#since[this.#head] as number) < then)
      older.push(this.shift() as OutgoingPart);
    return older;
  }

  /**
   * Takes all parts after the first `count` (at least one), if the first part to be taken has waited since before `then`.
   * Never splits a message.
   */
  takeBehind(count: number, then: number): readonly OutgoingPart[] {
    let end = this.#head + Math.max(1, count);
    const last = this.#parts[end - 1]?.messageId;
    while (last !== undefined && this.#parts[end]?.messageId === last) end += 1;
    if (end >= this.#parts.length || (this.#since[end] as number) >= then) return [];
    this.#since.splice(end);
    return this.#parts.splice(end);
  }

  takeAll(): readonly OutgoingPart[] {
    return this.takeOlder(Number.POSITIVE_INFINITY);
  }

  #cut(): void {
    this.#parts = this.#parts.slice(this.#head);
    this.#since = this.#since.slice(this.#head);
    this.#head = 0;
  }
}
