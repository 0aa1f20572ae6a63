/** The connection of one client as PDUs: gathers what is written in one turn into one write, and survives any bytes. */
import type { Socket } from 'node:net';
import { type DecodeFault, encodePdu, type Pdu, type PduInput, PduReader } from '../wire/smpp/pdu.ts';

export interface PeerEvents {
  pdu(pdu: Pdu): void;
  /** Bytes that are no proper PDU. After a fatal one the connection ends by itself. */
  fault(fault: DecodeFault): void;
  /** What was too much to write has gone out. */
  drained(): void;
  /** Once. */
  closed(reason: string): void;
}

/** A client that reads nothing of what it is sent gets no more, and is not read either. */
const maxUnsentBytes = 1_048_576;
/** One that does not close its side keeps ours no longer than this. */
const lingerMs = 1_000;

export class Peer {
  readonly address: string;
  readonly #socket: Socket;
  readonly #events: PeerEvents;
  readonly #reader = new PduReader();
  #unsent: Buffer[] = [];
  #flushing: NodeJS.Immediate | undefined;
  #reason: string | undefined;
  #isClosed = false;

  constructor(socket: Socket, events: PeerEvents) {
    this.#socket = socket;
    this.#events = events;
    this.address = `${socket.remoteAddress}:${socket.remotePort}`;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#guarded(() => this.#read(chunk)));
    socket.on('drain', () => {
      socket.resume();
      this.#guarded(() => events.drained());
    });
    socket.on('error', (error) => {
      this.#reason ??= error.message;
    });
    socket.on('close', () => this.#ended(this.#reason ?? 'the client closed the connection'));
  }

  /** Whether it makes sense to write more of what can wait. */
  get isWritable(): boolean {
    return !this.#isClosed && this.#socket.writableLength < maxUnsentBytes;
  }

  write(pdu: PduInput): void {
    if (this.#isClosed) return;
    this.#unsent.push(encodePdu(pdu));
    this.#flushing ??= setImmediate(() => this.#guarded(() => this.#flush()));
  }

  /** Ends it after what was written has gone out. */
  end(reason: string): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#socket.end();
    this.#ended(reason);
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  /** Ends it in this moment, as a broken line would. */
  destroy(reason: string): void {
    this.#socket.destroy();
    this.#ended(reason);
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#reader.push(chunk);
    for (let next = this.#reader.next(); next !== undefined; next = this.#reader.next()) {
      if (!('fault' in next)) this.#events.pdu(next);
      else {
        this.#events.fault(next);
        if (next.fatal) this.end('it sent what is no SMPP');
      }
      if (this.#isClosed) return;
    }
  }

  #flush(): void {
    this.#flushing = undefined;
    const buffers = this.#unsent;
    if (buffers.length === 0 || this.#isClosed) return;
    this.#unsent = [];
    this.#socket.write(buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers));
    if (this.#socket.writableLength > maxUnsentBytes) this.#socket.pause();
  }

  /** A fault of ours that some bytes bring about costs the connection, not the process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.destroy(`a fault of ours: ${(error as Error).message}`);
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
