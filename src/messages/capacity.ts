/**
 * How many SMS parts, or messages where the window is one of messages, dispatch may have in hand for a carrier: its
 * window, and some ahead, so that the next are there when answers come. While one set is being answered, the one before
 * it is being stored and the next one claimed: with a small window and quick answers, that takes longer than the answers
 * do. So what is ahead grows with the pace, up to what the carrier takes in a tenth of a second: whoever comes next, and
 * is in more of a hurry, waits behind it. A carrier that becomes slow gives it back.
 *
 * Measured on two busy cores, window 40, answers after 5 ms: with as much ahead as the window 2,100 parts a second
 * (SQLite; PostgreSQL 1,500), the window used to 38 % (27 %); so, 4,400 (2,800), used to 89 % (60 %).
 */
import type { Carrier, OutgoingPart } from '../carriers/carrier.ts';

const aheadMs = 100;
const maxAhead = 1_000;
/** SMS parts of one claim, and so messages at the most. */
const maxClaim = 500;

export class Capacity {
  readonly #carrier: Pick<Carrier, 'window' | 'countsMessages'>;
  /** Parts taken in a tenth of a second, as lately measured. */
  #pace = 0;
  #taken = 0;
  #since: number;

  constructor(carrier: Pick<Carrier, 'window' | 'countsMessages'>, now = performance.now()) {
    this.#carrier = carrier;
    this.#since = now;
  }

  get parts(): number {
    const { window } = this.#carrier;
    return window + Math.min(Math.max(window, this.#pace), maxAhead);
  }

  /** What messages take of it. */
  of(messages: readonly { readonly parts: number }[]): number {
    let sum = 0;
    for (const message of messages) sum += this.ofOne(message);
    return sum;
  }

  ofOne(message: { readonly parts: number } | undefined): number {
    if (message === undefined) return 0;
    return this.#carrier.countsMessages ? 1 : message.parts;
  }

  /** Parts that the next claim may bring: not much at once for a small window, so that both lanes get their turns. */
  roomBeside(openParts: number): number {
    return Math.min(maxClaim, 2 * this.#carrier.window, this.parts - openParts);
  }

  /** The carrier gave something back, which must not come again at once: the pace is found anew. */
  slowed(now = performance.now()): void {
    this.#pace = 0;
    this.#taken = 0;
    this.#since = now;
  }

  /** The carrier took a part, or a message in one piece. */
  took({ smsParts }: Pick<OutgoingPart, 'smsParts'>, now = performance.now()): void {
    this.#taken += this.#carrier.countsMessages ? 1 : smsParts;
    const elapsedMs = now - this.#since;
    if (elapsedMs < aheadMs) return;
    this.#pace = Math.floor((this.#taken * aheadMs) / elapsedMs);
    this.#taken = 0;
    this.#since = now;
  }
}
