/**
 * How many SMS parts, or messages where the carrier takes these whole, dispatch may have in hand for a carrier: its
 * window, and some ahead, so that the next are there when answers come. While one set is being answered, the one before
 * it is being stored and the next one claimed: with a small window and quick answers, that takes longer than the answers
 * do. So what is ahead grows with the pace, up to what the carrier takes in a tenth of a second: whoever comes next, and
 * is in more of a hurry, waits behind it. A carrier that becomes slow gives it back.
 *
 * Measured on two busy cores, window 40, answers after 5 ms: with as much ahead as the window 2,100 parts a second
 * (SQLite; PostgreSQL 1,500), the window used to 38 % (27 %); so, 4,400 (2,800), used to 89 % (60 %).
 */
import type { Carrier } from '../../carriers/carrier.ts';

const aheadMs = 100;
/** As much may be claimed at once as the carrier takes in this time, and its window twice where that is more. */
const claimMs = 25;
const maxAhead = 1_000;
/** SMS parts of one claim, and so messages at the most. */
const maxClaim = 500;

/** What a claim may bring: both bounds hold. */
export interface Room {
  /** SMS parts, or messages where the carrier takes these whole. */
  readonly room: number;
  /** SMS parts of messages that are taken whole, where a throughput counts them. */
  readonly mostParts?: number;
}

type Size = { readonly parts: number };

const noRoom: Room = { room: 0, mostParts: 0 };

export class Capacity {
  readonly #carrier: Pick<Carrier, 'window' | 'takesWhole' | 'smsWindow'>;
  /** In hand: as the window counts, and in SMS parts. */
  #open = 0;
  #openSms = 0;
  /** What a claim under way may bring. */
  #claiming = noRoom;
  /** Parts taken in a tenth of a second, as lately measured. */
  #pace = 0;
  #taken = 0;
  #since: number;

  constructor(carrier: Pick<Carrier, 'window' | 'takesWhole' | 'smsWindow'>, now = performance.now()) {
    this.#carrier = carrier;
    this.#since = now;
  }

  /** As the window counts. */
  get parts(): number {
    const { window } = this.#carrier;
    return window + Math.min(Math.max(window, this.#pace), maxAhead);
  }

  /** For the next claim: not much at once for a slow carrier, so that both lanes get their turns. */
  get room(): Room {
    const { window, smsWindow } = this.#carrier;
    const atOnce = Math.max(2 * window, Math.floor((this.#pace * claimMs) / aheadMs));
    const room = Math.min(maxClaim, atOnce, this.parts - this.#open);
    if (smsWindow === undefined) return { room };
    const mostParts = 2 * smsWindow - this.#openSms;
    return mostParts > 0 ? { room, mostParts } : noRoom;
  }

  /** Whether there is room for all of these beside what is in hand or may be soon. */
  fits(messages: readonly Size[]): boolean {
    const { smsWindow } = this.#carrier;
    if (this.#open + this.#claiming.room + this.of(messages) > this.parts) return false;
    if (smsWindow === undefined) return true;
    return this.#openSms + (this.#claiming.mostParts ?? 0) + smsOf(messages) <= 2 * smsWindow;
  }

  /** A claim with this room has begun; none: it is over. */
  claiming(room: Room = noRoom): void {
    this.#claiming = room;
  }

  /** There is likely more than these. */
  isFilledBy(messages: readonly Size[], { room, mostParts }: Room): boolean {
    return this.of(messages) >= room || (mostParts !== undefined && smsOf(messages) >= mostParts);
  }

  /** It is in hand. */
  take(message: Size): void {
    this.#open += this.#ofOne(message);
    this.#openSms += message.parts;
  }

  /** It is in hand no more. */
  leave(message: Size): void {
    this.#open -= this.#ofOne(message);
    this.#openSms -= message.parts;
  }

  /** What messages take of the window. */
  of(messages: readonly Size[]): number {
    return this.#carrier.takesWhole ? messages.length : smsOf(messages);
  }

  #ofOne({ parts }: Size): number {
    return this.#carrier.takesWhole ? 1 : parts;
  }

  /** The carrier gave something back, which must not come again at once: the pace is found anew. */
  slowed(now = performance.now()): void {
    this.#pace = 0;
    this.#taken = 0;
    this.#since = now;
  }

  /** The carrier took a part, or a message in one piece. */
  took(now = performance.now()): void {
    this.#taken += 1;
    const elapsedMs = now - this.#since;
    if (elapsedMs < aheadMs) return;
    this.#pace = Math.floor((this.#taken * aheadMs) / elapsedMs);
    this.#taken = 0;
    this.#since = now;
  }
}

function smsOf(messages: readonly Size[]): number {
  let sum = 0;
  for (const { parts } of messages) sum += parts;
  return sum;
}
