/**
 * One connection to the SMSC, from its first byte to its last (SMPP 3.4, 2.2):
 *
 *   connecting ──▶ binding ──▶ bound ──the SMSC or we want to unbind──▶ draining ──no answer is due──▶ unbinding
 *       └─────────────┴──────────┴───────silence, nonsense, a lost connection──────┴─────────────────────┴──▶ closed
 *
 * It insists on an answer to whatever it asks, and answers whatever it is asked.
 */
import { commandStatus } from '../../../wire/smpp/command-status.ts';
import type { DecodeFault, Pdu, PduInputOf } from '../../../wire/smpp/pdu.ts';
import { longestAnswerMs, type OutgoingPart } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';
import { bindRequest, type Role } from './bind-request.ts';
import { Connection } from './connection.ts';
import type { Tally } from './counters.ts';
import type { Delivery, LinkOptions, SessionEvents } from './options.ts';
import { type OwnRequest, OwnRequests } from './own-requests.ts';
import { bindAdvice, nameStatus } from './refusal.ts';
import { noAnswer, Submissions } from './submissions.ts';
import { Rest } from './throttle-backoff.ts';
import { Vigil } from './watchdog.ts';

type State = 'connecting' | 'binding' | 'bound' | 'draining' | 'unbinding' | 'closed';

/** Leaving politely is worth no longer wait. */
const mostUnbindMs = 2_000;

/** While reading is held now and then, answers may take so many times as long. */
const heldPatience = 4;

/** Of command_id: it is a response (SMPP 3.4, 5.1.2.1). */
const responseBit = 0x8000_0000;

export class Session {
  readonly role: Role;
  readonly rest: Rest;
  readonly #settings: SmppSettings;
  readonly #events: SessionEvents;
  readonly #tally: Tally;
  readonly #connection: Connection;
  readonly #submissions: Submissions;
  readonly #own = new OwnRequests();
  readonly #vigil: Vigil;
  #state: State = 'connecting';
  #enquiredAt = 0;
  #heardAt = 0;
  /** The number of the SMSC's own unbind, to be answered when nothing is due any more. */
  #unbindAsked: number | undefined;
  #endReason = '';

  constructor({ settings, role, tally, lease }: LinkOptions, events: SessionEvents) {
    this.role = role;
    this.rest = new Rest(settings.throttlePauseMs, () => events.turn());
    this.#settings = settings;
    this.#events = events;
    this.#tally = tally;
    this.#submissions = new Submissions(settings.window, tally, events);
    this.#vigil = new Vigil(Math.min(settings.responseTimeoutMs, settings.enquireLinkMs), (now) =>
      this.#look(now),
    );
    this.#connection = new Connection(settings, {
      connected: () => this.#connected(),
      pdu: (pdu) => this.#heard(pdu),
      fault: (fault) => this.#heardNonsense(fault),
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

  /** Whether more submissions may be with the SMSC. */
  get hasWindow(): boolean {
    return this.#submissions.room > 0;
  }

  /** Submissions whose answer is late, and may still come. */
  get late(): number {
    return this.#submissions.late;
  }

  /** Submissions that it would take now. */
  get room(): number {
    const isOpen = this.#state === 'bound' && this.role !== 'receiver' && this.#connection.isWritable;
    return isOpen && !this.rest.isOn ? this.#submissions.room : 0;
  }

  /** Never more than there is room for. Throws a RangeError over what no PDU can carry. */
  submit(part: OutgoingPart, compose: (sequence: number) => PduInputOf<'submitSm'>): void {
    this.#submissions.add(part, (sequence) => this.#connection.write(compose(sequence)));
  }

  respond(request: Delivery, status: number): void {
    const command = request.command === 'deliverSm' ? 'deliverSmResp' : 'dataSmResp';
    this.#connection.write({ command, status, sequence: request.sequence });
  }

  /** Reads nothing more until it is released. */
  hold(): void {
    this.#tally.heldReads += 1;
    this.#connection.hold();
  }

  release(): void {
    this.#connection.release();
  }

