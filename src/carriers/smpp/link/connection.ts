/**
 * PDUs over a socket: connects, by TLS where the operator wants it, gathers what is written in one turn of the event
 * loop into one write, and reads PDUs out of whatever bytes come. It ends once, with a reason; no bytes make it throw.
 */
import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { commands } from '../../../wire/smpp/commands.ts';
import { type DecodeFault, encodePdu, type Pdu, type PduInput, PduReader } from '../../../wire/smpp/pdu.ts';
import type { SmppSettings } from '../settings.ts';

export interface ConnectionEvents {
  connected(): void;
  pdu(pdu: Pdu): void;
  /** Bytes that are no proper PDU, but leave the stream readable. */
  fault(fault: DecodeFault): void;
  /** After all PDUs that came at once, and whenever more can be written again. */
  turn(): void;
  /** What was written so far has been handed to the network. */
  flushed(): void;
  /** Asked in the very turn in which submissions would be handed to the network. */
  maySubmit(): boolean;
  /** Submissions were not written, since they must not be: they go nowhere. */
  withdrawn(): void;
  /** Once, also when it was never connected. */
  closed(reason: string): void;
}

/** An SMSC that reads none of our answers gets no more to answer: what waits in memory has an end. */
const mostUnsentBytes = 1_048_576;

/** Of command_id in a PDU (SMPP 3.4, 3.2). */
const commandIdAt = 4;

/** A peer that does not close its side keeps ours no longer than this. */
const lingerMs = 1_000;

export class Connection {
  readonly #events: ConnectionEvents;
  readonly #socket: Socket;
  readonly #reader = new PduReader();
  readonly #connectTimer: NodeJS.Timeout;
  #unsent: Buffer[] = [];
  #flushing: NodeJS.Immediate | undefined;
  /** The socket has taken as much as it should; it will say when it wants more. */
  #isFull = false;
  /** Nothing is to be read for now. */
  #isHeld = false;
  #releasedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #reason: string | undefined;

  constructor(settings: SmppSettings, events: ConnectionEvents) {
    this.#events = events;
    this.#socket = open(settings);
    this.#socket.setNoDelay(true);
    const { connectTimeoutMs, host, port } = settings;
    this.#connectTimer = setTimeout(
      () => this.close(`no connection to ${host}:${port} within ${connectTimeoutMs} ms`),
      connectTimeoutMs,
    );
    this.#socket.on(settings.tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer);
      this.#guarded(() => events.connected());
    });
    this.#socket.on('data', (chunk: Buffer) => this.#guarded(() => this.#read(chunk)));
    this.#socket.on('drain', () => this.#guarded(() => this.#drained()));
    this.#socket.on('error', (error) => {
      this.#reason ??= error.message === '' ? String((error as NodeJS.ErrnoException).code) : error.message;
    });
    this.#socket.on('close', () => this.#ended(this.#reason ?? 'the SMSC closed the connection'));
  }

  /** Whether it makes sense to write more now. */
  get isWritable(): boolean {
    return !(this.#isFull || this.#isClosed);
  }

  /** Throws a RangeError over what no PDU can carry. */
  write(pdu: PduInput): void {
    if (this.#isClosed) return;
    this.#unsent.push(encodePdu(pdu));
    this.#flushing ??= setImmediate(() => this.#guarded(() => this.#flush()));
  }

  /** Submissions that the network has not been given yet go nowhere; everything else still goes out. */
  withdrawSubmissions(): void {
    this.#unsent = this.#unsent.filter((bytes) => bytes.readUInt32BE(commandIdAt) !== commands.submitSm.id);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** When reading went on after it was held, by `performance.now()`. */
  get releasedAt(): number {
    return this.#releasedAt;
  }

  /** Reads nothing more until it is released: what the SMSC sends waits with the network. */
  hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    this.#releasedAt = performance.now();
    if (this.#socket.writableLength <= mostUnsentBytes) this.#socket.resume();
  }

  /** At once: whoever has the connection hears of its end before this returns. What was written may be lost. */
  close(reason: string): void {
    this.#socket.destroy();
    this.#ended(reason);
  }

  /** After what was written so far has gone out. */
  end(reason: string): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#socket.end();
    this.#ended(reason);
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  #read(chunk: Buffer): void {
    // What comes after the end is of no use any more, however much it is.
    if (this.#isClosed) return;
    this.#reader.push(chunk);
    for (let next = this.#reader.next(); next !== undefined; next = this.#reader.next()) {
      if (!('fault' in next)) this.#events.pdu(next);
      else {
        this.#events.fault(next);
        if (next.fatal) this.end(`what the SMSC sent can't be read any further: ${next.fault}`);
      }
      if (this.#isClosed) return;
    }
    this.#events.turn();
    // Answers make room in the window: what takes it goes out now, not after all else that this turn has to do.
    this.#flush();
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    // This process may have stood still since they were composed.
    if (this.#unsent.length > 0 && !this.#events.maySubmit()) {
      this.withdrawSubmissions();
      this.#events.withdrawn();
    }
    const buffers = this.#unsent;
    if (buffers.length === 0 || this.#isClosed) return;
    this.#unsent = [];
    const bytes = buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers);
    this.#isFull = !this.#socket.write(bytes);
    if (this.#socket.writableLength > mostUnsentBytes) this.#socket.pause();
    this.#events.flushed();
  }

  #drained(): void {
    this.#isFull = false;
    if (!this.#isHeld) this.#socket.resume();
    this.#events.turn();
  }

  /** A fault of ours that some bytes bring about costs the connection, not the process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.close(`a fault of ours: ${(error as Error).message}`);
    }
  }

  #ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#connectTimer);
    clearImmediate(this.#flushing);
    this.#unsent = [];
    this.#events.closed(reason);
  }
}

/** Throws nothing: a file that can't be read is told like any other reason why there is no connection. */
function open({ host, port, tls, tlsCa, tlsVerify }: SmppSettings): Socket {
  if (!tls) return connectTcp({ host, port });
  try {
    // Read each time, so that a renewed file is in use from the next connection on.
    const authority = tlsCa === '' ? {} : { ca: readFileSync(tlsCa) };
    // An address is no name that TLS could ask for (RFC 6066, 3).
    const servername = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ host, port, rejectUnauthorized: tlsVerify, ...servername, ...authority });
  } catch (error) {
    return new Socket().destroy(error as Error);
  }
}
