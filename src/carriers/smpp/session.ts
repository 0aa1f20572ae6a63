/**
 * One connection to the SMSC, from its first byte to its last (SMPP 3.4, 2.2):
 *
 *   connecting ──▶ binding ──▶ bound ──the SMSC or we want to unbind──▶ draining ──no answer is due──▶ unbinding
 *       └─────────────┴──────────┴──────────────silence, nonsense, a lost connection──────────┴──────────────┴──▶ closed
 *
 * It insists on an answer to whatever it asks, and answers whatever it is asked.
 */
import { commandStatus } from '../../wire/smpp/command-status.ts';
import type { DecodeFault, Pdu, PduInput, PduInputOf, PduOf } from '../../wire/smpp/pdu.ts';
import type { OutgoingPart } from '../carrier.ts';
import { Connection } from './connection.ts';
import { Outstanding } from './outstanding.ts';
import { bindAdvice, nameStatus } from './refusal.ts';
import { Rest } from './rest.ts';
import type { SmppSettings } from './settings.ts';
import type { Tally } from './tally.ts';

export type Role = 'transceiver' | 'transmitter' | 'receiver';

/** What the SMSC makes of a submission. */
export type Answer = PduOf<'submitSmResp'> | PduOf<'genericNack'>;

/** What the SMSC brings by itself. */
export type Delivery = PduOf<'deliverSm'> | PduOf<'dataSm'>;

export interface SessionEvents {
  bound(): void;
  /** The SMSC's answer to a submission that was written then. */
  answered(part: OutgoingPart, answer: Answer, writtenAt: number): void;
  /** The SMSC has it, or not. */
  inDoubt(part: OutgoingPart, reason: string): void;
  /** The SMSC can't have these. */
  unwritten(parts: readonly OutgoingPart[]): void;
  delivered(pdu: Delivery): void;
  /** There may be room again. */
  turn(): void;
  /** Once; all submissions have been told of before. */
  closed(reason: string): void;
}

type State = 'connecting' | 'binding' | 'bound' | 'draining' | 'unbinding' | 'closed';

const bindCommands = {
  transceiver: 'bindTransceiver',
  transmitter: 'bindTransmitter',
  receiver: 'bindReceiver',
} as const;

/** How often it looks for answers that are overdue: four times in the shortest of its times. */
const leastLookMs = 25;
const mostLookMs = 1_000;

/** Leaving politely is worth no longer wait. */
const mostUnbindMs = 2_000;

/** Of command_id: it is a response (SMPP 3.4, 5.1.2.1). */
const responseBit = 0x8000_0000;

/** A request of the session's own, one of a kind at a time. */
interface Asked {
  readonly sequence: number;
  readonly at: number;
}

