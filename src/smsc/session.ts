/**
 * One connection of a client, from its first byte to its last (SMPP 3.4, 2.2):
 *
 *   open ──bind──▶ bound ──unbind, theirs or ours──▶ closed
 *     └──refused, silent──┴──lost, dropped, nonsense──┘
 *
 * The session answers all requests of its client; other modules handle what is submitted and delivered.
 */
import type { Socket } from 'node:net';
import { Connection, type PeerWords } from '../carriers/smpp/link/connection.ts';
import { quotedPrintable } from '../foundation/terminal.ts';
import { commandStatus, commandStatusName } from '../wire/smpp/command-status.ts';
import type { PduOf } from '../wire/smpp/commands.ts';
import type { DecodeFault, Pdu, PduInput } from '../wire/smpp/pdu.ts';
import { answerToFault, hasResponse, refusalOf } from '../wire/smpp/responses.ts';
import type { ServerSettings } from './behaviour.ts';
import type { EventLog } from './event-log.ts';

export type Submission = PduOf<'submitSm'> | PduOf<'dataSm'>;
export type BindPdu = PduOf<'bindTransceiver'> | PduOf<'bindTransmitter'> | PduOf<'bindReceiver'>;

/** A delivery to a client: a receipt or an SMS from a phone. */
export interface QueuedDelivery {
  readonly event: 'receipt' | 'incoming';
  /** Undefined means any client that can receive. */
  readonly systemId: string | undefined;
  /** The session to prefer or to avoid. */
  readonly origin?: { readonly session: ClientSession; readonly isAvoided: boolean };
  readonly fields: Omit<Extract<PduInput, { command: 'deliverSm' }>, 'command' | 'sequence'>;
  /** Describes the delivery for the journal. */
  readonly describe: () => string;
  tries: number;
}

interface ClientSessionEvents {
  /** Returns the command_status to respond with. */
  checkBind(bind: BindPdu): number;
  bound(session: ClientSession): void;
  submitted(session: ClientSession, submission: Submission): void;
  /** The client has responded to the delivery. */
  settled(session: ClientSession, delivery: QueuedDelivery, status: number): void;
  /** The session may have room for more deliveries. */
  room(session: ClientSession): void;
  closed(session: ClientSession, unsettled: readonly QueuedDelivery[]): void;
}

const roles = {
  bindTransceiver: 'transceiver',
  bindTransmitter: 'transmitter',
  bindReceiver: 'receiver',
} as const;

type BindRole = (typeof roles)[keyof typeof roles];

/** A client that connects but does not bind within this time is disconnected. */
const bindTimeoutMs = 30_000;
const unbindTimeoutMs = 5_000;
/** The normal end of a session, which needs no mention. */
const unboundReason = 'unbound';
/** Unanswered deliveries allowed per connection. Further ones wait. */
const deliveryWindow = 1_000;
const maxSequence = 0x7fff_ffff;

const words: PeerWords = { name: 'the client', sentNonsense: () => 'it sent data that is not SMPP' };

export class ClientSession {
  readonly number: number;
  systemId = '';
  submissions = 0;
  readonly #behaviour: ServerSettings;
  readonly #journal: EventLog;
  readonly #events: ClientSessionEvents;
  readonly #address: string;
  readonly #connection: Connection;
  readonly #unsettled = new Map<number, QueuedDelivery>();
  #role: BindRole | undefined;
  #sequence = 0;
  #timer: NodeJS.Timeout | undefined;
  #isEnquiring = false;
  #isLeaving = false;
  #unbound: (() => void) | undefined;

  constructor(
    number: number,
    socket: Socket,
    behaviour: ServerSettings,
    journal: EventLog,
    events: ClientSessionEvents,
  ) {
    this.number = number;
    this.#behaviour = behaviour;
    this.#journal = journal;
    this.#events = events;
    this.#address = `${socket.remoteAddress}:${socket.remotePort}`;
    const heard = {
      pdu: (pdu: Pdu) => this.#received(pdu),
      fault: (fault: DecodeFault) => this.#receivedUndecodable(fault),
      turn: () => this.#events.room(this),
      closed: (reason: string) => this.#closed(reason),
    };
    this.#connection = new Connection(socket, heard, words);
    this.#timer = setTimeout(() => this.drop('it did not bind'), bindTimeoutMs);
  }

  get isBound(): boolean {
    return this.#role !== undefined;
  }

  /** Whether a delivery can go out now. */
  get hasRoom(): boolean {
    const isReceiver = this.#role === 'transceiver' || this.#role === 'receiver';
    const isInWindow = this.#unsettled.size < deliveryWindow;
    return isReceiver && isInWindow && !this.#isLeaving && this.#connection.isWritable;
  }

  get load(): number {
    return this.#unsettled.size;
  }

  deliver(delivery: QueuedDelivery): void {
    const sequence = this.#nextSequence();
    try {
      this.#connection.write({ command: 'deliverSm', sequence, ...delivery.fields });
    } catch (error) {
      // A data_sm address can be longer than a deliver_sm has room for.
      this.#journal.deliveriesRefused += 1;
      this.#journal.record('fault', () => `${(error as Error).message} Discarded: ${delivery.describe()}`);
      return;
    }
    this.#unsettled.set(sequence, delivery);
    this.#journal.record(delivery.event, () => `#${this.number}  ${delivery.describe()}`);
  }

