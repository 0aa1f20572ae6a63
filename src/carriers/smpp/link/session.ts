/**
 * One connection to the SMSC, from its first byte to its last (SMPP 3.4, section 2.2):
 *
 *   connecting ──▶ binding ──▶ bound ──the SMSC or we want to unbind──▶ draining ──no answer is due──▶ unbinding
 *       └─────────────┴──────────┴───────silence, nonsense, a lost connection──────┴─────────────────────┴──▶ closed
 *
 * It requires an answer to each of its requests, and answers each request of the SMSC.
 */

import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { storedReason } from '../../../foundation/sentences.ts';
import { Watchdog } from '../../../foundation/watchdog.ts';
import { commandStatus } from '../../../wire/smpp/command-status.ts';
import type { PduOf } from '../../../wire/smpp/commands.ts';
import type { DecodeFault, Pdu, PduInput, PduInputOf } from '../../../wire/smpp/pdu.ts';
import { ThrottleBackoff } from '../../backoff.ts';
import { maxAnswerMs, type OutgoingPart, unreachable } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';
import { Connection, type ConnectionEvents, type PeerWords } from './connection.ts';
import type { LinkCounters } from './counters.ts';
import { bindAdvice, nameStatus } from './refusal.ts';
import { noAnswer, type SubmissionEvents, Submissions } from './submissions.ts';

export type BindRole = 'transceiver' | 'transmitter' | 'receiver';

/** The node's lease, which says whether it may submit at this moment. */
export interface Lease {
  readonly isHeld: boolean;
}

/** The PDUs that the SMSC sends on its own. */
export type DeliveryPdu = PduOf<'deliverSm'> | PduOf<'dataSm'>;

export interface LinkSessionEvents extends SubmissionEvents {
  bound(): void;
  delivered(pdu: DeliveryPdu): void;
  /** There may be room for submissions again. */
  turn(): void;
  /** Called once, after every submission was reported. */
  closed(reason: string): void;
}

export interface LinkOptions {
  readonly settings: SmppSettings;
  readonly role: BindRole;
  readonly counters: LinkCounters;
  readonly lease: Lease;
}

type LinkSessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'unbinding' | 'closed';

/** The longest wait for the response to an unbind. */
const maxUnbindMs = 2_000;

/** The longest wait, before an unbind, for deliveries that are being stored; SMSCs wait longer for our response. */
const maxStoringMs = 5_000;

/** While reading is paused from time to time, responses may take this many times as long. */
const heldReadFactor = 4;

/** The bit of command_id that marks a response (SMPP 3.4, section 5.1.2.1). */
const responseBit = 0x8000_0000;

export class LinkSession {
  readonly role: BindRole;
  readonly throttleBackoff: ThrottleBackoff;
  readonly #settings: SmppSettings;
  readonly #events: LinkSessionEvents;
  readonly #counters: LinkCounters;
  readonly #connection: Connection;
  readonly #submissions: Submissions;
  readonly #own = new OwnRequests();
  readonly #watchdog: Watchdog;
  #state: LinkSessionState = 'connecting';
  #enquiredAt = 0;
  #receivedAt = 0;
  /** The sequence number of the SMSC's own unbind, which is answered once no response is outstanding on either side. */
  #unbindAsked: number | undefined;
  #endReason = '';
  /** Deliveries that were handed on and have no response yet. */
  #deliveries = 0;
  /** While draining, waits for deliveries until this time, by `performance.now()`. */
  #storedBy = Number.NEGATIVE_INFINITY;

