/**
 * One connection of a client, from its first octet to its last (SMPP 3.4, 2.2):
 *
 *   open ──bind──▶ bound ──unbind, theirs or ours──▶ closed
 *     └──refused, silent──┴──lost, dropped, nonsense──┘
 *
 * It answers every request, keeps the windows of both directions, and finds out when the other end is gone.
 */
import type { Socket } from 'node:net';
import { Connection, type PeerWords } from '../carriers/smpp/link/connection.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import type { PduOf } from '../wire/smpp/commands.ts';
import type { DecodeFault, Pdu, PduInput } from '../wire/smpp/pdu.ts';
import { answerToFault, hasResponse, refusalOf } from '../wire/smpp/responses.ts';
import type { DeliverFields } from './delivery-pdu.ts';
import type { SubmitPdu } from './submission.ts';

export type BindPdu = PduOf<'bindTransceiver'> | PduOf<'bindTransmitter'> | PduOf<'bindReceiver'>;

/** What a bound client asks for, and is answered when the store has it. */
export type ClientRequest = SubmitPdu | PduOf<'querySm'> | PduOf<'cancelSm'>;

interface SessionEvents {
  /** Resolves with the command_status to respond with. The session is bound if it is 0. */
  bind(pdu: BindPdu): Promise<number>;
  /** Whether the client may ask for one more thing now. */
  admits(pdu: ClientRequest): boolean;
  answer(pdu: ClientRequest): Promise<PduInput>;
  /** The client got a status other than 0 for it. */
  refused(command: Pdu['command'], status: number): void;
  /** There may be room for more deliveries. */
  room(): void;
  closed(reason: string): void;
}

const roles = {
  bindTransceiver: { submits: true, receives: true },
  bindTransmitter: { submits: true, receives: false },
  bindReceiver: { submits: false, receives: true },
} as const;

/** A client that has not bound within this time is disconnected. */
const bindTimeoutMs = 10_000;
/** After this silence the client is asked whether it is there; after as long again it counts as gone. */
const silenceMs = 60_000;
/** A client that leaves a delivery unanswered for this long gets it, and all others, on its next connection. */
const deliveryTimeoutMs = 60_000;
const unbindTimeoutMs = 5_000;
const maxSequence = 0x7fff_ffff;
/** PDUs that cannot be read, or that make no sense, before the connection ends; after a minute without one they are forgotten. */
const maxFaults = 20;
const faultsMs = 60_000;
/** After so many refusals in a row, none later than this after the last, the client is not read for as long. */
const maxRefusals = 100;
const holdMs = 1_000;

const words: PeerWords = { name: 'the client', sentNonsense: () => 'it sent data that is not SMPP' };

interface Unanswered {
  readonly at: number;
  readonly answered: (status: number | undefined) => void;
}

export class ClientSession {
  /** The version that the client speaks, from its bind. */
  interfaceVersion = 0;
  readonly #connection: Connection;
  readonly #events: SessionEvents;
  readonly #unanswered = new Map<number, Unanswered>();
  readonly #openedAt = performance.now();
  #role: (typeof roles)[BindPdu['command']] | undefined;
  #isBinding = false;
  #isLeaving = false;
  #isClosed = false;
  #window = 0;
  /** Requests of the client that wait for the store. */
  #pending = 0;
  #sequence = 0;
  readonly #faults = new Streak(faultsMs);
  readonly #refusals = new Streak(holdMs);
  #heardAt = performance.now();
  #askedAt: number | undefined;
  #holding: NodeJS.Timeout | undefined;
  #leaving: Promise<void> | undefined;
  #left: (() => void) | undefined;
  /** The number of the client's unbind, which is answered last. */
  #unbindSequence: number | undefined;

  constructor(socket: Socket, events: (session: ClientSession) => SessionEvents) {
    this.#events = events(this);
    const heard = {
      pdu: (pdu: Pdu) => this.#received(pdu),
      fault: (fault: DecodeFault) => this.#receivedNonsense(fault),
      turn: () => this.#events.room(),
      closed: (reason: string) => this.#closed(reason),
    };
    this.#connection = new Connection(socket, heard, words);
  }

  get isBound(): boolean {
    return this.#role !== undefined && !this.#isClosed;
  }

  get receives(): boolean {
    return this.isBound && this.#role?.receives === true;
  }

  /** How many deliveries await a response. */
  get load(): number {
    return this.#unanswered.size;
  }

  /** How many requests of the client wait for their responses. */
  get pending(): number {
    return this.#pending;
  }

  /** How many requests may be unanswered, each way. */
  get window(): number {
    return this.#window;
  }