  /** Returns whether a client was still bound to receive the response. */
  respond({ command, sequence }: Submission, status: number, messageId = ''): boolean {
    if (!this.isBound) return false;
    const response = command === 'submitSm' ? 'submitSmResp' : 'dataSmResp';
    this.#connection.write({ command: response, sequence, status, messageId });
    return true;
  }

  drop(reason: string): void {
    this.#connection.close(reason);
  }

  /** Unbinds after the client has responded to its deliveries. Resolves when the connection has ended. */
  unbind(): Promise<void> {
    return new Promise((resolve) => {
      this.#unbound = resolve;
      if (!this.isBound) {
        this.drop('the SMSC is stopping');
        return;
      }
      this.#isLeaving = true;
      setTimeout(() => this.drop('it did not answer before the SMSC stopped'), unbindTimeoutMs).unref();
      if (this.#unsettled.size === 0) this.#takeLeave();
    });
  }

  #takeLeave(): void {
    this.#journal.record('unbind', () => `#${this.number}  the SMSC is stopping`);
    this.#connection.write({ command: 'unbind', sequence: this.#nextSequence() });
  }

  #nextSequence(): number {
    this.#sequence = (this.#sequence % maxSequence) + 1;
    return this.#sequence;
  }

  #received(pdu: Pdu): void {
    const { command, damage } = pdu;
    if (damage !== undefined)
      this.#journal.record('fault', () => `#${this.number}  ${command}: ${damage} The rest was accepted.`);
    switch (pdu.command) {
      case 'submitSm':
      case 'dataSm':
        if (this.#role === 'transceiver' || this.#role === 'transmitter') this.#events.submitted(this, pdu);
        else this.#refuse(pdu, commandStatus.ESME_RINVBNDSTS);
        return;
      case 'deliverSmResp':
      case 'genericNack':
        this.#settle(pdu.sequence, pdu.status);
        return;
      case 'enquireLink':
        if (this.#behaviour.answersEnquireLink)
          this.#connection.write({ command: 'enquireLinkResp', sequence: pdu.sequence });
        return;
      case 'enquireLinkResp':
        this.#isEnquiring = false;
        return;
      case 'bindTransceiver':
      case 'bindTransmitter':
      case 'bindReceiver':
        this.#bind(pdu);
        return;
      case 'unbind':
        this.#journal.record('unbind', () => `#${this.number}  ${quotedPrintable(this.systemId)} unbinds`);
        this.#connection.write({ command: 'unbindResp', sequence: pdu.sequence });
        this.#connection.end(unboundReason);
        return;
      case 'unbindResp':
        this.#connection.end(unboundReason);
        return;
      default:
        if (hasResponse(pdu)) this.#refuse(pdu, commandStatus.ESME_RINVCMDID);
    }
  }

  #bind(pdu: BindPdu): void {
    const { command, sequence, systemId, interfaceVersion } = pdu;
    const status = this.isBound ? commandStatus.ESME_RALYBND : this.#events.checkBind(pdu);
    const role = roles[command];
    const version = `${interfaceVersion >> 4}.${interfaceVersion & 0xf}`;
    this.#journal.record(
      'bind',
      () =>
        `#${this.number}  ${quotedPrintable(systemId)} as ${role}, SMPP ${version}, from ${this.#address}: ${commandStatusName(status)}`,
    );
    // Optional parameters go only to clients that know them (SMPP 3.4, 4.1.2).
    const tlvs = interfaceVersion >= 0x34 && status === 0 ? { scInterfaceVersion: 0x34 } : {};
    this.#connection.write({ command: `${command}Resp`, sequence, status, systemId: 'carillon-smsc', tlvs });
    if (status === 0) this.#acceptBind(systemId, role);
    else {
      this.#journal.bindsRefused += 1;
      if (!this.isBound) this.#connection.end('the bind was refused');
    }
  }

  #acceptBind(systemId: string, role: BindRole): void {
    this.systemId = systemId;
    this.#role = role;
    this.#journal.binds += 1;
    clearTimeout(this.#timer);
    const { enquireLinkMs } = this.#behaviour;
    if (enquireLinkMs > 0) this.#timer = setInterval(() => this.#enquire(), enquireLinkMs);
    this.#events.bound(this);
  }

  #enquire(): void {
    if (this.#isEnquiring) this.drop('it did not answer enquire_link');
    else {
      this.#isEnquiring = true;
      this.#connection.write({ command: 'enquireLink', sequence: this.#nextSequence() });
    }
  }

  #settle(sequence: number, status: number): void {
    const delivery = this.#unsettled.get(sequence);
    if (delivery === undefined) return;
    this.#unsettled.delete(sequence);
    this.#events.settled(this, delivery, status);
    if (!this.#isLeaving) this.#events.room(this);
    else if (this.#unsettled.size === 0) this.#takeLeave();
  }

  #refuse(pdu: Pdu, status: number): void {
    this.#journal.record('refused', () => `#${this.number}  ${pdu.command}: ${commandStatusName(status)}`);
    this.#connection.write(refusalOf(pdu, status));
  }

  #receivedUndecodable(fault: DecodeFault): void {
    this.#journal.record('fault', () => `#${this.number}  ${fault.fault}`);
    const answer = answerToFault(fault);
    if (answer !== undefined) this.#connection.write(answer);
  }

  #closed(reason: string): void {
    clearTimeout(this.#timer);
    this.#role = undefined;
    if (reason !== unboundReason) this.#journal.record('closed', () => `#${this.number}  ${reason}`);
    const unsettled = [...this.#unsettled.values()];
    this.#unsettled.clear();
    this.#events.closed(this, unsettled);
    this.#unbound?.();
  }
}