  constructor({ settings, role, counters, lease }: LinkOptions, events: LinkSessionEvents) {
    this.role = role;
    this.throttleBackoff = new ThrottleBackoff(settings.throttlePauseMs, () => events.turn());
    this.#settings = settings;
    this.#events = events;
    this.#counters = counters;
    this.#submissions = new Submissions(settings.window, counters, events);
    this.#watchdog = new Watchdog(Math.min(settings.responseTimeoutMs, settings.enquireLinkMs), (now) =>
      this.#checkTimeouts(now),
    );
    this.#connection = connect(settings, {
      connected: () => this.#connected(),
      pdu: (pdu) => this.#received(pdu),
      fault: (fault) => this.#receivedUndecodable(fault),
      turn: () => this.#turn(),
      flushed: () => this.#submissions.flushed(),
      maySubmit: () => lease.isHeld,
      withdrawn: () => this.#submissions.takeBack(),
      closed: (reason) => this.#closed(reason),
    });
  }

  get isBound(): boolean {
    return this.#state === 'bound';
  }

  /** Whether the window has room for more submissions. */
  get hasWindow(): boolean {
    return this.#submissions.room > 0;
  }

  /** Number of submissions whose response is late and may still come. */
  get late(): number {
    return this.#submissions.late;
  }

  /** Number of submissions that it would take now. */
  get room(): number {
    const isOpen = this.#state === 'bound' && this.role !== 'receiver' && this.#connection.isWritable;
    return isOpen && !this.throttleBackoff.isOn ? this.#submissions.room : 0;
  }

  /** Call this only while there is room. Throws a RangeError for a part that no PDU can carry. */
  submit(part: OutgoingPart, compose: (sequence: number) => PduInputOf<'submitSm'>): void {
    this.#submissions.add(part, (sequence) => this.#connection.write(compose(sequence)));
  }

  /** Call this once for each PDU that was `delivered`. */
  respond(request: DeliveryPdu, status: number): void {
    this.#deliveries -= 1;
    this.#answer(request, status);
    if (this.#state === 'draining' && this.#deliveries === 0) this.#turn();
  }

  /** Reads nothing more until it is released. */
  hold(): void {
    this.#counters.heldReads += 1;
    this.#connection.hold();
  }

  release(): void {
    this.#connection.release();
  }

  /** Takes no more submissions, waits for the outstanding responses on both sides, and ends. */
  drain(reason: string): void {
    if (this.#state === 'connecting' || this.#state === 'binding') this.close(reason);
    if (this.#state !== 'bound') return;
    this.#state = 'draining';
    this.#endReason = reason;
    this.#storedBy = performance.now() + maxStoringMs;
    this.#turn();
  }

  /** Reports written submissions without a response as in doubt, writes no more, waits for nothing, and ends. */
  giveUp(reason: string): void {
    // These submissions were reported as unwritten, so they must not go out with the unbind.
    this.#connection.withdrawSubmissions();
    this.#submissions.giveUpAll(reason);
    this.drain(reason);
    this.#storedBy = Number.NEGATIVE_INFINITY;
    if (this.#state === 'draining') this.#turn();
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  #connected(): void {
    this.#state = 'binding';
    this.#receivedAt = performance.now();
    this.#watchdog.start();
    const sequence = this.#ask('bind', this.#settings.responseTimeoutMs);
    this.#connection.write(bindRequest(this.#settings, this.role, sequence));
  }

  #ask(request: OwnRequest, timeoutMs: number): number {
    const sequence = this.#submissions.nextSequence();
    this.#own.ask(request, sequence, performance.now() + timeoutMs);
    return sequence;
  }

  #received(pdu: Pdu): void {
    this.#receivedAt = performance.now();
    if (pdu.damage !== undefined) {
      this.#counters.damagedPdus += 1;
      this.#counters.damage = `${pdu.command}: ${pdu.damage}`;
    }
    switch (pdu.command) {
      case 'submitSmResp':
        this.#submissions.answered(pdu);
        break;
      case 'deliverSm':
      case 'dataSm':
        this.#delivered(pdu);
        break;
      case 'enquireLink':
        this.#connection.write({ command: 'enquireLinkResp', sequence: pdu.sequence });
        break;
      case 'unbind':
        this.#unbindAsked = pdu.sequence;
        this.drain('the SMSC unbound');
        break;
      case 'genericNack':
        if (!this.#ownAnswered(pdu)) this.#submissions.answered(pdu);
        break;
      case 'alertNotification':
        // This PDU has no response (SMPP 3.4, section 4.12), and we never ask for it.
        break;
      default:
        this.#receivedOther(pdu);
    }
  }

  #delivered(pdu: DeliveryPdu): void {
    if (this.#state === 'bound' || this.#state === 'draining') {
      this.#deliveries += 1;
      this.#events.delivered(pdu);
      return;
    }
    // Soon no one here can take the delivery, so the SMSC keeps it for the next bind.
    this.#answer(pdu, commandStatus.ESME_RX_T_APPN);
  }

  #answer(request: DeliveryPdu, status: number): void {
    const command = request.command === 'deliverSm' ? 'deliverSmResp' : 'dataSmResp';
    this.#connection.write({ command, status, sequence: request.sequence });
  }

  /** Handles responses to our own requests, and requests that an SMSC must not send, such as outbind. */
  #receivedOther(pdu: Pdu): void {
    if (this.#ownAnswered(pdu)) return;
    if (pdu.command.endsWith('Resp')) {
      this.#counters.unexpectedAnswers += 1;
      return;
    }
    this.#counters.refusedPdus += 1;
    const status = commandStatus.ESME_RINVCMDID;
    this.#connection.write({ command: 'genericNack', status, sequence: pdu.sequence });
  }

  /**
   * Whether the PDU was a response to one of our own requests. An SMSC that does not know enquire_link responds with a
   * generic_nack, and so is alive.
   */
  #ownAnswered({ command, sequence, status }: Pdu): boolean {
    if (!(command === 'genericNack' || command.endsWith('Resp'))) return false;
    const request = this.#own.answered(sequence);
    if (request === 'bind') {
      const isRefused = command === 'genericNack' && status === 0;
      this.#bindAnswered(isRefused ? commandStatus.ESME_RUNKNOWNERR : status);
    }
    if (request === 'unbind') this.#connection.end(this.#endReason);
    return request !== undefined;
  }

  #bindAnswered(status: number): void {
    if (status !== 0) {
      this.close(`the SMSC refused the bind: ${nameStatus(status)}${bindAdvice(status)}`);
      return;
    }
    this.#state = 'bound';
    this.#enquiredAt = performance.now();
    this.#events.bound();
  }

  #receivedUndecodable({ fault, commandId, sequence, status }: DecodeFault): void {
    this.#receivedAt = performance.now();
    this.#counters.refusedPdus += 1;
    // A response gets no response, not even an unreadable one.
    if (commandId >= responseBit) this.#submissions.answeredUnreadably(sequence, fault);
    else this.#connection.write({ command: 'genericNack', status, sequence });
  }

  #turn(): void {
    if (this.#state === 'draining' && this.#submissions.size === 0) {
      // A delivery without a response is sent again on the next bind, as if it had not been stored.
      const isStored = this.#deliveries === 0 || performance.now() >= this.#storedBy;
      if (isStored) this.#unbind();
    }
    this.#events.turn();
  }

  #unbind(): void {
    this.#state = 'unbinding';
    if (this.#unbindAsked === undefined) {
      const sequence = this.#ask('unbind', Math.min(maxUnbindMs, this.#settings.responseTimeoutMs));
      this.#connection.write({ command: 'unbind', sequence });
    } else {
      this.#connection.write({ command: 'unbindResp', sequence: this.#unbindAsked });
      this.#connection.end(this.#endReason);
    }
  }

  /** Checks whether a response is overdue, and whether the SMSC is still there. */
  #checkTimeouts(now: number): void {
    const { responseTimeoutMs, enquireLinkMs } = this.#settings;
    const { isHeld, releasedAt } = this.#connection;
    // A response that seems late may be in data that has not been read yet.
    const mayBeUnread = isHeld || now - releasedAt < responseTimeoutMs;
    const heldMs = Math.min(heldReadFactor * responseTimeoutMs, Math.max(responseTimeoutMs, maxAnswerMs));
    const patienceMs = mayBeUnread ? heldMs : responseTimeoutMs;
    const overdue = mayBeUnread ? undefined : this.#own.overdue(now);
    if (overdue !== undefined) this.#requestTimedOut(overdue);
    else if (!isHeld && this.#state === 'bound' && now - this.#enquiredAt >= enquireLinkMs)
      this.#enquire(now);
    const late = this.#submissions.markLate(now - patienceMs);
    // A late response still counts, but not forever.
    this.#submissions.giveUpLate(now - patienceMs, responseTimeoutMs, patienceMs);
    if (this.#state === 'draining') this.#turn();
    if (late === 0) return;
    // When nothing at all has arrived since, the connection is half-open rather than slow.
    if (this.#receivedAt < now - responseTimeoutMs) this.#timedOut(patienceMs);
    else this.#turn();
  }

  #timedOut(patienceMs: number): void {
    const reason = noAnswer(patienceMs);
    this.#submissions.giveUpWritten(reason);
    this.close(reason);
  }

  #requestTimedOut(request: OwnRequest): void {
    if (request === 'unbind') {
      this.close(this.#endReason);
      return;
    }
    this.#counters.timeouts += 1;
    const what = request === 'bind' ? 'the bind' : request;
    this.close(`the SMSC did not answer ${what} within ${this.#settings.responseTimeoutMs} ms`);
  }

  #enquire(now: number): void {
    if (this.#own.isOpen('enquire_link')) return;
    this.#enquiredAt = now;
    const sequence = this.#ask('enquire_link', this.#settings.responseTimeoutMs);
    this.#connection.write({ command: 'enquireLink', sequence });
  }

  #closed(reason: string): void {
    const wasConnected = this.#state !== 'connecting';
    this.#state = 'closed';
    this.#watchdog.stop();
    this.throttleBackoff.stop();
    this.#submissions.giveUpAll(storedReason({ sentence: 'smsc_lost', why: reason }));
    const { host, port } = this.#settings;
    this.#events.closed(wasConnected ? reason : unreachable(`${host}:${port}`, reason));
  }
}