  /** Whether a delivery can go out now. */
  get hasRoom(): boolean {
    return this.receives && !this.#isLeaving && this.load < this.#window && this.#connection.isWritable;
  }

  setWindow(window: number): void {
    this.#window = window;
  }

  /** Resolves with the client's command_status, or with undefined if the connection ends before it answers. */
  deliver(fields: DeliverFields): Promise<number | undefined> {
    const sequence = this.#nextSequence();
    this.#connection.write({ command: 'deliverSm', sequence, ...fields });
    return new Promise((answered) => {
      this.#unanswered.set(sequence, { at: performance.now(), answered });
    });
  }

  /** Called every second or so, unless this process itself stood still. */
  look(now: number): void {
    if (!this.isBound) {
      if (now - this.#openedAt > bindTimeoutMs && !this.#isBinding) this.drop('it did not bind');
      return;
    }
    const [oldest] = this.#unanswered.values();
    if (oldest !== undefined && now - oldest.at > deliveryTimeoutMs)
      this.drop('it did not answer a delivery');
    else if (this.#askedAt !== undefined && now - this.#askedAt > silenceMs)
      this.drop('it did not answer enquire_link');
    else if (this.#askedAt === undefined && now - this.#heardAt > silenceMs) {
      this.#askedAt = now;
      this.#connection.write({ command: 'enquireLink', sequence: this.#nextSequence() });
    }
  }

  drop(reason: string): void {
    this.#connection.close(reason);
  }

  /** Unbinds once everything under way is answered. Resolves when the connection has ended. */
  leave(reason: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#leaving ??= new Promise((resolve) => {
      this.#left = resolve;
      if (!this.isBound) return this.drop(reason);
      this.#isLeaving = true;
      setTimeout(() => this.drop(reason), unbindTimeoutMs).unref();
      this.#unbindIfDone();
    });
    return this.#leaving;
  }

  #unbindIfDone(): void {
    if (!this.#isLeaving || this.#pending > 0) return;
    if (this.#unbindSequence !== undefined) this.#endUnbound(this.#unbindSequence);
    else if (this.#unanswered.size === 0)
      this.#connection.write({ command: 'unbind', sequence: this.#nextSequence() });
  }

  /** The client learns first what became of its requests under way. */
  #unbind(sequence: number): void {
    if (this.#unbindSequence !== undefined) {
      this.#countFault();
      return;
    }
    this.#unbindSequence = sequence;
    this.#isLeaving = true;
    setTimeout(() => this.#endUnbound(sequence), unbindTimeoutMs).unref();
    this.#unbindIfDone();
  }

  #endUnbound(sequence: number): void {
    this.#connection.write({ command: 'unbindResp', sequence });
    this.#connection.end('unbound');
  }

  #nextSequence(): number {
    this.#sequence = (this.#sequence % maxSequence) + 1;
    return this.#sequence;
  }

  #received(pdu: Pdu): void {
    this.#heardAt = performance.now();
    this.#askedAt = undefined;
    switch (pdu.command) {
      case 'bindTransceiver':
      case 'bindTransmitter':
      case 'bindReceiver':
        this.#bind(pdu);
        return;
      case 'submitSm':
      case 'dataSm':
      case 'submitMulti':
      case 'querySm':
      case 'cancelSm':
        this.#request(pdu);
        return;
      case 'replaceSm':
        this.#refuse(pdu, this.isBound ? commandStatus.ESME_RREPLACEFAIL : commandStatus.ESME_RINVBNDSTS);
        this.#countIdle();
        return;
      case 'deliverSmResp':
      case 'genericNack':
        this.#answered(pdu.sequence, pdu.status);
        return;
      case 'enquireLink':
        this.#connection.write({ command: 'enquireLinkResp', sequence: pdu.sequence });
        this.#countIdle();
        return;
      case 'enquireLinkResp':
        this.#countIdle();
        return;
      case 'unbind':
        this.#unbind(pdu.sequence);
        return;
      case 'unbindResp':
        if (this.#isLeaving && this.#unbindSequence === undefined) this.#connection.end('unbound');
        else this.#countFault();
        return;
      default:
        if (hasResponse(pdu)) this.#refuse(pdu, commandStatus.ESME_RINVCMDID);
        this.#countFault();
    }
  }

