/**
 * An SMSC that misbehaves as a test tells it to, and recovers after doing so a given number of times. It keeps its own
 * record of what it received, as evidence of loss and duplicates, and sends each receipt until it is accepted, as a
 * real SMSC does.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { command, octets, type RawPdu, receiptBody, SmscSession } from '../carriers/raw-smsc.ts';
import { freePort } from '../harness/free-port.ts';
import { drip } from './drip.ts';
import type { FaultyPeer, Taken } from './faulty-peer.ts';
import { type Submission, submissionOf } from './submission.ts';

export interface OwedReceipt {
  /** The id as the receipt spells it. */
  readonly id: string;
  readonly recipient: string;
  /** The session that the submission came over. */
  readonly session: SmscSession;
}

export type Reaction = (smsc: FaultySmsc, session: SmscSession, pdu: RawPdu) => void;

/** What the SMSC does in each situation instead of behaving properly. */
export interface Misbehaviour {
  readonly connected?: (smsc: FaultySmsc, session: SmscSession) => void;
  readonly bind?: Reaction;
  readonly submit?: Reaction;
  readonly enquire?: Reaction;
  readonly unbind?: Reaction;
  /** Called instead of sending a receipt. */
  readonly receipt?: (smsc: FaultySmsc, session: SmscSession, receipt: OwedReceipt) => void;
}

const responseBit = 0x8000_0000;
/** Delays responses so that some submissions are in flight at any moment. */
const answerAfterMs = 5;
const bringAgainMs = 100;

export class FaultySmsc implements FaultyPeer {
  readonly port: number;
  readonly #server: Server;
  readonly #taken = new Map<string, Taken>();
  #sessions: SmscSession[] = [];
  /** Sessions that can carry receipts, the latest last. */
  #bound: SmscSession[] = [];
  readonly #silent = new WeakSet<SmscSession>();
  readonly #underWay = new Map<RawPdu, { readonly answer: () => void; readonly timer: NodeJS.Timeout }>();
  /** Receipts sent but not yet acknowledged, by sequence number. */
  readonly #brought = new Map<SmscSession, Map<number, OwedReceipt>>();
  /** Receipts that no session is bound to take. */
  #held: OwedReceipt[] = [];
  #misbehaviour: Misbehaviour = {};
  #left = 0;
  #arrived = 0;
  #lastId = 0;
  #strikes = 0;
  /** When the last misbehaviour ended, by `performance.now()`; undefined while it goes on. */
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

  get carrier() {
    return {
      type: 'smpp',
      host: '127.0.0.1',
      port: this.port,
      systemId: 'carillon',
      password: 'secret',
      enquireLinkMs: 1_000,
    };
  }

  /** Misbehaves this many times. If the fault lies in connecting, clients that are connected have to reconnect. */
  misbehave(misbehaviour: Misbehaviour, times: number): void {
    this.#misbehaviour = misbehaviour;
    this.#left = times;
    this.wellSince = undefined;
    if (misbehaviour.connected !== undefined || misbehaviour.bind !== undefined) this.cut();
  }

  /** Ends any misbehaviour. */
  getWell(): void {
    this.#left = 0;
    this.wellSince = performance.now();
  }

  /** Sessions that can carry receipts. */
  get bound(): readonly SmscSession[] {
    return this.#bound.filter(({ isClosed }) => !isClosed);
  }

  /** How often the SMSC accepted, or may have accepted, this part; refused submissions do not count. */
  taken(recipient: string, part: number): Taken | undefined {
    return this.#taken.get(`${recipient}/${part}`);
  }

  /** How often the SMSC has misbehaved. */
  get strikes(): number {
    return this.#strikes;
  }

  /** The total number of submissions received. */
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

  /** Sends the usual response and a receipt, whose id may be spelled differently from the response's. */
  take(session: SmscSession, pdu: RawPdu, id = this.nextId(), receiptId = id, afterMs = answerAfterMs): void {
    const { recipient } = submissionOf(pdu);
    const answer = () => {
      this.#underWay.delete(pdu);
      session.answer(pdu, 0, `${id}\0`);
      setImmediate(() => this.bring({ id: receiptId, recipient, session }));
    };
    this.#underWay.set(pdu, { answer, timer: setTimeout(answer, afterMs) });
  }

  /** Refuses the part, so it does not count as taken. */
  refuse(session: SmscSession, pdu: RawPdu, status: number, answer: 'resp' | 'generic_nack' = 'resp'): void {
    this.#note(submissionOf(pdu), -1);
    if (answer === 'resp') session.answer(pdu, status);
    else session.send(octets(command.genericNack, status, pdu.sequence));
  }

  /** Responds to everything in flight within this turn of the event loop. */
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

  /** Stops reading and writing on this connection, which makes it half-open. */
  silence(session: SmscSession): void {
    this.#silent.add(session);
    session.send = () => undefined;
  }

  /** From now on sends this many bytes of the session's output one by one. */
  drip(session: SmscSession, bytes: number, everyMs: number): void {
    drip(session, bytes, everyMs);
  }

  /** Drops all connections, whatever their state. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Stops listening, so connections are refused. */
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

  /** Returns whether the SMSC misbehaved. */
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
