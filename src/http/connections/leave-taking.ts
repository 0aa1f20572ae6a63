/**
 * Ends the connections of a stopping server so that no answer or call is lost with them. Closing a connection on which
 * unread bytes have arrived resets it: its client then loses even an answer that is on its way (RFC 9112 section 9.6).
 *
 *   answered for the last time ─┐
 *   nothing comes for a while ──┴▶ our side ends ──(its client ends too, or has had its time)──▶ closed
 */
import type { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface OpenConnections {
  /** Connections that speak HTTP. */
  readonly open: ReadonlySet<Socket>;
  /** Connections whose TLS handshake is not finished. */
  readonly shakingHands: ReadonlySet<Socket>;
}

/** The interval between two checks of all connections, long enough for each to be read in between. */
const lookIntervalMs = 10;
/**
 * Time is counted in checks, so no client seems idle while this process is stalled. Long compared with the pause between two
 * calls of a busy client, and with the transit of a call already sent.
 */
const idleChecks = 100;
/** How long a client may take to read the last response and end its side. */
const lingerChecks = 200;

interface Seen {
  bytesRead: number;
  /** Checks since data last arrived, or since our side ended. */
  checks: number;
  hasEnded: boolean;
}

export class LeaveTaking {
  readonly #connections: OpenConnections;
  readonly #hasCallOn: (socket: Socket) => boolean;
  readonly #seen = new WeakMap<Socket, Seen>();
  #isOver = false;

  constructor(connections: OpenConnections, hasCallOn: (socket: Socket) => boolean) {
    this.#connections = connections;
    this.#hasCallOn = hasCallOn;
  }

  /** Also applies to connections that arrive later. */
  begin(server: Server): void {
    const { open } = this.#connections;
    for (const socket of open) this.#endSlowly(socket);
    for (const event of ['connection', 'secureConnection'])
      server.on(event, (socket: Socket) => {
        if (open.has(socket)) this.#endSlowly(socket);
      });
    void this.#look();
  }

  /** Resolves when no connection is left. */
  async ended(): Promise<void> {
    while (this.#hasConnections && !this.#isOver) await delay(lookIntervalMs);
  }

  /** Ends all connections, whatever is in progress. */
  cutOff(): void {
    this.#isOver = true;
    const { open, shakingHands } = this.#connections;
    for (const socket of [...open, ...shakingHands]) socket.destroy();
  }

  get #hasConnections(): boolean {
    const { open, shakingHands } = this.#connections;
    return open.size + shakingHands.size > 0;
  }

  /** Node calls this after the last response, and would close as soon as that has been sent. */
  #endSlowly(socket: Socket): void {
    socket.destroySoon = () => this.#end(socket);
  }

  async #look(): Promise<void> {
    const { open, shakingHands } = this.#connections;
    while (!this.#isOver) {
      for (const socket of open) this.#lookAt(socket);
      // Before the handshake ends there is no client to notify.
      for (const socket of shakingHands) if (this.#isIdle(socket)) socket.destroy();
      await delay(lookIntervalMs, undefined, { ref: false });
    }
  }

  #lookAt(socket: Socket): void {
    const seen = this.#seenOf(socket);
    if (!seen.hasEnded) {
      if (this.#isIdle(socket)) this.#end(socket);
    } else if (socket.writableLength === 0 && ++seen.checks >= lingerChecks) socket.destroy();
  }

  #isIdle(socket: Socket): boolean {
    const seen = this.#seenOf(socket);
    const { bytesRead } = socket;
    seen.checks = seen.bytesRead === bytesRead && !this.#hasCallOn(socket) ? seen.checks + 1 : 0;
    seen.bytesRead = bytesRead;
    return seen.checks >= idleChecks;
  }

  #seenOf(socket: Socket): Seen {
    let seen = this.#seen.get(socket);
    if (seen === undefined) {
      seen = { bytesRead: socket.bytesRead, checks: 0, hasEnded: false };
      this.#seen.set(socket, seen);
    }
    return seen;
  }

  #end(socket: Socket): void {
    const seen = this.#seenOf(socket);
    if (seen.hasEnded) return;
    seen.hasEnded = true;
    seen.checks = 0;
    socket.end();
  }
}