const words: PeerWords = {
  name: 'the SMSC',
  sentNonsense: ({ fault }) => `what the SMSC sent can't be read any further: ${fault}`,
};

/** Connects to the SMSC, with TLS if configured. */
function connect(
  settings: SmppSettings,
  { connected, ...events }: ConnectionEvents & { connected(): void },
): Connection {
  const { connectTimeoutMs, host, port } = settings;
  const socket = open(settings);
  const connection = new Connection(socket, events, words);
  const timer = setTimeout(
    () => connection.close(`no connection to ${host}:${port} within ${connectTimeoutMs} ms`),
    connectTimeoutMs,
  );
  socket.once('close', () => clearTimeout(timer));
  socket.once(settings.tls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    connection.guarded(connected);
  });
  return connection;
}

/** Never throws: a file that can't be read is reported like any other reason why there is no connection. */
function open({ host, port, tls, tlsCa, tlsVerify }: SmppSettings): Socket {
  if (!tls) return connectTcp({ host, port });
  try {
    // Read for each connection, so that a renewed file is used from the next one on.
    const authority = tlsCa === '' ? {} : { ca: readFileSync(tlsCa) };
    // TLS sends no server name for an IP address (RFC 6066, section 3).
    const servername = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ host, port, rejectUnauthorized: tlsVerify, ...servername, ...authority });
  } catch (error) {
    return new Socket().destroy(error as Error);
  }
}

