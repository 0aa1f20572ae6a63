/**
 * Decides how many SMS parts (or messages, if the carrier takes them whole) dispatch may have in flight for a carrier:
 * its window, and some in advance, so that the next are ready when answers come. While one set is being answered, the one
 * before it is stored and the next one claimed, which with a small window and quick answers takes longer than the
 * answers. So the advance grows with the speed, up to what the carrier takes in a tenth of a second, since urgent
 * messages wait behind it. A carrier that becomes slow gives it back.
 *
 * Measured on two busy cores, window 40, answers after 5 ms: with an advance of one window 2,100 parts a second
 * (SQLite; PostgreSQL 1,500), with 38 % (27 %) of the window used; like this 4,400 (2,800), with 89 % (60 %) used.
 */
import type { Carrier } from '../../carriers/carrier.ts';

const aheadMs = 100;
/** One claim may bring what the carrier takes in this time, or twice its window if that is more. */
const claimMs = 25;
const maxAhead = 1_000;
/** The most SMS parts, and so messages, of one claim. */
const maxClaim = 500;

/** How much a claim may bring; both bounds hold. */
export interface ClaimRoom {
  /** In SMS parts, or in messages if the carrier takes them whole. */
  readonly room: number;
  /** The SMS parts of messages that are taken whole, if the carrier has a throughput limit. */
  readonly maxParts?: number;
}

type PartCount = { readonly parts: number };

const noRoom: ClaimRoom = { room: 0, maxParts: 0 };

export class Capacity {
  readonly #carrier: Pick<Carrier, 'window' | 'takesWhole' | 'smsWindow'>;
  /** What is in flight: in the window's unit, and in SMS parts. */
  #open = 0;
  #openSms = 0;
  /** How much the claim in progress may bring. */
  #claiming = noRoom;
  /** Parts taken per tenth of a second, as measured lately. */
  #pace = 0;
  #taken = 0;
  #since: number;

  /** `now`, here and below: milliseconds by one stopwatch. */
  constructor(carrier: Pick<Carrier, 'window' | 'takesWhole' | 'smsWindow'>, now: number) {
    this.#carrier = carrier;
    this.#since = now;
  }

  /** The most that may be in flight, in the window's unit. */
  get parts(): number {
    const { window } = this.#carrier;
    return window + Math.min(Math.max(window, this.#pace), maxAhead);
  }

  /** Room for the next claim: little at once for a slow carrier, so that both lanes get their turns. */
  get room(): ClaimRoom {
    const { window, smsWindow } = this.#carrier;
    const atOnce = Math.max(2 * window, Math.floor((this.#pace * claimMs) / aheadMs));
    const room = Math.min(maxClaim, atOnce, this.parts - this.#open);
    if (smsWindow === undefined) return { room };
    const maxParts = 2 * smsWindow - this.#openSms;
    return maxParts > 0 ? { room, maxParts } : noRoom;
  }

  /** Whether there is room for all of these besides what is in flight or being claimed. */
  fits(messages: readonly PartCount[]): boolean {
    const { smsWindow } = this.#carrier;
    if (this.#open + this.#claiming.room + this.of(messages) > this.parts) return false;
    if (smsWindow === undefined) return true;
    return this.#openSms + (this.#claiming.maxParts ?? 0) + smsOf(messages) <= 2 * smsWindow;
  }

  /** A claim with this room has begun; without an argument, it has ended. */
  claiming(room: ClaimRoom = noRoom): void {
    this.#claiming = room;
  }

  /** Whether these use up the room, so that more are probably waiting. */
  isFilledBy(messages: readonly PartCount[], { room, maxParts }: ClaimRoom): boolean {
    return this.of(messages) >= room || (maxParts !== undefined && smsOf(messages) >= maxParts);
  }

  /** The message is in flight now. */
  take(message: PartCount): void {
    this.#open += this.#ofOne(message);
    this.#openSms += message.parts;
  }

  /** The message is no longer in flight. */
  leave(message: PartCount): void {
    this.#open -= this.#ofOne(message);
    this.#openSms -= message.parts;
  }

  /** How much of the window messages take. */
  of(messages: readonly PartCount[]): number {
    return this.#carrier.takesWhole ? messages.length : smsOf(messages);
  }

  #ofOne({ parts }: PartCount): number {
    return this.#carrier.takesWhole ? 1 : parts;
  }

  /** The carrier gave something back, which must not come again at once: the speed is measured afresh. */
  slowed(now: number): void {
    this.#pace = 0;
    this.#taken = 0;
    this.#since = now;
  }

  /** The carrier took a part, or a message in one piece. */
  took(now: number): void {
    this.#taken += 1;
    const elapsedMs = now - this.#since;
    if (elapsedMs < aheadMs) return;
    this.#pace = Math.floor((this.#taken * aheadMs) / elapsedMs);
    this.#taken = 0;
    this.#since = now;
  }
}

function smsOf(messages: readonly PartCount[]): number {
  let sum = 0;
  for (const { parts } of messages) sum += parts;
  return sum;
}
