/** Bounds what request bodies may take of the memory and of the time of all others (API: errors, overload). */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

export interface BodyRoomLimits {
  /** Bytes of bodies that may be held at once, but for small ones. */
  readonly maxBodyBytes: number;
  /** A body of more bytes is a large one. */
  readonly largeBodyBytes: number;
  /** What large bodies leave of the room to the others. */
  readonly reservedBodyBytes: number;
  /** So much may be held of large bodies whose sender is not known before they are read. */
  readonly maxStrangersBodyBytes: number;
  /** So much may be held of the other bodies of such senders: less than what large bodies leave, so that callers always have the rest. */
  readonly maxStrangersOtherBytes: number;
}

export interface BodyToCome {
  /** Its Content-Length, if it has one. */
  readonly declaredBytes: number | undefined;
  readonly isOfStranger: boolean;
}

interface HeldBody {
  bytes: number;
  isLarge: boolean;
  isOfStranger: boolean;
}

/**
 * Large bodies together leave room for the others, and bodies of strangers, who can be any number, leave room for those of
 * known callers.
 */
export class BodyRoom {
  readonly #limits: BodyRoomLimits;
  readonly #held = new Map<ServerResponse, HeldBody>();
  #bytes = 0;
  #largeBytes = 0;
  /** How many of these are of strangers. */
  #strangersBytes = 0;
  /** Those of other bodies of strangers. */
  #strangersOtherBytes = 0;

  constructor(limits: BodyRoomLimits) {
    this.#limits = limits;
  }

  /** From now on the body of this request has a place, though it takes none yet. */
  begin(response: ServerResponse, { declaredBytes = 0, isOfStranger }: BodyToCome): void {
    const isLarge = declaredBytes > this.#limits.largeBodyBytes;
    this.#held.set(response, { bytes: 0, isLarge, isOfStranger });
  }

  /** False when there is no room for so much more of it. */
  take(response: ServerResponse, bytes: number): boolean {
    const held = this.#held.get(response);
    if (held === undefined) return false;
    const { maxBodyBytes, largeBodyBytes, reservedBodyBytes } = this.#limits;
    const { maxStrangersBodyBytes, maxStrangersOtherBytes } = this.#limits;
    const { isOfStranger } = held;
    const isLarge = held.isLarge || held.bytes + bytes > largeBodyBytes;
    // What becomes large counts as such from its first byte.
    const more = held.isLarge ? bytes : held.bytes + bytes;
    if (this.#bytes + bytes > maxBodyBytes) return false;
    if (isLarge && this.#largeBytes + more > maxBodyBytes - reservedBodyBytes) return false;
    if (isLarge && isOfStranger && this.#strangersBytes + more > maxStrangersBodyBytes) return false;
    if (!isLarge && isOfStranger && this.#strangersOtherBytes + bytes > maxStrangersOtherBytes) return false;
    this.#count(held, -1);
    held.bytes += bytes;
    held.isLarge = isLarge;
    this.#count(held, 1);
    return true;
  }

  /** The sender of this body, if there is one, is no stranger any more. */
  identify(response: ServerResponse): void {
    const held = this.#held.get(response);
    if (held === undefined) return;
    this.#count(held, -1);
    held.isOfStranger = false;
    this.#count(held, 1);
  }

  release(response: ServerResponse): void {
    const held = this.#held.get(response);
    if (held === undefined) return;
    this.#held.delete(response);
    this.#count(held, -1);
  }

  #count({ bytes, isLarge, isOfStranger }: HeldBody, sign: 1 | -1): void {
    const change = sign * bytes;
    this.#bytes += change;
    if (isLarge) this.#largeBytes += change;
    if (isOfStranger && isLarge) this.#strangersBytes += change;
    if (isOfStranger && !isLarge) this.#strangersOtherBytes += change;
  }
}

/** In one turn of the event loop; of each comes a piece of 64 KiB, or two. */
const bodiesInTurn = 4;

/**
 * Lets large bodies come in by turns. A connection that has much to read is read up to two mebibytes at a time, and with
 * several of them a turn of the event loop lasts long: a call that needs a dozen turns (sign-in, statements of PostgreSQL)
 * waits as many times as long.
 */
export class PacedReads {
  /** Those that have had a piece and wait for their next, in this order. */
  #waiting: Readable[] = [];

  /** Nothing more comes of the body until its next turn. Call it for each piece. */
  pause(body: Readable): void {
    body.pause();
    this.#waiting.push(body);
    if (this.#waiting.length === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    for (const body of this.#waiting.splice(0, bodiesInTurn)) body.resume();
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }
}
