/**
 * A carrier behind an SMSC: keeps the binds up, submits as fast as the windows and the rate allow, and passes on what the
 * SMSC answers and sends.
 *
 *   submit ──▶ waiting ──window, rate──▶ session ──answer──▶ outcome
 *                 ▲                         │
 *                 └──────never written──────┘
 */
import { type Clock, timeIn } from '../../../foundation/clock.ts';
import { Watchdog } from '../../../foundation/watchdog.ts';
import {
  type Carrier,
  type CarrierEvents,
  type CarrierStatus,
  type InDoubtPolicy,
  type Outcome,
  type OutgoingPart,
  refusalStatuses,
} from '../../carrier.ts';
import { PartRate } from '../../part-rate.ts';
import { type StallCause, StallTimes } from '../../stall-times.ts';
import { UnderWay } from '../../under-way.ts';
import { WaitingParts } from '../../waiting-parts.ts';
import { Bind, type BindEvents } from '../link/bind.ts';
import { newLinkCounters } from '../link/counters.ts';
import type { Lease, LinkSession } from '../link/session.ts';
import { type SmppSettings, smppCapacity } from '../settings.ts';
import { Answers } from './answers.ts';
import { Composer } from './composer.ts';
import { Reception, type ReceptionEvents } from './reception.ts';
import { smppStatus } from './status.ts';

type SmppCarrierEvents = ReceptionEvents &
  Pick<CarrierEvents, 'outcome'> & {
    /** Called when the carrier's status has changed. */
    linkChanged?(): void;
  };

interface SmppCarrierOptions {
  readonly id: number;
  readonly name: string;
  readonly settings: SmppSettings;
  /** Unique across nodes and restarts. */
  readonly instance: string;
  readonly clock: Clock;
  readonly lease: Lease;
}

/** A part that has waited this long while no bind was up is given back, so that another carrier may take it. */
const maxWaitMs = 5_000;
/** The retry of such a part is delayed by the time that the link has been down by then, within these bounds. */
const minAwayMs = 1_000;
const maxAwayMs = 10_000;
/**
 * Parts beyond twice the window are normally sent within a tenth of a second (`capacity.ts`). When they wait for this
 * long, the SMSC has become slow, and they would delay everything that comes next.
 */
const slowAfterMs = 1_000;
const leaseCheckMs = 100;
/** Extra time after the deadline of a stop, for receipts that are being stored and for unbinding. */
const unbindGraceMs = 200;

export class SmppCarrier implements Carrier {
  readonly id: number;
  readonly name: string;
  readonly inDoubtPolicy: InDoubtPolicy;
  readonly inDoubtTries: number;
  readonly window: number;
  readonly takesWhole: boolean;
  readonly smsWindow?: number;
  readonly #settings: SmppSettings;
  readonly #clock: Clock;
  readonly #lease: Lease;
  readonly #binds: readonly Bind[];
  /** The binds that can submit. */
  readonly #outgoing: readonly Bind[];
  readonly #rate: PartRate;
  readonly #composer: Composer;
  readonly #answers: Answers;
  readonly #waiting = new WaitingParts();
  readonly #counters = newLinkCounters();
  readonly #stallTimes = new StallTimes(performance.now());
  readonly #watchdog = new Watchdog(slowAfterMs, (now) => this.#giveBackAhead(now));
  #events: SmppCarrierEvents | undefined;
  #reception: Reception | undefined;
  /** Parts that are submitted and have no response yet. */
  readonly #underWay = new UnderWay();
  /** Index of the bind that is asked first for room. */
  #nextBind = 0;
  /** By `performance.now()`; undefined while a bind that can submit is up. */
  #downSince: number | undefined = performance.now();
  #status: CarrierStatus;
  #timer: NodeJS.Timeout | undefined;
  #leaseTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor({ id, name, settings, instance, clock, lease }: SmppCarrierOptions) {
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = settings.inDoubt;
    this.inDoubtTries = settings.inDoubtTries;
    const { window, takesWhole, smsWindow } = smppCapacity(settings);
    this.window = window;
    this.takesWhole = takesWhole;
    if (smsWindow !== undefined) this.smsWindow = smsWindow;
    this.#settings = settings;
    this.#clock = clock;
    this.#lease = lease;
    this.#composer = new Composer(settings);
    this.#answers = new Answers(settings, this.#counters, clock, instance);
    this.#rate = new PartRate(settings.throughput, () => this.#release());
    this.#status = { state: 'starting', since: clock.now(), reason: null, figures: {} };
    const roles =
      settings.bind === 'pair' ? (['transmitter', 'receiver'] as const) : (['transceiver'] as const);
    this.#binds = Array.from({ length: settings.binds }).flatMap(() =>
      roles.map(
        (role) =>
          new Bind({ settings, role, counters: this.#counters, lease }, (bind) => this.#eventsOf(bind)),
      ),
    );
    this.#outgoing = this.#binds.filter(({ role }) => role !== 'receiver');
  }

