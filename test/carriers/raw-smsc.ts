/**
 * An SMSC on a bare socket that does what a test tells it, right or wrong. It reads and writes PDUs without our codec,
 * so that the two check each other (SMPP 3.4, 3.2 and 4).
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export const command = {
  genericNack: 0x8000_0000,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  querySm: 0x03,
  submitSm: 0x04,
  submitSmResp: 0x8000_0004,
  deliverSm: 0x05,
  deliverSmResp: 0x8000_0005,
  unbind: 0x06,
  unbindResp: 0x8000_0006,
  bindTransceiver: 0x09,
  outbind: 0x0b,
  enquireLink: 0x15,
  enquireLinkResp: 0x8000_0015,
  alertNotification: 0x102,
  dataSm: 0x103,
  dataSmResp: 0x8000_0103,
} as const;

const responseBit = 0x8000_0000;

export interface RawPdu {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
  /** The time by `performance.now()`. */
  readonly at: number;
}

/** Encodes a PDU. */
export function octets(id: number, status: number, sequence: number, body: Buffer | string = ''): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const pdu = Buffer.alloc(16 + bytes.length);
  pdu.writeUInt32BE(pdu.length, 0);
  pdu.writeUInt32BE(id, 4);
  pdu.writeUInt32BE(status, 8);
  pdu.writeUInt32BE(sequence, 12);
  bytes.copy(pdu, 16);
  return pdu;
}

export function deliverBody(
  from: string,
  to: string,
  text: string | Buffer,
  { esmClass = 0, dataCoding = 0 } = {},
): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return Buffer.concat([
    Buffer.from(`\0\x01\x01${from}\0\x01\x01${to}\0`, 'latin1'),
    Buffer.from([esmClass, 0, 0, 0, 0, 0, 0, dataCoding, 0, bytes.length]),
    bytes,
  ]);
}

const receiptBit = 0x04;

export function receiptBody(id: string, from: string, state = 'DELIVRD', errorCode = '000'): Buffer {
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611210910 done date:2611210911 stat:${state} err:${errorCode} text:Hej`;
  return deliverBody(from, '46731230001', text, { esmClass: receiptBit });
}

/** The destination_addr of a submit_sm. */
export function recipientOf({ body }: RawPdu): string {
  const afterService = body.indexOf(0) + 1;
  const source = afterService + 2;
  const destination = body.indexOf(0, source) + 3;
  return body.toString('latin1', destination, body.indexOf(0, destination));
}

/** How the SMSC treats a PDU; without a rule it does what an SMSC would. */
export type Rule = (session: SmscSession, pdu: RawPdu) => void;

/** One connection to the SMSC. */
export class SmscSession {
  readonly socket: Socket;
  readonly received: RawPdu[] = [];
  /** The time by `performance.now()`. */
  readonly openedAt = performance.now();
  /** The sizes of the chunks received. */
  readonly chunks: number[] = [];
  isClosed = false;
  #rest: Buffer = Buffer.alloc(0);
  #sequence = 0;

  constructor(socket: Socket, heard: (session: SmscSession, pdu: RawPdu) => void) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('data', (chunk) => {
      this.chunks.push(chunk.length);
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
      let offset = 0;
      while (this.#rest.length - offset >= 16) {
        const length = this.#rest.readUInt32BE(offset);
        if (this.#rest.length - offset < length) break;
        const pdu = {
          command: this.#rest.readUInt32BE(offset + 4),
          status: this.#rest.readUInt32BE(offset + 8),
          sequence: this.#rest.readUInt32BE(offset + 12),
          body: this.#rest.subarray(offset + 16, offset + length),
          at: performance.now(),
        };
        offset += length;
        this.received.push(pdu);
        heard(this, pdu);
      }
      this.#rest = this.#rest.subarray(offset);
    });
  }

  /** The PDUs received with this command, in order. */
  of(id: number): readonly RawPdu[] {
    return this.received.filter((pdu) => pdu.command === id);
  }

  send(bytes: Buffer): void {
    if (!this.isClosed) this.socket.write(bytes);
  }

  answer(pdu: RawPdu, status = 0, body: Buffer | string = ''): void {
    this.send(octets((pdu.command | responseBit) >>> 0, status, pdu.sequence, body));
  }

  /** Returns the sequence number of the request. */
  request(id: number, body: Buffer | string = ''): number {
    this.#sequence += 1;
    this.send(octets(id, 0, this.#sequence, body));
    return this.#sequence;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

export class RawSmsc {
  readonly sessions: SmscSession[] = [];
  /** Rules by the number of the command. */
  readonly rules = new Map<number, Rule>();
  readonly #server: Server;
  #lastId = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.sessions.push(new SmscSession(socket, (session, pdu) => this.#heard(session, pdu)));
    });
  }

  static async listen(server: Server = createServer()): Promise<RawSmsc> {
    const smsc = new RawSmsc(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return smsc;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The latest session. */
  get session(): SmscSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error('nobody has connected');
    return session;
  }

  get submissions(): readonly RawPdu[] {
    return this.sessions.flatMap((session) => session.of(command.submitSm));
  }

  nextId(): string {
    this.#lastId += 1;
    return `raw${this.#lastId}`;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #heard(session: SmscSession, pdu: RawPdu): void {
    const rule = this.rules.get(pdu.command);
    if (rule !== undefined) rule(session, pdu);
    else if (pdu.command < responseBit) session.answer(pdu, 0, this.#usualBody(pdu));
    if (rule === undefined && pdu.command === command.unbind) session.socket.end();
  }

  #usualBody(pdu: RawPdu): string {
    if (pdu.command === command.submitSm) return `${this.nextId()}\0`;
    const isBind = pdu.command <= command.bindTransmitter || pdu.command === command.bindTransceiver;
    return isBind ? 'smsc\0' : '';
  }
}
