/**
 * PDUs over a socket, for a client or an SMSC. It combines everything written in one turn of the event loop into one write,
 * and reads PDUs out of whatever bytes arrive. It ends once, with a reason; no bytes make it throw.
 */
import type { Socket } from 'node:net';
import { commands } from '../../../wire/smpp/commands.ts';
import { type DecodeFault, encodePdu, type Pdu, type PduInput, PduReader } from '../../../wire/smpp/pdu.ts';

export interface ConnectionEvents {
  pdu(pdu: Pdu): void;
  /** Bytes that are not a valid PDU. After a fatal one, the connection ends on its own. */
  fault(fault: DecodeFault): void;
  /** Called after each set of PDUs that arrived together, and whenever more can be written again. */
  turn(): void;
  /** Everything written so far has been handed to the network. */
  flushed?(): void;
  /** Called right before submissions are handed to the network; if absent, they may always be sent. */
  maySubmit?(): boolean;
  /** Submissions were dropped instead of written, because `maySubmit` said no. */
  withdrawn?(): void;
  /** Called once, even if the connection was never established. */
  closed(reason: string): void;
}

/** Names the other end in the reasons for a connection's end. */
export interface PeerWords {
  readonly name: string;
  readonly sentNonsense: (fault: DecodeFault) => string;
}

/** Beyond this, nothing more is read from a peer that does not read our responses, so that memory stays bounded. */
const maxUnsentBytes = 1_048_576;

/** Offset of command_id in a PDU (SMPP 3.4, section 3.2). */
const commandIdAt = 4;

/** Our side is closed after this time, even if the peer does not close its own. */
const lingerMs = 1_000;

export class Connection {
  readonly #events: ConnectionEvents;
  readonly #socket: Socket;
  readonly #reader = new PduReader();
  readonly #words: PeerWords;
  #unsent: Buffer[] = [];
  #flushing: NodeJS.Immediate | undefined;
  /** The socket's buffer is full; `drain` says when it takes more. */
  #isFull = false;
  /** Reading is paused. */
  #isHeld = false;
  #releasedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #reason: string | undefined;

  /** The socket may still be connecting. */
  constructor(socket: Socket, events: ConnectionEvents, words: PeerWords) {
    this.#events = events;
    this.#socket = socket;
    this.#words = words;
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.guarded(() => this.#read(chunk)));
    this.#socket.on('drain', () => this.guarded(() => this.#drained()));
    this.#socket.on('error', (error) => {
      this.#reason ??= error.message === '' ? String((error as NodeJS.ErrnoException).code) : error.message;
    });
    this.#socket.on('close', () => this.#ended(this.#reason ?? `${words.name} closed the connection`));
  }

  /** Whether it makes sense to write more now. */
  get isWritable(): boolean {
    return !(this.#isFull || this.#isClosed);
  }

  /** Throws a RangeError for values that no PDU can carry. */
  write(pdu: PduInput): void {
    if (this.#isClosed) return;
    this.#unsent.push(encodePdu(pdu));
    this.#flushing ??= setImmediate(() => this.guarded(() => this.#flush()));
  }

  /** Drops submissions that have not been handed to the network yet; everything else still goes out. */
  withdrawSubmissions(): void {
    this.#unsent = this.#unsent.filter((bytes) => bytes.readUInt32BE(commandIdAt) !== commands.submitSm.id);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** When reading was last resumed, by `performance.now()`. */
  get releasedAt(): number {
    return this.#releasedAt;
  }

  /** Reads nothing more until it is released; data from the other end waits in the network. */
  hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    this.#releasedAt = performance.now();
    if (this.#socket.writableLength <= maxUnsentBytes) this.#socket.resume();
  }

  /** Closes at once; `closed` is called before this returns, and written data may be lost. */
  close(reason: string): void {
    this.#socket.destroy();
    this.#ended(reason);
  }

  /** Closes after everything written so far has gone out. */
  end(reason: string): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#socket.end();
    this.#ended(reason);
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  #read(chunk: Buffer): void {
    // Data that arrives after the end is ignored.
    if (this.#isClosed) return;
    this.#reader.push(chunk);
    for (let next = this.#reader.next(); next !== undefined; next = this.#reader.next()) {
      if (!('fault' in next)) this.#events.pdu(next);
      else {
        this.#events.fault(next);
        if (next.fatal) this.end(this.#words.sentNonsense(next));
      }
      if (this.#isClosed) return;
    }
    this.#events.turn();
    // Responses make room in the window, so submissions that use it go out now, not after other work of this turn.
    this.#flush();
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    // This process may have been suspended since the submissions were composed.
    if (this.#unsent.length > 0 && this.#events.maySubmit?.() === false) {
      this.withdrawSubmissions();
      this.#events.withdrawn?.();
    }
    const buffers = this.#unsent;
    if (buffers.length === 0 || this.#isClosed) return;
    this.#unsent = [];
    const bytes = buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers);
    this.#isFull = !this.#socket.write(bytes);
    if (this.#socket.writableLength > maxUnsentBytes) this.#socket.pause();
    this.#events.flushed?.();
  }

  #drained(): void {
    this.#isFull = false;
    if (!this.#isHeld) this.#socket.resume();
    this.#events.turn();
  }

  /** A bug of ours that some bytes trigger ends the connection, not the process. */
  guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.close(`an internal error: ${(error as Error).message}`);
    }
  }

  #ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearImmediate(this.#flushing);
    this.#unsent = [];
    this.#events.closed(reason);
  }
}