  /** Takes nothing any more, waits for the answers that are due, and ends. */
  drain(reason: string): void {
    if (this.#state === 'connecting' || this.#state === 'binding') this.close(reason);
    if (this.#state !== 'bound') return;
    this.#state = 'draining';
    this.#endReason = reason;
    this.#turn();
  }

  /** Takes what was written and has no answer for being in doubt, writes no more submissions, and ends. */
  giveUp(reason: string): void {
    // Told as unwritten, they must not go out with the unbind.
    this.#connection.withdrawSubmissions();
    this.#submissions.giveUpAll(reason);
    this.drain(reason);
    if (this.#state === 'draining') this.#turn();
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  #connected(): void {
    this.#state = 'binding';
    this.#heardAt = performance.now();
    this.#vigil.start();
    const sequence = this.#ask('bind', this.#settings.responseTimeoutMs);
    this.#connection.write(bindRequest(this.#settings, this.role, sequence));
  }

  #ask(request: OwnRequest, timeoutMs: number): number {
    const sequence = this.#submissions.draw();
    this.#own.ask(request, sequence, performance.now() + timeoutMs);
    return sequence;
  }

  #heard(pdu: Pdu): void {
    this.#heardAt = performance.now();
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
        // It has no answer (SMPP 3.4, 4.12), and tells nothing that we asked for.
        break;
      default:
        this.#heardOther(pdu);
    }
  }

  #delivered(pdu: Delivery): void {
    if (this.#state === 'bound' || this.#state === 'draining') this.#events.delivered(pdu);
    // Soon there is nobody here to take it: the SMSC keeps it for the next bind.
    else this.respond(pdu, commandStatus.ESME_RX_T_APPN);
  }

  /** Answers to our own requests, and requests that an SMSC has no business to send, such as outbind: we connect. */
  #heardOther(pdu: Pdu): void {
    if (this.#ownAnswered(pdu)) return;
    if (pdu.command.endsWith('Resp')) {
      this.#tally.unexpectedAnswers += 1;
      return;
    }
    this.#tally.refusedPdus += 1;
    const status = commandStatus.ESME_RINVCMDID;
    this.#connection.write({ command: 'genericNack', status, sequence: pdu.sequence });
  }

  /** Whether it was one. An SMSC that knows no enquire_link is there all the same, and says so by a generic_nack. */
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

  #heardNonsense({ fault, commandId, sequence, status }: DecodeFault): void {
    this.#heardAt = performance.now();
    this.#tally.refusedPdus += 1;
    // An answer is not answered, not even an unreadable one.
    if (commandId >= responseBit) this.#submissions.answeredUnreadably(sequence, fault);
    else this.#connection.write({ command: 'genericNack', status, sequence });
  }

  #turn(): void {
    if (this.#state === 'draining' && this.#submissions.size === 0) this.#leave();
    this.#events.turn();
  }

  #leave(): void {
    this.#state = 'unbinding';
    if (this.#unbindAsked === undefined) {
      const sequence = this.#ask('unbind', Math.min(mostUnbindMs, this.#settings.responseTimeoutMs));
      this.#connection.write({ command: 'unbind', sequence });
    } else {
      this.#connection.write({ command: 'unbindResp', sequence: this.#unbindAsked });
      this.#connection.end(this.#endReason);
    }
  }

  /** Whether an answer is overdue, and whether the SMSC is still there. */
  #look(now: number): void {
    const { responseTimeoutMs, enquireLinkMs } = this.#settings;
    const { isHeld, releasedAt } = this.#connection;
    // What seems to be late may lie behind what was left unread.
    const mayBeUnread = isHeld || now - releasedAt < responseTimeoutMs;
    const heldMs = Math.min(heldPatience * responseTimeoutMs, Math.max(responseTimeoutMs, longestAnswerMs));
    const patienceMs = mayBeUnread ? heldMs : responseTimeoutMs;
    const overdue = mayBeUnread ? undefined : this.#own.overdue(now);
    if (overdue !== undefined) this.#unheeded(overdue);
    else if (!isHeld && this.#state === 'bound' && now - this.#enquiredAt >= enquireLinkMs)
      this.#enquire(now);
    const late = this.#submissions.passOver(now - patienceMs);
    // A late answer still counts, but it is not waited for without end.
    this.#submissions.giveUpLate(now - patienceMs, responseTimeoutMs, patienceMs);
    if (late === 0) return;
    // Late answers are one thing, a half-open connection another: nothing has come since.
    if (this.#heardAt < now - responseTimeoutMs) this.#silent(patienceMs);
    else this.#turn();
  }

  #silent(patienceMs: number): void {
    const reason = noAnswer(patienceMs);
    this.#submissions.giveUpWritten(reason);
    this.close(reason);
  }

  #unheeded(request: OwnRequest): void {
    if (request === 'unbind') {
      this.close(this.#endReason);
      return;
    }
    this.#tally.timeouts += 1;
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
    this.#vigil.stop();
    this.rest.stop();
    this.#submissions.giveUpAll(`the connection was lost before the SMSC answered: ${reason}`);
    const { host, port } = this.#settings;
    this.#events.closed(wasConnected ? reason : `${host}:${port} can't be reached: ${reason}`);
  }
}
