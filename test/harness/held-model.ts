/**
 * Receipts that wait for the answers to what was with the carrier when they came, told once more in the plainest way and
 * without any of the product's code.
 */
import type { Told } from './message-rules.ts';

interface Held extends Told {
  readonly at: number;
  turnAt: number;
}

/** When they are looked at again, after they came. */
const turnsMs = [500, 4_000, 30_000, 240_000];
/** From then on they count, whatever is with the carrier. */
const maxAnswerMs = 240_000;
/** What was claimed later than that after a receipt is not what it is about. */
const clocksDifferMs = 250;
const oldMs = 15 * 60_000;

export class HeldModel {
  #held: Held[] = [];

  hold({ id, status }: Told, at: number): void {
    this.#held.push({ id, status, at, turnAt: at + (turnsMs[0] as number) });
  }

  /** Those under this id that a receipt overtakes have their turn: the ones that wait no longer, the oldest first. */
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

  /** Does it wait on for what is with the carrier? */
  #waitsOn({ at }: Held, now: number, isWithCarrierSince: (latest: number) => boolean): boolean {
    const age = now - at;
    return age >= 0 && age < maxAnswerMs && isWithCarrierSince(at + clocksDifferMs);
  }

  /** Those that wait no longer, the oldest first. */
  take(now: number, isWithCarrierSince: (latest: number) => boolean): readonly Held[] {
    // One whose turn lies further ahead than any can is of a time before the clock was set back.
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
