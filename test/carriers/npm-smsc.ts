/**
 * An SMSC built on the npm package `smpp`, which shares no code with ours: it delivers all that it accepts, and sends receipts.
 */
import smpp, { type RequestPdu, type Server, type Session } from 'smpp';

export interface Taken {
  readonly id: string;
  readonly pdu: RequestPdu;
  /** The index, among all binds, of the one that the submission came over. */
  readonly bind: number;
  /** The text as that package reads it. */
  readonly text: string;
}

interface Held {
  readonly id: string;
  readonly from: string;
  readonly state?: string;
  readonly error?: string;
}

const receiptBit = 4;
const userDataHeaderBit = 0x40;
/** Octets of user data beside a header with one concatenation element (3GPP TS 23.040, 9.2.3.24.1). */
const octetsOfPart = 134;

export class NpmSmsc {
  readonly taken: Taken[] = [];
  readonly binds: RequestPdu[] = [];
  /** Receipts are held while this is true. */
  holdsReceipts = false;
  /** Responses to submissions are held while this is true. */
  holdsAnswers = false;
  /** What the next submissions get, in turn, instead of being accepted: an error, or no response at all. */
  readonly refusals: (number | 'silence')[] = [];
  #sessions: Session[] = [];
  readonly #bindOf = new Map<Session, number>();
  readonly #server: Server;
  #held: Held[] = [];
  #answers: (() => void)[] = [];
  #lastId: number;

  private constructor(lastId: number) {
    this.#lastId = lastId;
    this.#server = smpp.createServer((session) => this.#connected(session));
  }

  /** An SMSC that replaces another continues after the last id of that SMSC. */
  static async listen(port = 0, lastId = 0): Promise<NpmSmsc> {
    const smsc = new NpmSmsc(lastId);
    await new Promise<void>((resolve) => smsc.#server.listen(port, '127.0.0.1', resolve));
    return smsc;
  }

  get port(): number {
    return this.#server.address().port;
  }

  /** Sends the receipts held so far over the current bind. */
  releaseReceipts(): void {
    this.holdsReceipts = false;
    for (const held of this.#held.splice(0)) this.#tell(held);
  }

  releaseAnswers(): void {
    this.holdsAnswers = false;
    for (const answer of this.#answers.splice(0)) answer();
  }

  /** Sends a receipt for something that it has accepted, in addition to those that it sends on its own. */
  tell(receipt: Held): void {
    this.#tell(receipt);
  }

  /** Makes a phone send an SMS; returns the status of the response. */
  originate(from: string, to: string, text: string): Promise<number> {
    return this.#deliver({ source_addr: from, destination_addr: to, short_message: text });
  }

  #deliver(fields: Readonly<Record<string, unknown>>): Promise<number> {
    return new Promise((resolve) => {
      this.#sessions.at(-1)?.deliver_sm(fields, (pdu) => resolve(pdu.command_status));
    });
  }

  /** The same as UCS-2 in parts of 67 units each, sent last part first; returns the status of each. */
  originateInParts(from: string, to: string, text: string): Promise<readonly number[]> {
    const octets = Buffer.from(text, 'utf16le').swap16();
    const total = Math.ceil(octets.length / octetsOfPart);
    const places = Array.from({ length: total }, (_, place) => place).reverse();
    return Promise.all(
      places.map((place) => {
        const udh = Buffer.from([5, 0, 3, 77, total, place + 1]);
        const message = octets.subarray(place * octetsOfPart, (place + 1) * octetsOfPart);
        return this.#deliver({
          source_addr: from,
          destination_addr: to,
          esm_class: userDataHeaderBit,
          data_coding: 8,
          short_message: { udh, message },
        });
      }),
    );
  }

  enquire(): Promise<number> {
    return new Promise((resolve) => {
      this.#sessions.at(-1)?.enquire_link((pdu) => resolve(pdu.command_status));
    });
  }

  /** Resolves with the response to the unbind. */
  unbind(): Promise<void> {
    return new Promise((resolve) => {
      this.#sessions.at(-1)?.unbind(() => resolve());
    });
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  #connected(session: Session): void {
    session.on('error', () => undefined);
    session.on('close', () => {
      this.#sessions = this.#sessions.filter((one) => one !== session);
    });
    for (const bind of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
      session.on(bind, (pdu) => {
        this.#bindOf.set(session, this.binds.length);
        this.binds.push(pdu);
        this.#sessions.push(session);
        session.send(pdu.response({ system_id: 'npm' }));
      });
    }
    for (const other of ['enquire_link', 'unbind']) session.on(other, (pdu) => session.send(pdu.response()));
    session.on('submit_sm', (pdu) => this.#take(session, pdu));
  }

  #take(session: Session, pdu: RequestPdu): void {
    const refusal = this.refusals.shift();
    if (refusal === 'silence') return;
    if (refusal !== undefined) {
      session.send(pdu.response({ command_status: refusal }));
      return;
    }
    this.#lastId += 1;
    const id = `npm${this.#lastId}`;
    const { message } = pdu.short_message as { readonly message: string | Buffer };
    this.taken.push({ id, pdu, bind: this.#bindOf.get(session) ?? -1, text: message.toString() });
    const answer = () => session.send(pdu.response({ message_id: id }));
    if (this.holdsAnswers) this.#answers.push(answer);
    else answer();
    const held = { id, from: String(pdu.destination_addr) };
    if (this.holdsReceipts) this.#held.push(held);
    else this.#tell(held);
  }

  /** Repeats the receipt until it is accepted. */
  #tell(held: Held): void {
    const { id, from, state = 'DELIVRD', error = '000' } = held;
    const text = `id:${id} sub:001 dlvrd:001 submit date:2611210910 done date:2611210911 stat:${state} err:${error} text:`;
    const fields = {
      source_addr: from,
      destination_addr: '1234',
      esm_class: receiptBit,
      short_message: text,
    };
    const session = this.#sessions.at(-1);
    if (session === undefined) this.#held.push(held);
    else {
      session.deliver_sm(fields, (pdu) => {
        if (pdu.command_status !== 0) this.#held.push(held);
      });
    }
  }
}
