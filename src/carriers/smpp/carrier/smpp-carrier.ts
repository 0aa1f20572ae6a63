/**
 * A carrier behind an SMSC: keeps the binds up, lets submissions out as the windows and the rate allow, and hands on
 * what the SMSC answers and sends.
 *
 *   submit ──▶ waiting ──window, rate──▶ session ──answer──▶ outcome
 *                 ▲                         │
 *                 └──────never written──────┘
 */
import { type Clock, timeIn } from '../../../foundation/clock.ts';
import type { Carrier, CarrierStatus, InDoubtPolicy, Outcome, OutgoingPart } from '../../carrier.ts';
import { PartRate } from '../../part-rate.ts';
import { Bind, type BindEvents } from '../link/bind.ts';
import { newTally } from '../link/counters.ts';
import type { Lease } from '../link/options.ts';
import type { Session } from '../link/session.ts';
import { Vigil } from '../link/watchdog.ts';
import { refusalStatuses, type SmppSettings } from '../settings.ts';
import { Answers } from './answers.ts';
import { reachOf } from './capacity.ts';
import { Composer } from './composer.ts';
import { Reception } from './reception.ts';
import type { SmppCarrierEvents, SmppCarrierOptions } from './setup.ts';
import { type HoldUp, HoldUps } from './stall-times.ts';
import { smppStatus } from './status.ts';
import { Waiting } from './waiting-parts.ts';

/** What has waited so long while no bind was up is given back: another carrier may take it. */
const patienceMs = 5_000;
/** For as long as the link has been down by then, within these bounds. */
const leastAwayMs = 1_000;
const mostAwayMs = 10_000;
/**
 * What is beyond twice the window was taken ahead at a pace by which it goes out in a tenth of a second (`capacity.ts`).
 * When it stands there for so long, the SMSC has become slow, and it would be in the way of all who come next.
 */