  async start(events: SmppCarrierEvents): Promise<void> {
    this.#events = events;
    this.#reception = new Reception(this.#settings, events);
    for (const bind of this.#binds) bind.open();
    this.#timer = setInterval(() => this.#giveUpWaiting(), maxWaitMs / 5);
    this.#watchdog.start();
  }

  submit(parts: readonly OutgoingPart[]): void {
    const now = performance.now();
    for (const part of parts) this.#waiting.push(part, now);
    this.#release();
  }

  status(): CarrierStatus {
    this.#status = smppStatus(this.#status, this.#clock.now(), {
      window: this.#settings.window,
      binds: this.#binds,
      counters: this.#counters,
      stallTimes: this.#stallTimes,
      roundTripMs: this.#answers.roundTripMs,
      underWay: this.#underWay.count - this.#late,
      waiting: this.#waiting.size,
      isStopping: this.#isStopping,
    });
    return this.#status;
  }

  get #late(): number {
    return this.#outgoing.reduce((sum, { session }) => sum + (session?.late ?? 0), 0);
  }

  async stop(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    const leftMs = () => Math.max(0, deadline - performance.now());
    this.#isStopping = true;
    this.#linkChanged();
    clearInterval(this.#timer);
    clearTimeout(this.#leaseTimer);
    this.#watchdog.stop();
    this.#rate.stop();
    await this.#underWay.ended(leftMs());
    await this.#reception?.stop(leftMs() + unbindGraceMs);
    await Promise.all(this.#binds.map((bind) => bind.close(leftMs() + unbindGraceMs)));
    this.#events = undefined;
  }

  #eventsOf(bind: Bind): BindEvents {
    return {
      bound: () => this.#linkChanged(),
      lost: () => this.#linkChanged(),
      turn: () => this.#release(),
      answered: (part, answer, writtenAt) =>
        this.#settle(part, this.#answers.toOutcome(bind, part, answer, writtenAt)),
      inDoubt: (part, reason) => this.#settle(part, { kind: 'inDoubt', reason }),
      unwritten: (parts) => {
        this.#underWay.add(-parts.length);
        this.#waiting.putBack(parts, performance.now());
        if (!this.#lease.isHeld) this.#awaitLease();
      },
      delivered: (pdu) => this.#reception?.delivered(bind.session as LinkSession, pdu),
    };
  }

  #linkChanged(): void {
    if (this.#outgoing.some(({ isBound }) => isBound)) this.#downSince = undefined;
    else this.#downSince ??= performance.now();
    this.#events?.linkChanged?.();
    this.#release();
  }

  /** Submits what the windows, the rate and the SMSC allow, taking the binds in turn. */
  #release(): void {
    if (this.#isStopping) this.#retryLater(this.#waiting.takeAll(), 0, 'the carrier was stopped');
    let stalledBy: StallCause = 'none';
    if (this.#waiting.size > 0 && !this.#lease.isHeld) {
      stalledBy = 'lease';
      this.#awaitLease();
    }
    // Waiting parts are divided evenly, so that no bind is full while others are idle.
    const share = Math.ceil(this.#waiting.size / this.#outgoing.length);
    while (this.#waiting.size > 0 && stalledBy === 'none') {
      const session = this.#nextWithRoom();
      if (session === undefined) stalledBy = this.#stallCause();
      else if (!this.#fill(session, share)) stalledBy = 'throughput';
    }
    this.#stallTimes.note(stalledBy);
  }

  /**
   * After the node's lease has expired, other nodes may already have taken the waiting parts; the node soon reports which.
   */
  #awaitLease(): void {
    this.#leaseTimer ??= setTimeout(() => {
      this.#leaseTimer = undefined;
      this.#release();
    }, leaseCheckMs);
  }

  /** False when the rate allows no more. */
  #fill(session: LinkSession, share: number): boolean {
    const given = this.#rate.take(Math.min(session.room, share, this.#waiting.size));
    const now = this.#clock.now();
    // Counted in SMS. A long text in one piece may exceed the grant, and the next grant is smaller by the difference.
    let gone = 0;
    while (gone < given) {
      const part = this.#waiting.shift();
      if (part === undefined) break;
      if (part.expiresAt <= now)
        this.#retryLater([part], 0, 'its validity ended while it waited for the carrier');
      else if (this.#submit(session, part, now)) gone += part.smsParts;
    }
    this.#rate.giveBack(given - gone);
    return given > 0;
  }

  /** False when the part can't be written. */
  #submit(session: LinkSession, part: OutgoingPart, now: number): boolean {
    this.#underWay.add(1);
    try {
      session.submit(part, (sequence) => this.#composer.compose(part, sequence, now));
      return true;
    } catch (error) {
      // The part has a value that no PDU can carry, such as a sender that is too long.
      const reason = `it can't be written as SMPP: ${(error as Error).message}`;
      this.#settle(part, { kind: 'rejected', status: refusalStatuses.ERROR, reason });
      return false;
    }
  }

  #nextWithRoom(): LinkSession | undefined {
    for (let tried = 0; tried < this.#outgoing.length; tried++) {
      const session = this.#outgoing[this.#nextBind]?.session;
      this.#nextBind = (this.#nextBind + 1) % this.#outgoing.length;
      if (session !== undefined && session.room > 0) return session;
    }
    return undefined;
  }

  #stallCause(): StallCause {
    const bound = this.#outgoing.flatMap(({ session }) => (session?.isBound ? [session] : []));
    if (bound.length === 0) return 'link';
    if (bound.some(({ throttleBackoff }) => throttleBackoff.isOn)) return 'throttled';
    return bound.some(({ hasWindow }) => hasWindow) ? 'network' : 'window';
  }

  #settle(part: OutgoingPart, outcome: Outcome): void {
    this.#underWay.add(-1);
    this.#events?.outcome(part, outcome);
  }

  /** Gives back parts that have waited too long while no bind was up. */
  #giveUpWaiting(): void {
    if (this.#downSince === undefined) return;
    const now = performance.now();
    const awayMs = Math.min(maxAwayMs, Math.max(minAwayMs, now - this.#downSince));
    this.#retryLater(this.#waiting.takeOlder(now - maxWaitMs), awayMs, this.#whyDown());
    this.#release();
  }

  /** Gives back the parts beyond twice the window; dispatch hands over up to that many however slow the SMSC is. */
  #giveBackAhead(now: number): void {
    const slow = this.#waiting.takeBehind(2 * this.window - this.#underWay.count, now - slowAfterMs);
    if (slow.length === 0) return;
    const isDown = this.#downSince !== undefined;
    const reason = isDown ? this.#whyDown() : 'the SMSC has become slower: others may go first';
    for (const part of slow) this.#events?.outcome(part, { kind: 'givenBack', reason });
  }

  #whyDown(): string {
    return `no bind is up: ${this.status().reason ?? 'not connected yet'}`;
  }

  #retryLater(parts: readonly OutgoingPart[], awayMs: number, reason: string): void {
    if (parts.length === 0) return;
    const time = timeIn(this.#clock, awayMs);
    for (const part of parts) this.#events?.outcome(part, { kind: 'retryAt', time, reason });
  }
}