const bindCommands = {
  transceiver: 'bindTransceiver',
  transmitter: 'bindTransmitter',
  receiver: 'bindReceiver',
} as const;

/** SMPP 3.4, section 4.1. */
function bindRequest(settings: SmppSettings, role: BindRole, sequence: number): PduInput {
  const { systemId, password, systemType, addressRange } = settings;
  const interfaceVersion = Number.parseInt(settings.interfaceVersion.replace('0x', ''), 16);
  return {
    command: bindCommands[role],
    sequence,
    systemId,
    password,
    systemType,
    interfaceVersion,
    addressRange,
  };
}

type OwnRequest = 'bind' | 'enquire_link' | 'unbind';

interface PendingRequest {
  readonly request: OwnRequest;
  readonly sequence: number;
  readonly dueAt: number;
}

/** The requests of a session other than submissions: one of each kind at a time, each with a time-out. */
class OwnRequests {
  #pending: readonly PendingRequest[] = [];

  /** `dueAt` by `performance.now()`. */
  ask(request: OwnRequest, sequence: number, dueAt: number): void {
    this.#pending = [...this.#pending, { request, sequence, dueAt }];
  }

  /** The request with that number; undefined when there is none or it has been answered already. */
  answered(sequence: number): OwnRequest | undefined {
    const pending = this.#pending.find((one) => one.sequence === sequence);
    if (pending !== undefined) this.#pending = this.#pending.filter((one) => one !== pending);
    return pending?.request;
  }

  isOpen(request: OwnRequest): boolean {
    return this.#pending.some((one) => one.request === request);
  }

  overdue(now: number): OwnRequest | undefined {
    return this.#pending.find(({ dueAt }) => dueAt < now)?.request;
  }
}
