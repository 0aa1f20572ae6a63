/**
 * A model of receipts held until the carrier responds to what was in flight when they arrived, restated as plainly as
 * possible without any of the product's code.
 */
import type { ModelReceipt } from './message-rules.ts';

interface Held extends ModelReceipt {
  readonly at: number;
  turnAt: number;
}

/** When a held receipt is checked again, in milliseconds after its arrival. */
const turnsMs = [500, 4_000, 30_000, 240_000];
/** After this long a receipt counts, whatever is still in flight. */
const maxAnswerMs = 240_000;
/** A receipt cannot refer to parts claimed more than this long after it. */
const clocksDifferMs = 250;
const oldMs = 15 * 60_000;

export class HeldModel {
  #held: Held[] = [];

  hold({ id, status }: ModelReceipt, at: number): void {
    this.#held.push({ id, status, at, turnAt: at + (turnsMs[0] as number) });
  }

  /**
   * Checks the receipts under this id when another receipt overtakes them, and returns those that need not wait any longer,
   * oldest first.
   */
  overtakenBy(
    id: string,
    at: number,
    now: number,
    isWithCarrierSince: (latest: number) => boolean,
  ): readonly Held[] {
    const underId = this.#held.filter((one) => one.id === id);
    if (!underId.some((one) => one.at <= at)) return [];
    this.#held = this.#held.filter((one) => one.id !== id);
    const waits = (one: Held) => this.#waitsOn(one, now, isWithCarrierSince);
    for (const one of underId.filter(waits)) this.hold(one, one.at);
    return underId.filter((one) => !waits(one)).sort((a, b) => a.at - b.at);
  }

  /** Whether the receipt has to keep waiting for parts in flight. */
  #waitsOn({ at }: Held, now: number, isWithCarrierSince: (latest: number) => boolean): boolean {
    const age = now - at;
    return age >= 0 && age < maxAnswerMs && isWithCarrierSince(at + clocksDifferMs);
  }

  /** Removes and returns the receipts that need not wait any longer, oldest first. */
  take(now: number, isWithCarrierSince: (latest: number) => boolean): readonly Held[] {
    // A check that is due later than any check can be was planned before the clock was set back.
    const due = this.#held.filter(({ turnAt }) => turnAt <= now || turnAt > now + oldMs);
    const free: Held[] = [];
    for (const one of due) {
      if (!this.#waitsOn(one, now, isWithCarrierSince)) free.push(one);
      else one.turnAt = one.at + (turnsMs.find((turnMs) => turnMs > now - one.at) as number);
    }
    this.#held = this.#held.filter((one) => !free.includes(one));
    return free.sort((a, b) => a.at - b.at);
  }
}