export class Session {
  readonly role: Role;
  readonly rest: Rest;
  readonly #settings: SmppSettings;
  readonly #events: SessionEvents;
  readonly #tally: Tally;
  readonly #connection: Connection;
  readonly #outstanding: Outstanding<OutgoingPart>;
  readonly #lookMs: number;
  #state: State = 'connecting';
  /** Numbers of requests that wait to be written. */
  #unwritten: number[] = [];
  #bind: Asked | undefined;
  #enquiry: Asked | undefined;
  #enquiredAt = 0;
  #unbind: Asked | undefined;
  /** Of the SMSC's own unbind, to be answered when nothing is due any more. */
  #unbindAsked: number | undefined;
  #unbindReason = '';
  #heardAt = 0;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: SmppSettings, role: Role, tally: Tally, events: SessionEvents) {
    this.role = role;
    this.#settings = settings;
    this.#events = events;
    this.#tally = tally;
    this.#outstanding = new Outstanding(settings.window);
    this.rest = new Rest(settings.throttlePauseMs, () => events.turn());
    this.#lookMs = Math.min(
      mostLookMs,
      Math.max(leastLookMs, Math.min(settings.responseTimeoutMs, settings.enquireLinkMs) / 4),
    );
    this.#connection = new Connection(settings, {
      connected: () => this.#connected(),
      pdu: (pdu) => this.#heard(pdu),
      fault: (fault) => this.#heardNonsense(fault),
      turn: () => this.#turn(),
      flushed: () => this.#flushed(),
      closed: (reason) => this.#closed(reason),
    });
  }

  get isBound(): boolean {
    return this.#state === 'bound';
  }

  /** OutgoingParts without an answer. */
  get unanswered(): number {
    return this.#outstanding.size;
  }

  /** OutgoingParts that it would take, were there no rest. */
  get freeWindow(): number {
    if (this.#state !== 'bound' || this.role === 'receiver') return 0;
    return Math.max(0, this.#settings.window - this.#outstanding.size);
  }

  get room(): number {
    return this.rest.isOn || !this.#connection.isWritable ? 0 : this.freeWindow;
  }

  /** Never more than there is room for. Throws a RangeError over what no PDU can carry. */
  submit(part: OutgoingPart, compose: (sequence: number) => PduInputOf<'submitSm'>): void {
    const sequence = this.#outstanding.add(part);
    try {
      this.#connection.write(compose(sequence));
      this.#unwritten.push(sequence);
    } catch (error) {
      this.#outstanding.take(sequence);
      throw error;
    }
  }

  respond(request: Delivery, status: number): void {
    const command = request.command === 'deliverSm' ? 'deliverSmResp' : 'dataSmResp';
    this.#connection.write({ command, status, sequence: request.sequence });
  }

  /** Takes nothing any more, waits for the answers that are due, and ends. */
  drain(reason: string): void {
    if (this.#state === 'connecting' || this.#state === 'binding') return this.close(reason);
    if (this.#state !== 'bound') return;
    this.#state = 'draining';
    this.#unbindReason = reason;
    this.#turn();
  }

  /** Takes what has no answer for being in doubt, and ends. */
  giveUp(reason: string): void {
    this.#tellUnanswered(reason);
    this.drain(reason);
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  #connected(): void {
    const { systemId, password, systemType, addressRange, interfaceVersion } = this.#settings;
    const now = performance.now();
    this.#state = 'binding';
    this.#bind = { sequence: this.#outstanding.draw(), at: now };
    this.#heardAt = now;
    this.#lookedAt = now;
    this.#timer = setInterval(() => this.#look(), this.#lookMs);
    this.#connection.write({
      command: bindCommands[this.role],
      status: 0,
      sequence: this.#bind.sequence,
      systemId,
      password,
      systemType,
      interfaceVersion: Number.parseInt(interfaceVersion.replace('0x', ''), 16),
      addrTon: 0,
      addrNpi: 0,
      addressRange,
    } as PduInput);
  }

  #heard(pdu: Pdu): void {
    this.#heardAt = performance.now();
    switch (pdu.command) {
      case 'submitSmResp':
        return this.#answered(pdu);
      case 'deliverSm':
      case 'dataSm':
        return this.#delivered(pdu);
      case 'genericNack':
        return this.#nacked(pdu);
      case 'enquireLink':
        return this.#connection.write({ command: 'enquireLinkResp', sequence: pdu.sequence });
      case 'enquireLinkResp':
        if (pdu.sequence === this.#enquiry?.sequence) this.#enquiry = undefined;
        return;
      case 'bindTransceiverResp':
      case 'bindTransmitterResp':
      case 'bindReceiverResp':
        return this.#bindAnswered(pdu.sequence, pdu.status);
      case 'unbind':
        return this.#askedToUnbind(pdu.sequence);
      case 'unbindResp':
        if (pdu.sequence === this.#unbind?.sequence) this.#connection.end(this.#unbindReason);
        return;
      case 'alertNotification':
        // It has no answer (SMPP 3.4, 4.12), and tells nothing that we asked for.
        return;
      default:
        return this.#heardUnknown(pdu);
    }
  }

  #answered(pdu: Answer): void {
    const writtenAt = this.#outstanding.writtenAt(pdu.sequence);
    const part = this.#outstanding.take(pdu.sequence);
    // It came too late, twice, or for nothing that was ever asked.
    if (part === undefined) this.#tally.unexpectedAnswers += 1;
    else this.#events.answered(part, pdu, writtenAt);
  }

  #delivered(pdu: Delivery): void {
    if (this.#state === 'bound' || this.#state === 'draining') this.#events.delivered(pdu);
    // Soon there is nobody here to take it: the SMSC keeps it for the next bind.
    else this.respond(pdu, commandStatus.ESME_RX_T_APPN);
  }

  #nacked(pdu: PduOf<'genericNack'>): void {
    if (pdu.sequence === this.#bind?.sequence) this.#bindAnswered(pdu.sequence, pdu.status);
    // There is somebody, even if enquire_link is not known there.
    else if (pdu.sequence === this.#enquiry?.sequence) this.#enquiry = undefined;
    else if (pdu.sequence === this.#unbind?.sequence) this.#connection.end(this.#unbindReason);
    else this.#answered(pdu);
  }

  #bindAnswered(sequence: number, status: number): void {
    if (this.#state !== 'binding' || sequence !== this.#bind?.sequence) {
      this.#tally.unexpectedAnswers += 1;
      return;
    }
    this.#bind = undefined;
    if (status !== 0)
      return this.close(`the SMSC refused the bind: ${nameStatus(status)}${bindAdvice(status)}`);
    this.#state = 'bound';
    this.#enquiredAt = performance.now();
    this.#events.bound();
  }

  /** Requests that an SMSC has no business to send, outbind among them: we choose whom we connect to. */
  #heardUnknown(pdu: Pdu): void {
    if (pdu.command.endsWith('Resp')) {
      this.#tally.unexpectedAnswers += 1;
      return;
    }
    this.#tally.refusedPdus += 1;
    this.#connection.write({
      command: 'genericNack',
      status: commandStatus.ESME_RINVCMDID,
      sequence: pdu.sequence,
    });
  }

  #heardNonsense({ fault, commandId, sequence, status }: DecodeFault): void {
    this.#heardAt = performance.now();
    this.#tally.refusedPdus += 1;
    // A response is not answered, not even an unreadable one. What it answered stays in doubt.
    if (commandId < responseBit)
      return this.#connection.write({ command: 'genericNack', status: status, sequence: sequence });
    const part = this.#outstanding.take(sequence);
    if (part !== undefined) this.#events.inDoubt(part, `the SMSC’s answer can't be read: ${fault}`);
  }

  #askedToUnbind(sequence: number): void {
    this.#unbindAsked = sequence;
    this.drain('the SMSC unbound');
  }

  #turn(): void {
    if (this.#state === 'draining' && this.#outstanding.size === 0) this.#leave();
    this.#events.turn();
  }

  #leave(): void {
    this.#state = 'unbinding';
    if (this.#unbindAsked !== undefined) {
      this.#connection.write({ command: 'unbindResp', sequence: this.#unbindAsked });
      return this.#connection.end(this.#unbindReason);
    }
    this.#unbind = { sequence: this.#outstanding.draw(), at: performance.now() };
    this.#connection.write({ command: 'unbind', sequence: this.#unbind.sequence });
  }

  #flushed(): void {
    if (this.#unwritten.length === 0) return;
    const now = performance.now();
    for (const sequence of this.#unwritten) this.#outstanding.written(sequence, now);
    this.#unwritten = [];
  }

  /** Whether an answer is overdue, and whether the SMSC is still there. */
  #look(): void {
    const now = performance.now();
    const wasHeldUp = now - this.#lookedAt > 2 * this.#lookMs + leastLookMs;
    this.#lookedAt = now;
    // We were asleep: what has come meanwhile must be read before anything can be called late.
    if (wasHeldUp) return;
    const { responseTimeoutMs, enquireLinkMs } = this.#settings;
    const overdue = now - responseTimeoutMs;
    if (this.#unbind !== undefined && this.#unbind.at < now - mostUnbindMs)
      return this.close(this.#unbindReason);
    if (this.#bind !== undefined && this.#bind.at < overdue) return this.#unheeded('the bind');
    if (this.#enquiry !== undefined && this.#enquiry.at < overdue) return this.#unheeded('enquire_link');
    this.#tellOverdue(overdue);
    if (this.#state === 'bound' && this.#enquiry === undefined && now - this.#enquiredAt >= enquireLinkMs)
      this.#enquire(now);
  }

  #unheeded(request: string): void {
    this.#tally.timeouts += 1;
    this.close(`the SMSC did not answer ${request} within ${this.#settings.responseTimeoutMs} ms`);
  }

  #enquire(now: number): void {
    this.#enquiredAt = now;
    this.#enquiry = { sequence: this.#outstanding.draw(), at: now };
    this.#connection.write({ command: 'enquireLink', sequence: this.#enquiry.sequence });
  }

  #tellOverdue(overdue: number): void {
    const late = this.#outstanding.takeOlder(overdue);
    if (late.length === 0) return;
    this.#tally.timeouts += late.length;
    const reason = `the SMSC did not answer submit_sm within ${this.#settings.responseTimeoutMs} ms`;
    for (const { item } of late) this.#events.inDoubt(item, reason);
    // Late answers are one thing, a half-open connection another: nothing has come since.
    if (this.#heardAt < overdue) this.close(reason);
    else this.#turn();
  }

  #tellUnanswered(reason: string): void {
    const unwritten = this.#outstanding.takeUnwritten();
    if (unwritten.length > 0) this.#events.unwritten(unwritten.map(({ item }) => item));
    for (const { item } of this.#outstanding.takeAll()) this.#events.inDoubt(item, reason);
  }

  #closed(reason: string): void {
    const isNew = this.#state === 'connecting';
    this.#state = 'closed';
    clearInterval(this.#timer);
    this.rest.stop();
    this.#tellUnanswered(`the connection was lost before the SMSC answered: ${reason}`);
    const { host, port } = this.#settings;
    this.#events.closed(isNew ? `${host}:${port} can't be reached: ${reason}` : reason);
  }
}
