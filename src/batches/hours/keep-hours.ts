/**
 * Keeps batches within the send hours of their companies: when these end, waiting messages are held until the hours begin
 * again, or are dropped. Claims ensure that nothing is sent in the meantime; this sweep ensures that held messages do
 * not expire and that no other messages wait behind them. Any node may make a sweep, and several sweeps at the same
 * time do no harm.
 *
 *   the hours of a company end, or are changed  ──▶ all waiting messages are examined, in short steps
 *   a minute passes while any company is closed ──▶ the same, for messages that have returned to waiting
 */
import { groupedBy } from '../../foundation/grouped.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { ClosedHours, HoldReason } from '../../messages/dispatch/hold.ts';
import type { Context } from '../../storage/context.ts';
import type { ClosedCompanies } from './closed-companies.ts';
import {
  type BulkPage,
  type BulkPlace,
  beforeAllBulk,
  findWaitingBulk,
  type HeldMessages,
  holdWaiting,
  listHeld,
  moveHeld,
} from './hold-store.ts';

interface HoursOptions extends Context {
  readonly closed: ClosedCompanies;
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const lookEveryMs = 1_000;
/** By the stopwatch. */
const sweepEveryMs = 60_000;
/** However long the queue is, scanning takes at most a twentieth of the time. */
const rest = 20;
/** Takes the reader thread a few milliseconds. For each pass PostgreSQL sorts everything that is due at the same time. */
const maxExaminedPerStep = { sqlite: 2_000, postgres: 20_000 };
/** As many as a transaction can change within a few milliseconds. */
const maxHeldPerStep = 200;
/** Usually more than the number of companies with hours of their own. */
const listedHeld = 1_000;

export class KeptHours {
  readonly #options: HoursOptions;
  readonly #checks: WokenLoop;
  /** The list that the last complete sweep used. */
  #sweptBy: readonly ClosedHours[] | undefined;
  #sweepAgainAt = 0;

  constructor(options: HoursOptions) {
    this.#options = options;
    const failed = (error: unknown) => {
      this.#sweptBy = undefined;
      options.log.warn({ error }, 'batches could not be kept within send hours; trying again');
    };
    this.#checks = new WokenLoop({ pauseMs: lookEveryMs, firstMs: 0, failed }, () => this.#look());
  }

  start(): void {
    this.#checks.start();
  }

  stop(): Promise<void> {
    return this.#checks.stop();
  }

  async #look(): Promise<void> {
    const { clock, closed, log } = this.#options;
    const now = clock.now();
    const isOver = closed.any && performance.now() >= this.#sweepAgainAt;
    if (closed.at(now) === this.#sweptBy && !isOver) return;
    const startedAt = performance.now();
    const held = await this.sweep(now);
    if (held > 0)
      log.info({ held }, 'messages of batches were held, dropped or released because of send hours');
    const tookMs = performance.now() - startedAt;
    this.#sweepAgainAt = performance.now() + Math.max(sweepEveryMs, rest * tookMs);
  }

  /** Brings all waiting and held messages in line with the hours; returns how many messages it changed. */
  async sweep(now: number): Promise<number> {
    const closed = this.#options.closed.at(now);
    const moved = (await this.#holdWaiting(closed, now)) + (await this.#moveHeld(closed, now));
    if (!this.#isOver(closed)) this.#sweptBy = closed;
    return moved;
  }

  /**
   * Windows that began after this time must not be handled with outdated state; the next sweep uses the current state.
   */
  #isOver(closed: readonly ClosedHours[]): boolean {
    return this.#checks.signal.aborted || this.#options.closed.at(this.#options.clock.now()) !== closed;
  }

  async #holdWaiting(closed: readonly ClosedHours[], now: number): Promise<number> {
    const { store } = this.#options;
    const hours = byCompany(closed);
    const companyIds = [...hours.keys()];
    let held = 0;
    let after: BulkPlace | null = companyIds.length === 0 ? null : beforeAllBulk;
    while (after !== null && !this.#isOver(closed)) {
      const query = { companyIds, after, limit: maxExaminedPerStep[store.dialect] };
      const { found, next }: BulkPage = await store.read(findWaitingBulk, query);
      for (const [companyId, messages] of groupedBy(found, (message) => message.companyId)) {
        const { opensAt, drops, reason } = hours.get(companyId) as ClosedHours;
        for (let from = 0; from < messages.length && !this.#isOver(closed); from += maxHeldPerStep) {
          const some = messages.slice(from, from + maxHeldPerStep).map(({ id }) => id);
          const holding = { companyId, closed: { opensAt, drops, reason }, ids: some, now };
          held += await store.write(holdWaiting, holding);
        }
      }
      after = next;
    }
    return held;
  }

  /** Moves messages that are held until a time other than the next opening. */
  async #moveHeld(closed: readonly ClosedHours[], now: number): Promise<number> {
    const { store } = this.#options;
    const hours = byCompany(closed);
    let moved = 0;
    let after: HeldMessages | null = null;
    for (;;) {
      const listed: readonly HeldMessages[] = await store.read(listHeld, { after, limit: listedHeld });
      for (const held of listed) {
        if (this.#isOver(closed)) return moved;
        moved += await this.#move(held, hours.get(held.companyId), now);
      }
      after = listed.at(-1) ?? null;
      if (listed.length < listedHeld) return moved;
    }
  }

  async #move(held: HeldMessages, hours: ClosedHours | undefined, now: number): Promise<number> {
    const { opensAt, drops, reason } = hours ?? openNow(held, now);
    if (opensAt === held.dueAt || hours?.isGuessed) return 0;
    const move = { held, closed: { opensAt, drops, reason }, now, limit: maxHeldPerStep };
    let moved = 0;
    for (let count = 1; count > 0 && !this.#checks.signal.aborted; moved += count)
      count = await this.#options.store.write(moveHeld, move);
    return moved;
  }
}

function byCompany(closed: readonly ClosedHours[]): ReadonlyMap<number, ClosedHours> {
  return new Map(closed.flatMap((hours) => hours.companyIds.map((companyId) => [companyId, hours])));
}

/** Messages that are due by now are released by the sweep of due messages. */
function openNow({ dueAt }: HeldMessages, now: number): HoldReason {
  const reason = storedReason({ sentence: 'hours_changed' });
  return { opensAt: Math.min(now, dueAt), drops: false, reason };
}
