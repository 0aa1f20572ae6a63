/**
 * Lets large bodies come in by turns. A connection that has much to read is read up to two mebibytes at a time, and with
 * several of them a turn of the event loop lasts long: a call that needs a dozen turns (sign-in, statements of PostgreSQL)
 * waits as many times as long.
 */
import type { Readable } from 'node:stream';

/** In one turn of the event loop; of each comes a piece of 64 KiB, or two. */
const bodiesInTurn = 4;

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