const slowMs = 1_000;
const lookAtLeaseMs = 100;
/** For receipts that are being stored and for unbinding, beyond the deadline of a stop. */
const farewellMs = 200;

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
  /** Those of the binds that submit. */
  readonly #outgoing: readonly Bind[];
  readonly #rate: PartRate;
  readonly #composer: Composer;
  readonly #answers: Answers;
  readonly #waiting = new Waiting();
  readonly #tally = newTally();
  readonly #holdUps = new HoldUps(performance.now());
  readonly #vigil = new Vigil(slowMs, (now) => this.#giveBackAhead(now));
  #events: SmppCarrierEvents | undefined;
  #reception: Reception | undefined;
  /** Parts that are with the SMSC. */
  #underWay = 0;
  /** The bind that is asked first for room. */
  #turnOf = 0;
  /** By `performance.now()`; undefined while a bind that submits is up. */
  #downSince: number | undefined = performance.now();
  #status: CarrierStatus;
  #timer: NodeJS.Timeout | undefined;
  #leaseTimer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #idle: (() => void) | undefined;

  constructor({ id, name, settings, instance, clock, lease }: SmppCarrierOptions) {
    this.id = id;
    this.name = name;
    this.inDoubtPolicy = settings.inDoubt;
    this.inDoubtTries = settings.inDoubtTries;
    const { window, takesWhole, smsWindow } = reachOf(settings);
    this.window = window;
    this.takesWhole = takesWhole;
    if (smsWindow !== undefined) this.smsWindow = smsWindow;
    this.#settings = settings;
    this.#clock = clock;
    this.#lease = lease;
    this.#composer = new Composer(settings);
    this.#answers = new Answers(settings, this.#tally, clock, instance);
    this.#rate = new PartRate(settings.throughput, () => this.#release());
    this.#status = { state: 'starting', since: clock.now(), reason: null, figures: {} };
    const roles =
      settings.bind === 'pair' ? (['transmitter', 'receiver'] as const) : (['transceiver'] as const);
    this.#binds = Array.from({ length: settings.binds }).flatMap(() =>
      roles.map(
        (role) => new Bind({ settings, role, tally: this.#tally, lease }, (bind) => this.#eventsOf(bind)),
      ),
    );
    this.#outgoing = this.#binds.filter(({ role }) => role !== 'receiver');
  }

  async start(events: SmppCarrierEvents): Promise<void> {
    this.#events = events;
    this.#reception = new Reception(this.#settings, events);
    for (const bind of this.#binds) bind.open();
    this.#timer = setInterval(() => this.#giveUpWaiting(), patienceMs / 5);
    this.#vigil.start();
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
      tally: this.#tally,
      holdUps: this.#holdUps,
      roundTripMs: this.#answers.roundTripMs,
      underWay: this.#underWay - this.#late,
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
    this.#vigil.stop();
    this.#rate.stop();
    if (this.#underWay > 0) await this.#answered(leftMs());
    await this.#reception?.stop(leftMs() + farewellMs);
    await Promise.all(this.#binds.map((bind) => bind.close(leftMs() + farewellMs)));
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
        this.#underWay -= parts.length;
        this.#waiting.putBack(parts, performance.now());
        this.#tellIdle();
        if (!this.#lease.isHeld) this.#awaitLease();
      },
      delivered: (pdu) => this.#reception?.delivered(bind.session as Session, pdu),
    };
  }

  #linkChanged(): void {
    if (this.#outgoing.some(({ isBound }) => isBound)) this.#downSince = undefined;
    else this.#downSince ??= performance.now();
    this.#events?.linkChanged?.();
    this.#release();
  }

  /** Lets out what the windows, the rate and the SMSC allow, turn by turn over the binds. */
  #release(): void {
    if (this.#isStopping) this.#putOff(this.#waiting.takeAll(), 0, 'the carrier was stopped');
    let heldUpBy: HoldUp = 'none';
    if (this.#waiting.size > 0 && !this.#lease.isHeld) {
      heldUpBy = 'lease';
      this.#awaitLease();
    }
    // What waits is shared out evenly, so that no bind is full while others are idle.
    const share = Math.ceil(this.#waiting.size / this.#outgoing.length);
    while (this.#waiting.size > 0 && heldUpBy === 'none') {
      const session = this.#nextWithRoom();
      if (session === undefined) heldUpBy = this.#whyNoRoom();
      else if (!this.#fill(session, share)) heldUpBy = 'throughput';
    }
    this.#holdUps.note(heldUpBy);
  }

  /** While the node may not send, what waits may be with others already; its node says soon which. */
  #awaitLease(): void {
    this.#leaseTimer ??= setTimeout(() => {
      this.#leaseTimer = undefined;
      this.#release();
    }, lookAtLeaseMs);
  }

  /** False: the rate lets nothing more out. */
  #fill(session: Session, share: number): boolean {
    const given = this.#rate.take(Math.min(session.room, share, this.#waiting.size));
    const now = this.#clock.now();
    // In SMS, of which a long text in one piece may be more than were given: as many fewer are given next.
    let gone = 0;
    while (gone < given) {
      const part = this.#waiting.shift();
      if (part === undefined) break;
      if (part.expiresAt <= now)
        this.#putOff([part], 0, 'its validity ended while it waited for the carrier');
      else if (this.#submit(session, part, now)) gone += part.smsParts;
    }
    this.#rate.giveBack(given - gone);
    return given > 0;
  }

  /** False: it can't be written. */
  #submit(session: Session, part: OutgoingPart, now: number): boolean {
    this.#underWay += 1;
    try {
      session.submit(part, (sequence) => this.#composer.compose(part, sequence, now));
      return true;
    } catch (error) {
      // A value that no PDU can carry, such as a sender that is too long.
      const reason = `it can't be written as SMPP: ${(error as Error).message}`;
      this.#settle(part, { kind: 'rejected', status: refusalStatuses.ERROR, reason });
      return false;
    }
  }

  #nextWithRoom(): Session | undefined {
    for (let tried = 0; tried < this.#outgoing.length; tried++) {
      const session = this.#outgoing[this.#turnOf]?.session;
      this.#turnOf = (this.#turnOf + 1) % this.#outgoing.length;
      if (session !== undefined && session.room > 0) return session;
    }
    return undefined;
  }

  #whyNoRoom(): HoldUp {
    const bound = this.#outgoing.flatMap(({ session }) => (session?.isBound ? [session] : []));
    if (bound.length === 0) return 'link';
    if (bound.some(({ rest }) => rest.isOn)) return 'rest';
    return bound.some(({ hasWindow }) => hasWindow) ? 'network' : 'window';
  }

  #settle(part: OutgoingPart, outcome: Outcome): void {
    this.#underWay -= 1;
    this.#events?.outcome(part, outcome);
    this.#tellIdle();
  }

  /** A stop waits for it. */
  #tellIdle(): void {
    if (this.#underWay === 0) this.#idle?.();
  }

  /** While no bind is up, nothing waits here for long. */
  #giveUpWaiting(): void {
    if (this.#downSince === undefined) return;
    const now = performance.now();
    const awayMs = Math.min(mostAwayMs, Math.max(leastAwayMs, now - this.#downSince));
    this.#putOff(this.#waiting.takeOlder(now - patienceMs), awayMs, this.#whyDown());
    this.#release();
  }

  /** Keeps as much as dispatch hands over whatever the pace is. */
  #giveBackAhead(now: number): void {
    const slow = this.#waiting.takeBehind(2 * this.window - this.#underWay, now - slowMs);
    if (slow.length === 0) return;
    const isDown = this.#downSince !== undefined;
    const reason = isDown ? this.#whyDown() : 'the SMSC has become slower than it was: others may go first';
    for (const part of slow) this.#events?.outcome(part, { kind: 'givenBack', reason });
  }

  #whyDown(): string {
    return `no bind is up: ${this.status().reason ?? 'not connected yet'}`;
  }

  #putOff(parts: readonly OutgoingPart[], awayMs: number, reason: string): void {
    if (parts.length === 0) return;
    const time = timeIn(this.#clock, awayMs);
    for (const part of parts) this.#events?.outcome(part, { kind: 'retryAt', time, reason });
  }

  #answered(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
