/**
 * Decides how many SMS parts (or messages, if the carrier takes them whole) dispatch may have in flight for a carrier: its
 * window plus an advance, so that the next ones are ready when responses arrive. While one set waits for its responses, the
 * previous set is stored and the next one claimed; with a small window and fast responses, this takes longer than the
 * responses do. The advance therefore grows with the speed, up to what the carrier takes in a tenth of a second, since urgent
 * messages wait behind it. A carrier that becomes slow gives the advance back. Measured on two busy cores with a window of 40
 * and responses after 5 ms: an advance of one window yields 2,100 parts a second on SQLite (1,500 on PostgreSQL) and uses 38
 * % (27 %) of the window; this advance yields 4,400 (2,800) and uses 89 % (60 %).
 */
import type { Carrier } from '../../carriers/carrier.ts';

const aheadMs = 100;
/** A claim may bring what the carrier takes in this time, or twice its window if that is more. */
const claimMs = 25;
const maxAhead = 1_000;
/** The most SMS parts, and therefore messages, in one claim. */
const maxClaim = 500;

/** How much a claim may bring; both limits apply. */
export interface ClaimRoom {
  /** In SMS parts, or in messages if the carrier takes them whole. */
  readonly room: number;
  /** The limit on SMS parts when messages are taken whole and the carrier has a throughput limit. */
  readonly maxParts?: number;
}

type PartCount = { readonly parts: number };

const noRoom: ClaimRoom = { room: 0, maxParts: 0 };

export class Capacity {
  readonly #carrier: Pick<Carrier, 'window' | 'takesWhole' | 'smsWindow'>;
  /** The amount in flight, in the window's unit and in SMS parts. */
  #open = 0;
  #openSms = 0;
  /** How much the claim in progress may bring. */
  #claiming = noRoom;
  /** Parts taken per tenth of a second, as last measured. */
  #pace = 0;
  #taken = 0;
  #since: number;

  /** `now`, here and below, is in milliseconds on the same stopwatch. */
  constructor(carrier: Pick<Carrier, 'window' | 'takesWhole' | 'smsWindow'>, now: number) {
    this.#carrier = carrier;
    this.#since = now;
  }

  /** The most that may be in flight, in the window's unit. */
  get parts(): number {
    const { window } = this.#carrier;
    return window + Math.min(Math.max(window, this.#pace), maxAhead);
  }

  /** The room for the next claim. A slow carrier gets little at a time, so that both lanes get their turns. */
  get room(): ClaimRoom {
    const { window, smsWindow } = this.#carrier;
    const maxByPace = Math.max(2 * window, Math.floor((this.#pace * claimMs) / aheadMs));
    const room = Math.min(maxClaim, maxByPace, this.parts - this.#open);
    if (smsWindow === undefined) return { room };
    const maxParts = 2 * smsWindow - this.#openSms;
    return maxParts > 0 ? { room, maxParts } : noRoom;
  }

  /** Whether all of these messages fit in addition to what is in flight or being claimed. */
  fits(messages: readonly PartCount[]): boolean {
    const { smsWindow } = this.#carrier;
    if (this.#open + this.#claiming.room + this.of(messages) > this.parts) return false;
    if (smsWindow === undefined) return true;
    return this.#openSms + (this.#claiming.maxParts ?? 0) + smsOf(messages) <= 2 * smsWindow;
  }

  /** Notes that a claim with this room has begun or, without an argument, that the claim has ended. */
  claiming(room: ClaimRoom = noRoom): void {
    this.#claiming = room;
  }

  /** Whether these messages use up the room, in which case more messages are probably waiting. */
  isFilledBy(messages: readonly PartCount[], { room, maxParts }: ClaimRoom): boolean {
    return this.of(messages) >= room || (maxParts !== undefined && smsOf(messages) >= maxParts);
  }

  /** Counts the message as in flight. */
  take(message: PartCount): void {
    this.#open += this.#ofOne(message);
    this.#openSms += message.parts;
  }

  /** Stops counting the message as in flight. */
  leave(message: PartCount): void {
    this.#open -= this.#ofOne(message);
    this.#openSms -= message.parts;
  }

  /** How much of the window the messages take up. */
  of(messages: readonly PartCount[]): number {
    return this.#carrier.takesWhole ? messages.length : smsOf(messages);
  }

  #ofOne({ parts }: PartCount): number {
    return this.#carrier.takesWhole ? 1 : parts;
  }

  /** The carrier gave something back that must not return at once, so the speed is measured from scratch. */
  slowed(now: number): void {
    this.#pace = 0;
    this.#taken = 0;
    this.#since = now;
  }

  /** Counts a part, or a message in one piece, that the carrier took. */
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
