/**
 * Receipts that wait for the answers to what was with the carrier when they came, told once more in the plainest way and
 * without any of the product's code.
 */
import type { Told } from './message-model.ts';

interface Held extends Told {
  readonly at: number;
  turnAt: number;
}

/** When they are looked at again, after they came. */
const turnsMs = [500, 4_000, 30_000, 240_000];
/** From then on they count, whatever is with the carrier. */
const longestAnswerMs = 240_000;
/** What was claimed later than that after a receipt is not what it is about. */
const clocksDifferMs = 250;
const oldMs = 15 * 60_000;

export class HeldModel {
  #held: Held[] = [];

  hold({ id, status }: Told, at: number): void {
    this.#held.push({ id, status, at, turnAt: at + (turnsMs[0] as number) });
  }

  /** Those that wait no longer: the young ones first, then what nothing told apart for too long. */
  take(now: number, isWithCarrierSince: (latest: number) => boolean): readonly Held[] {
    // One whose turn lies further ahead than any can is of a time before the clock was set back.
    const due = this.#held.filter(({ turnAt }) => turnAt <= now || turnAt > now + oldMs);
    const free: Held[] = [];
    for (const one of due) {
      const age = now - one.at;
      const mayWait = age >= 0 && age < longestAnswerMs;
      if (!mayWait || !isWithCarrierSince(one.at + clocksDifferMs)) free.push(one);
      else one.turnAt = one.at + (turnsMs.find((turnMs) => turnMs > age) as number);
    }
    this.#held = this.#held.filter((one) => !free.includes(one));
    const byTime = free.sort((a, b) => a.at - b.at);
    const isOld = ({ at }: Held) => at <= now - oldMs;
    return [...byTime.filter((one) => !isOld(one)), ...byTime.filter(isOld)];
  }
}
