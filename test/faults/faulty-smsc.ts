/**
 * An SMSC that misbehaves as a test tells it to, and that is well again once it has done so often enough. It keeps books
 * of its own of what it was sent, the witness of what was lost and what was sent twice, and brings each receipt until it
 * is taken, as an SMSC does.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { command, octets, type RawPdu, receiptBody, SmscSession } from '../carriers/raw-smsc.ts';
import { freePort } from '../harness/free-port.ts';
import { drip } from './drip.ts';
import { type Submission, submissionOf } from './submission.ts';

export interface OwedReceipt {
  /** As the receipt has it. */
  readonly id: string;
  readonly recipient: string;
  /** By which the submission came. */
  readonly session: SmscSession;
}

export type Reaction = (smsc: FaultySmsc, session: SmscSession, pdu: RawPdu) => void;

/** What it does in place of what an SMSC should do about each of these. */
export interface Misbehaviour {
  readonly connected?: (smsc: FaultySmsc, session: SmscSession) => void;
  readonly bind?: Reaction;
  readonly submit?: Reaction;
  readonly enquire?: Reaction;
  readonly unbind?: Reaction;
  /** In place of bringing one. */
  readonly receipt?: (smsc: FaultySmsc, session: SmscSession, receipt: OwedReceipt) => void;
}

/** A part that it took, or may have. */
export interface Taken {
  readonly times: number;
  /** First, by `performance.now()`. */
  readonly at: number;
}

const responseBit = 0x8000_0000;
/** So that some submissions are under way at any moment. */
const answerAfterMs = 5;
const bringAgainMs = 100;

export class FaultySmsc {
  readonly port: number;
  readonly #server: Server;
  readonly #taken = new Map<string, Taken>();
  #sessions: SmscSession[] = [];
  /** Those that may bring receipts, the latest last. */
  #bound: SmscSession[] = [];
  readonly #silent = new WeakSet<SmscSession>();
  readonly #underWay = new Map<RawPdu, { readonly answer: () => void; readonly timer: NodeJS.Timeout }>();
  /** Brought, and not answered yet, by the sequence number. */
  readonly #brought = new Map<SmscSession, Map<number, OwedReceipt>>();
  /** Nobody is there to take them. */
  #held: OwedReceipt[] = [];
  #misbehaviour: Misbehaviour = {};
  #left = 0;
  #arrived = 0;
  #lastId = 0;
  #strikes = 0;
  /** When the last misbehaviour was over, by `performance.now()`; undefined: it goes on. */
  wellSince: number | undefined = 0;

