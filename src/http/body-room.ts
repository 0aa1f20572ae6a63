/** Bounds how much memory and time request bodies may take from everyone else (API: errors, overload). */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

export interface BodyRoomLimits {
  /** Bytes of bodies that may be held at once, not counting small ones. */
  readonly maxBodyBytes: number;
  /** A body with more bytes than this is large. */
  readonly largeBodyBytes: number;
  /** The room that large bodies leave for others. */
  readonly reservedBodyBytes: number;
  /** Bytes that may be held of large bodies whose sender is unknown until they are read. */
  readonly maxUnauthenticatedBodyBytes: number;
  /**
   * Bytes that may be held of such senders' other bodies: less than large bodies leave, so that known callers always have the
   * rest.
   */
  readonly maxUnauthenticatedOtherBytes: number;
}

export interface BodyToCome {
  /** The Content-Length, if present. */
  readonly declaredBytes: number | undefined;
  readonly isUnauthenticated: boolean;
}

interface HeldBody {
  bytes: number;
  isLarge: boolean;
  isUnauthenticated: boolean;
}

/**
 * Large bodies together leave room for others, and bodies of unauthenticated clients, of whom there may be any number,
 * leave room for those of known callers.
 */
export class BodyRoom {
  readonly #limits: BodyRoomLimits;
  readonly #held = new Map<ServerResponse, HeldBody>();
  #bytes = 0;
  #largeBytes = 0;
  /** The part of the bytes of large bodies that belongs to strangers. */
  #unauthenticatedBytes = 0;
  /** Bytes of strangers' other bodies. */
  #unauthenticatedOtherBytes = 0;

  constructor(limits: BodyRoomLimits) {
    this.#limits = limits;
  }

  /** From now on the body of this request is tracked, though it takes no room yet. */
  begin(response: ServerResponse, { declaredBytes = 0, isUnauthenticated }: BodyToCome): void {
    const isLarge = declaredBytes > this.#limits.largeBodyBytes;
    this.#held.set(response, { bytes: 0, isLarge, isUnauthenticated });
  }

  /** Returns false if there is no room for this many more bytes of the body. */
  take(response: ServerResponse, bytes: number): boolean {
    const held = this.#held.get(response);
    if (held === undefined) return false;
    const { maxBodyBytes, largeBodyBytes, reservedBodyBytes } = this.#limits;
    const { maxUnauthenticatedBodyBytes, maxUnauthenticatedOtherBytes } = this.#limits;
    const { isUnauthenticated } = held;
    const isLarge = held.isLarge || held.bytes + bytes > largeBodyBytes;
    // A body that becomes large counts as large from its first byte.
    const more = held.isLarge ? bytes : held.bytes + bytes;
    if (this.#bytes + bytes > maxBodyBytes) return false;
    if (isLarge && this.#largeBytes + more > maxBodyBytes - reservedBodyBytes) return false;
    if (isLarge && isUnauthenticated && this.#unauthenticatedBytes + more > maxUnauthenticatedBodyBytes)
      return false;
    if (
      !isLarge &&
      isUnauthenticated &&
      this.#unauthenticatedOtherBytes + bytes > maxUnauthenticatedOtherBytes
    )
      return false;
    this.#count(held, -1);
    held.bytes += bytes;
    held.isLarge = isLarge;
    this.#count(held, 1);
    return true;
  }

  /** The sender of this request's body, if it has one, is no longer a stranger. */
  identify(response: ServerResponse): void {
    const held = this.#held.get(response);
    if (held === undefined) return;
    this.#count(held, -1);
    held.isUnauthenticated = false;
    this.#count(held, 1);
  }

  release(response: ServerResponse): void {
    const held = this.#held.get(response);
    if (held === undefined) return;
    this.#held.delete(response);
    this.#count(held, -1);
  }

  #count({ bytes, isLarge, isUnauthenticated }: HeldBody, sign: 1 | -1): void {
    const change = sign * bytes;
    this.#bytes += change;
    if (isLarge) this.#largeBytes += change;
    if (isUnauthenticated && isLarge) this.#unauthenticatedBytes += change;
    if (isUnauthenticated && !isLarge) this.#unauthenticatedOtherBytes += change;
  }
}

/** At most this many bodies are read in one turn of the event loop, with one or two 64 KiB pieces each. */
const bodiesInTurn = 4;

/**
 * Lets large bodies arrive in turns. A connection with much to read is read up to two mebibytes at a time, and with several
 * of them a turn of the event loop lasts long, so a call that needs a dozen turns (sign-in, PostgreSQL statements) waits a
 * dozen times as long.
 */
export class PacedReads {
  /** Bodies that have had a piece and wait for their next, in this order. */
  #waiting: Readable[] = [];

  /** Stops reading the body until its next turn. Call this for each piece. */
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