  #bind(pdu: BindPdu): void {
    if (this.isBound || this.#isBinding) {
      this.#answerBind(pdu, commandStatus.ESME_RALYBND);
      this.#countFault();
      return;
    }
    this.#isBinding = true;
    this.#events
      .bind(pdu)
      .catch(() => commandStatus.ESME_RSYSERR)
      .then((status) => {
        this.#isBinding = false;
        if (this.#isClosed) return;
        if (status === commandStatus.ESME_ROK) {
          this.#role = roles[pdu.command];
          this.interfaceVersion = pdu.interfaceVersion;
        }
        this.#answerBind(pdu, status);
        if (status === commandStatus.ESME_ROK) this.#events.room();
        else this.#connection.end('the bind was refused');
      });
  }

  #answerBind({ command, sequence, interfaceVersion }: BindPdu, status: number): void {
    if (status !== commandStatus.ESME_ROK) this.#events.refused(command, status);
    // Optional parameters go only to clients that know them (SMPP 3.4, 4.1.2).
    const tlvs = interfaceVersion >= 0x34 && status === 0 ? { scInterfaceVersion: 0x34 } : {};
    this.#connection.write({ command: `${command}Resp`, sequence, status, systemId: 'carillon', tlvs });
  }

  #request(pdu: ClientRequest): void {
    if (this.#role?.submits !== true) {
      this.#refuse(pdu, commandStatus.ESME_RINVBNDSTS);
      this.#countFault();
      return;
    }
    const refusal = this.#refusalOf(pdu);
    if (refusal !== undefined) {
      this.#refuse(pdu, refusal);
      this.#holdIfFlooding();
      return;
    }
    this.#pending += 1;
    this.#events
      .answer(pdu)
      .catch(() => refusalOf(pdu, commandStatus.ESME_RSYSERR))
      .then((answer) => {
        this.#pending -= 1;
        if (this.#isClosed) return;
        this.#connection.write(answer);
        if (answer.status) {
          this.#events.refused(pdu.command, answer.status);
          this.#holdIfFlooding(costOf(pdu));
        } else this.#refusals.end();
        this.#unbindIfDone();
      });
  }

  #refusalOf(pdu: ClientRequest): number | undefined {
    if (this.#isLeaving) return commandStatus.ESME_RSYSERR;
    const isTooMuch = this.#pending >= this.#window || !this.#events.admits(pdu);
    return isTooMuch ? commandStatus.ESME_RTHROTTLED : undefined;
  }

  #refuse(pdu: Pdu, status: number): void {
    this.#events.refused(pdu.command, status);
    this.#connection.write(refusalOf(pdu, status));
  }

  #holdIfFlooding(cost = 1): void {
    if (this.#refusals.count(cost) < maxRefusals || this.#holding !== undefined) return;
    this.#refusals.end();
    this.#connection.hold();
    this.#holding = setTimeout(() => {
      this.#holding = undefined;
      this.#connection.release();
    }, holdMs);
  }

  #countIdle(): void {
    if (this.isBound) this.#holdIfFlooding();
    else this.#countFault();
  }

  #answered(sequence: number, status: number): void {
    const delivery = this.#unanswered.get(sequence);
    if (delivery === undefined) {
      this.#countFault();
      return;
    }
    this.#unanswered.delete(sequence);
    delivery.answered(status);
    this.#unbindIfDone();
  }

  #receivedNonsense(fault: DecodeFault): void {
    this.#heardAt = performance.now();
    const answer = answerToFault(fault);
    if (answer !== undefined) this.#connection.write(answer);
    this.#countFault();
  }

  #countFault(): void {
    if (this.#faults.count() >= maxFaults || (!this.isBound && !this.#isBinding))
      this.#connection.end('it sent what makes no sense');
  }

  #closed(reason: string): void {
    this.#isClosed = true;
    clearTimeout(this.#holding);
    for (const { answered } of this.#unanswered.values()) answered(undefined);
    this.#unanswered.clear();
    this.#events.closed(reason);
    this.#left?.();
  }
}

/** Counts what happens again and again: after so long without it, it counts from the start. */
class Streak {
  readonly #pauseMs: number;
  #count = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** It happens once more, or costs as much as so many; returns how often now. */
  count(times = 1): number {
    const now = performance.now();
    if (now - this.#lastAt > this.#pauseMs) this.#count = 0;
    this.#lastAt = now;
    this.#count += times;
    return this.#count;
  }

  end(): void {
    this.#count = 0;
  }
}

const octetsOfRefusal = 1_000;

/** A long text is read before it is refused, so that it counts as several. */
function costOf(pdu: ClientRequest): number {
  const payload = 'tlvs' in pdu ? pdu.tlvs.messagePayload : undefined;
  return 1 + Math.floor((payload?.length ?? 0) / octetsOfRefusal);
}