  private constructor(port: number) {
    this.port = port;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  static async listen(): Promise<FaultySmsc> {
    const smsc = new FaultySmsc(await freePort());
    await smsc.comeBack();
    return smsc;
  }

  /** So often; whoever is connected has to connect anew where the fault is in that. */
  misbehave(misbehaviour: Misbehaviour, times: number): void {
    this.#misbehaviour = misbehaviour;
    this.#left = times;
    this.wellSince = undefined;
    if (misbehaviour.connected !== undefined || misbehaviour.bind !== undefined) this.cut();
  }

  /** Whatever it did, from now on it does what it should. */
  getWell(): void {
    this.#left = 0;
    this.wellSince = performance.now();
  }

  /** Sessions that may bring receipts. */
  get bound(): readonly SmscSession[] {
    return this.#bound.filter(({ isClosed }) => !isClosed);
  }

  /** How often it took this part, or may have; a submission that it refused does not count. */
  taken(recipient: string, part: number): Taken | undefined {
    return this.#taken.get(`${recipient}/${part}`);
  }

  /** How often it has misbehaved. */
  get strikes(): number {
    return this.#strikes;
  }

  /** Submissions that came, over all. */
  get arrived(): number {
    return this.#arrived;
  }

  nextId(): string {
    this.#lastId += 1;
    return `fault${this.#lastId}`;
  }

  acceptBind(session: SmscSession, pdu: RawPdu, systemId = 'smsc\0'): void {
    session.answer(pdu, 0, systemId);
    if (pdu.command === command.bindTransmitter) return;
    this.#bound = [...this.bound, session];
    setImmediate(() => {
      for (const receipt of this.#held.splice(0)) this.bring(receipt);
    });
  }

  /** The usual answer, and a receipt, whose id may be another form of that in the answer. */
  take(session: SmscSession, pdu: RawPdu, id = this.nextId(), receiptId = id, afterMs = answerAfterMs): void {
    const { recipient } = submissionOf(pdu);
    const answer = () => {
      this.#underWay.delete(pdu);
      session.answer(pdu, 0, `${id}\0`);
      setImmediate(() => this.bring({ id: receiptId, recipient, session }));
    };
    this.#underWay.set(pdu, { answer, timer: setTimeout(answer, afterMs) });
  }

  /** It has not taken it. */
  refuse(session: SmscSession, pdu: RawPdu, status: number, answer: 'resp' | 'generic_nack' = 'resp'): void {
    this.#note(submissionOf(pdu), -1);
    if (answer === 'resp') session.answer(pdu, status);
    else session.send(octets(command.genericNack, status, pdu.sequence));
  }

  /** What is under way is answered in this turn. */
  answerAll(): void {
    for (const { answer, timer } of [...this.#underWay.values()]) {
      clearTimeout(timer);
      answer();
    }
  }

  bring(receipt: OwedReceipt): void {
    const session = this.bound.at(-1);
    if (session === undefined) {
      this.#held.push(receipt);
      return;
    }
    const { receipt: reaction } = this.#misbehaviour;
    if (this.#left > 0 && reaction !== undefined) {
      this.#strike();
      reaction(this, session, receipt);
    } else this.deliver(session, receipt);
  }

  deliver(
    session: SmscSession,
    receipt: OwedReceipt,
    body: Buffer = receiptBody(receipt.id, receipt.recipient),
  ): void {
    if (session.isClosed) {
      this.#held.push(receipt);
      return;
    }
    const brought = this.#brought.get(session) ?? new Map<number, OwedReceipt>();
    this.#brought.set(session, brought);
    brought.set(session.request(command.deliverSm, body), receipt);
  }

  /** It hears nothing of this connection any more, and says nothing: what is half-open. */
  silence(session: SmscSession): void {
    this.#silent.add(session);
    session.send = () => undefined;
  }

  /** Of what it sends from now on so many bytes go one by one. */
  drip(session: SmscSession, bytes: number, everyMs: number): void {
    drip(session, bytes, everyMs);
  }

  /** All connections are gone, in whatever they are. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Nobody answers at its port. */
  goAway(): void {
    this.#server.close();
    this.cut();
  }

  async comeBack(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    for (const { timer } of this.#underWay.values()) clearTimeout(timer);
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connected(socket: Socket): void {
    const session = new SmscSession(socket, (of, pdu) => this.#heard(of, pdu));
    this.#sessions = [...this.#sessions.filter(({ isClosed }) => !isClosed), session];
    socket.on('close', () => this.#lost(session));
    this.#react('connected', session);
  }

  #lost(session: SmscSession): void {
    this.#bound = this.#bound.filter((one) => one !== session);
    const brought = [...(this.#brought.get(session)?.values() ?? [])];
    this.#brought.delete(session);
    for (const receipt of brought) this.bring(receipt);
  }

  #heard(session: SmscSession, pdu: RawPdu): void {
    if (this.#silent.has(session)) return;
    switch (pdu.command) {
      case command.bindReceiver:
      case command.bindTransmitter:
      case command.bindTransceiver:
        if (!this.#react('bind', session, pdu)) this.acceptBind(session, pdu);
        break;
      case command.submitSm:
        this.#arrived += 1;
        this.#note(submissionOf(pdu), 1);
        if (!this.#react('submit', session, pdu)) this.take(session, pdu);
        break;
      case command.enquireLink:
        if (!this.#react('enquire', session, pdu)) session.answer(pdu);
        break;
      case command.unbind:
        if (this.#react('unbind', session, pdu)) break;
        session.answer(pdu);
        session.socket.end();
        break;
      case command.unbindResp:
        session.socket.end();
        break;
      case command.deliverSmResp:
        this.#receiptAnswered(session, pdu);
        break;
      default:
        if (pdu.command < responseBit) session.answer(pdu);
    }
  }

  #receiptAnswered(session: SmscSession, { sequence, status }: RawPdu): void {
    const brought = this.#brought.get(session);
    const receipt = brought?.get(sequence);
    brought?.delete(sequence);
    if (receipt !== undefined && status !== 0) setTimeout(() => this.bring(receipt), bringAgainMs);
  }

  /** Whether it has misbehaved. */
  #react(to: Exclude<keyof Misbehaviour, 'receipt'>, session: SmscSession, pdu?: RawPdu): boolean {
    const reaction = this.#misbehaviour[to] as Reaction | undefined;
    if (this.#left === 0 || reaction === undefined) return false;
    this.#strike();
    reaction(this, session, pdu as RawPdu);
    return true;
  }

  #strike(): void {
    this.#strikes += 1;
    this.#left -= 1;
    if (this.#left === 0) this.getWell();
  }

  #note({ recipient, part }: Submission, change: number): void {
    const key = `${recipient}/${part}`;
    const { times = 0, at = performance.now() } = this.#taken.get(key) ?? {};
    this.#taken.set(key, { times: times + change, at: times === 0 ? performance.now() : at });
  }
}
