/**
 * Hands a carrier what waits for it: claims due messages in sets, cuts them into parts, submits them as there is
 * room, and records what the carrier answers. Interactive messages go first; a floor is kept for bulk.
 *
 *   wake ──▶ claim ──▶ hand over ──▶ outcome of each part ──▶ outcome of the message ──▶ record
 *              ▲                                                                            │
 *              └───────────────────────────── room ◀───────────────────────────────────────┘
 *
 * Messages accepted here while none wait are expected instead of claimed: see `handover.ts`.
 */
import type { Carrier, Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { type Stopwatch, systemStopwatch } from '../../foundation/clock.ts';
import { NumberedSlots } from '../../foundation/slots.ts';
import type { Context } from '../../storage/context.ts';
import type { PassOn } from '../failover/pass-on.ts';
import type { Claimed, Handover, HandoverEnd } from '../handover.ts';
import { stage } from '../message.ts';
import type { KnowsOptOuts } from '../opted-out.ts';
import type { Advance } from '../outcome.ts';
import { withReferences } from '../sending/references-store.ts';
import { Capacity, type ClaimRoom } from './capacity.ts';
import { claimMessages } from './claim.ts';
import type { KeepsHours, KnowsPaused } from './hold.ts';
import { expiredInFlight, InFlightMessage, sentInFlight, toParts } from './in-flight.ts';
import { Orphans } from './orphans.ts';
import { OutcomeLog } from './outcome-log.ts';
import { takenParts } from './taken-parts.ts';

export interface DispatchOptions extends KeepsHours, KnowsPaused, KnowsOptOuts, Context {
  readonly nodeId: number;
  readonly carrier: Carrier;
  readonly log: {
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** False while this node must not claim because its lease may have run out. */
  readonly mayClaim: () => boolean;
  /** Absent when there is no other carrier to pass messages on to. */
  readonly passOn?: PassOn;
  /** Measures the carrier's pace. */
  readonly stopwatch?: Stopwatch;
}

const claimRetryMs = 500;
const nothingTaken: ReadonlyMap<number, ReadonlySet<number>> = new Map();

export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #outcomes: OutcomeLog;
  readonly #orphans: Orphans;
  readonly #capacity: Capacity;
  readonly #stopwatch: Stopwatch;
  /** Claimed messages whose outcome is not stored yet. */
  readonly #inFlight = new NumberedSlots<InFlightMessage>();
  /** Messages that are being stored as in flight at this node. */
  readonly #expected = new Set<number>();
  /**
   * Whether the last claim used up its room, so that newly accepted messages have to wait behind those still unclaimed.
   */
  #othersWait = false;
  readonly #bulkShare = new BulkShare();
  #isClaiming = false;
  /** The latest run of claims, finished or not. */
  #claiming: Promise<void> = Promise.resolve();
  #wanted = false;
  #stopped = false;
  #gaveUp = false;
  #tellGivenUp: () => void = () => undefined;
  readonly #givenUp = new Promise<void>((resolve) => {
    this.#tellGivenUp = resolve;
  });
  #whenIdle: (() => void) | undefined;
  #whenNoneExpected: (() => void) | undefined;

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#stopwatch = options.stopwatch ?? systemStopwatch;
    this.#capacity = new Capacity(options.carrier, this.#stopwatch.elapsed());
    this.#outcomes = new OutcomeLog({
      store: options.store,
      carrier: options.carrier,
      nodeId: options.nodeId,
      now: () => options.clock.now(),
      stored: (advances) => this.#stored(advances),
      failed: (error) => this.#warn(error, 'outcomes could not be stored; trying again'),
      refused: (advance, error) => this.#doubt(advance, error),
    });
    this.#orphans = new Orphans({
      ...options,
      carrierId: options.carrier.id,
      knownIds: () => [...this.#inFlight.keys(), ...this.#expected],
    });
  }

  /** Messages in flight at this node. */
  get open(): number {
    return this.#inFlight.size;
  }

  /** Since when no outcome could be stored; undefined when outcomes can be stored. */
  get outcomesFailSince(): number | undefined {
    return this.#outcomes.failingSince;
  }

  /** Since when the store has refused every outcome although it is reachable. */
  get outcomesRefusedSince(): number | undefined {
    return this.#outcomes.refusedSince;
  }

  /** Signals that something may be due. It is cheap and is called often. */
  wake(): void {
    this.#wanted = true;
    this.#proceed();
  }

  /**
   * Reserves room for messages that are about to be stored as in flight here, so that they need no claim. Undefined when they
   * have to be stored as waiting because others wait, there is no room, or this node must not claim.
   */
  expect(rows: readonly Claimed[]): Handover | undefined {
    if (this.#stopped || this.#othersWait || !this.#mayClaim()) return undefined;
    if (!this.#orphans.isEmpty || !this.#capacity.fits(rows)) return undefined;
    for (const row of rows) {
      this.#expected.add(row.id);
      this.#capacity.take(row);
    }
    return {
      nodeId: this.#options.nodeId,
      end: (handoverEnd, references) => this.#endExpectation(withReferences(rows, references), handoverEnd),
    };
  }

  /** Receives the outcome of a part that was handed over. */
  outcome(part: OutgoingPart, outcome: Outcome): void {
    const message = this.#inFlight.get(part.messageId);
    const { carrier, clock, nodeId, passOn } = this.#options;
    if (outcome.kind === 'accepted') this.#capacity.took(this.#stopwatch.elapsed());
    if (outcome.kind === 'givenBack') this.#capacity.slowed(this.#stopwatch.elapsed());
    const end = message?.settle(part, outcome, carrier, clock.now());
    if (end === undefined) return;
    if (!end.mayPassOn || passOn === undefined) this.#outcomes.add(end.advance, end.taken);
    else
      void passOn(end.advance, { nodeId, carrierId: carrier.id }).then((instead) =>
        instead === undefined ? this.#stored([end.advance]) : this.#outcomes.add(instead, []),
      );
  }

  /** Has the store searched, before the next claim, for messages claimed by this node that the node does not know. */
  seekOrphans(): void {
    this.#orphans.suspect();
    this.wake();
  }

  /** Stops claiming and expecting messages; resolves when those being claimed or stored are with the carrier or given up. */
  async stopClaiming(): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.#claiming, this.#givenUp]);
    const noneExpected = new Promise<void>((resolve) => {
      this.#whenNoneExpected = resolve;
    });
    if (this.#expected.size > 0) await Promise.race([noneExpected, this.#givenUp]);
  }

  /** To be called after the last claim; resolves when every claimed message has its outcome stored or was given up. */
  async idle(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    if (this.#inFlight.size > 0) await Promise.race([idle, this.#givenUp]);
    const failed = (error: unknown) =>
      this.#warn(error, 'orphaned messages could not be released; trying again');
    await Promise.race([this.#orphans.leaveNone(() => this.#gaveUp, failed), this.#givenUp]);
  }

  /** Permanent: from now on nothing is claimed, handed over or stored. */
  giveUp(): void {
    this.#stopped = true;
    this.#gaveUp = true;
    this.#outcomes.giveUp();
    this.#tellGivenUp();
  }

  /** A carrier that is down, or whose outcomes cannot be stored, gets nothing, so waiting messages can go to another. */
  #mayClaim(): boolean {
    const { mayClaim, carrier } = this.#options;
    return mayClaim() && carrier.status().state === 'up' && this.outcomesFailSince === undefined;
  }

  /** The carrier has responded, but the response cannot be stored, so the message is in doubt. */
  #doubt(advance: Advance, error: unknown): Advance {
    const { carrier, clock, log } = this.#options;
    const { companyId, id: messageId } = advance;
    const details = { error, carrier: carrier.name, companyId, messageId };
    log.error(details, 'the outcome of a message can never be stored; the message is in doubt instead');
    const reason = "what the carrier answered can't be stored";
    return this.#inFlight.get(messageId)?.doubt(carrier, clock.now(), reason) ?? advance;
  }

  #proceed(): void {
    if (this.#wanted && !this.#isClaiming && !this.#stopped) this.#claiming = this.#claimWhileWanted();
  }

  #endExpectation(rows: readonly Claimed[], handoverEnd: HandoverEnd): void {
    for (const row of rows) {
      this.#expected.delete(row.id);
      this.#capacity.leave(row);
    }
    if (handoverEnd === 'inFlight') this.#submit(rows, nothingTaken);
    else if (handoverEnd === 'waiting') this.wake();
    else if (handoverEnd === 'unknown') this.seekOrphans();
    if (this.#expected.size === 0) this.#whenNoneExpected?.();
  }

  async #claimWhileWanted(): Promise<void> {
    this.#isClaiming = true;
    try {
      while (this.#wanted && !this.#stopped) {
        const room = this.#capacity.room;
        if (room.room <= 0 || !this.#mayClaim()) {
          this.#othersWait = true;
          break;
        }
        this.#wanted = false;
        if (!this.#orphans.isEmpty) await this.#orphans.release();
        const claimed = await this.#claim(room);
        // The room is used up, so more messages are probably waiting.
        this.#othersWait = this.#capacity.isFilledBy(claimed, room);
        if (this.#othersWait) this.#wanted = true;
        await this.#handOver(claimed);
      }
    } catch (error) {
      this.#warn(error, 'waiting messages could not be claimed; trying again');
      this.#orphans.suspect();
      setTimeout(() => this.wake(), claimRetryMs).unref();
    } finally {
      this.#capacity.claiming();
      // Runs synchronously with the end of the loop, so that a later wake starts a new run.
      this.#isClaiming = false;
    }
  }

  async #claim(room: ClaimRoom): Promise<readonly Claimed[]> {
    const { store, clock, nodeId, carrier, closedHours, pausedBatches, optOuts } = this.#options;
    const now = clock.now();
    const known = optOuts?.();
    const bulkFloor = this.#bulkShare.floorOf(room.room);
    const claim = { carrierId: carrier.id, countsMessages: carrier.takesWhole ?? false, nodeId, ...room };
    const more = {
      bulkFloor,
      closedHours: closedHours?.(now) ?? [],
      pausedBatches: pausedBatches?.() ?? [],
      ...(known !== undefined && { optOuts: known }),
      now,
    };
    this.#capacity.claiming(room);
    const { messages, floorParts, held } = await store.write(claimMessages, { ...claim, ...more });
    this.#bulkShare.claimed(this.#capacity.of(messages), bulkFloor, floorParts);
    if (held > 0) this.#wanted = true;
    return messages;
  }

  async #handOver(claimed: readonly Claimed[]): Promise<void> {
    const again = claimed.filter((row) => row.attempts > 1);
    const taken = again.length === 0 ? nothingTaken : await takenParts(this.#options, again);
    // The room of their claim is kept until the messages are counted themselves.
    this.#capacity.claiming();
    this.#submit(claimed, taken);
  }

  #submit(claimed: readonly Claimed[], taken: ReadonlyMap<number, ReadonlySet<number>>): void {
    // In the store, they are in flight at a node that has ended, so the next node finds them in doubt.
    if (this.#gaveUp || claimed.length === 0) return;
    const { carrier, clock } = this.#options;
    const now = clock.now();
    const parts: OutgoingPart[] = [];
    for (const row of claimed) {
      const done = taken.get(row.id);
      // A message begun in parts continues in parts, even if the carrier's setting has changed.
      const all = toParts(row, done === undefined && carrier.takesWhole);
      const open = done === undefined ? all : all.filter(({ part }) => !done.has(part));
      // The message may still be here, if its last outcome is stored but the confirmation has not arrived.
      const earlier = this.#inFlight.get(row.id);
      if (earlier !== undefined) this.#capacity.leave(earlier);
      this.#capacity.take(row);
      this.#inFlight.set(row.id, new InFlightMessage(row, open.length, done !== undefined));
      if (open.length === 0) this.#outcomes.add(sentInFlight(row), []);
      else if (row.expires_at <= now) this.#outcomes.add(expiredInFlight(row), []);
      else for (const part of open) parts.push(part);
    }
    carrier.submit(parts);
  }

  #stored(advances: readonly Advance[]): void {
    for (const { id, attempts, stage: at } of advances) {
      // The message was given back and will be claimed again.
      if (at === stage.waiting) this.#wanted = true;
      const message = this.#inFlight.get(id);
      if (message?.attempts !== attempts) continue;
      this.#capacity.leave(message);
      this.#inFlight.delete(id);
    }
    // There is room for waiting messages again.
    this.#proceed();
    if (this.#stopped && this.#inFlight.size === 0) this.#whenIdle?.();
  }

  #warn(error: unknown, message: string): void {
    this.#options.log.warn({ error, carrier: this.#options.carrier.name }, message);
  }
}

/** The share of each claim that is left to bulk while bulk waits, however many interactive messages are waiting. */
const share = 0.1;

class BulkShare {
  /** Parts due to bulk: small claims add up until they amount to a part. Negative when bulk owes parts. */
  #due = 0;

  /** How many parts are reserved for bulk in a claim of this many. */
  floorOf(room: number): number {
    // Never more than the share of this claim, or a single part if the share is less: what bulk has not used is not
    // saved up, since that would delay others later. What bulk's last message took beyond the floor is deducted first.
    return Math.max(0, Math.floor(Math.min(this.#due, Math.max(1, room * share))));
  }

  /** Records a claim of this many parts, of which bulk got `floorParts` by its floor. */
  claimed(parts: number, floor: number, floorParts: number): void {
    const left = floor > 0 ? Math.min(0, floor - floorParts) : this.#due;
    this.#due = left + parts * share;
  }
}
