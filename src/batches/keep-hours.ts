/**
 * Keeps batches within the send hours of their companies: when these end, what waits in line is held until they begin, or
 * is dropped. Claims see to it that nothing goes meanwhile; this sweep sees to it that nobody else waits behind what is
 * held, and that it does not expire. Any node makes it, and several at once do no harm.
 *
 *   the hours of a company end, or were changed ──▶ all that waits is looked through, in short steps
 *   a minute has passed while any are closed    ──▶ the same, for what came back to waiting since
 */
import type { Clock } from '../foundation/clock.ts';
import type { ClosedCompany } from '../messages/hold.ts';
import type { Store } from '../storage/store.ts';
import type { ClosedCompanies } from './closed-companies.ts';
import {
  type BulkFound,
  type BulkPlace,
  beforeAllBulk,
  findWaitingBulk,
  type Held,
  holdWaiting,
  listHeld,
  moveHeld,
} from './hold-store.ts';

export interface HoursOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly closed: ClosedCompanies;
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const lookEveryMs = 1_000;
/** By the stopwatch. */
const sweepEveryMs = 60_000;
/** However long the line is, looking through it takes a twentieth of the time at the most. */
const rest = 20;
/** In a few milliseconds of the thread that reads; PostgreSQL sorts what is due at the same time for each of the looks. */
const lookedAtOnce = { sqlite: 2_000, postgres: 20_000 };
/** As many as a transaction changes within a few milliseconds. */
const heldAtOnce = 200;
/** More than companies keep hours of their own, mostly. */
const listedHeld = 1_000;

export class KeptHours {
  readonly #options: HoursOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  /** The list by which the last whole sweep went. */
  #sweptBy: readonly ClosedCompany[] | undefined;
  #sweepAgainAt = 0;

  constructor(options: HoursOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#look().then(() => this.#wait());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.start(), lookEveryMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { clock, closed, log } = this.#options;
    const now = clock.now();
    const isOver = closed.any && performance.now() >= this.#sweepAgainAt;
    if (closed.at(now) === this.#sweptBy && !isOver) return;
    const startedAt = performance.now();
    try {
      const held = await this.sweep(now);
      if (held > 0) log.info({ held }, 'messages of batches are held, dropped or let go by send hours');
      const tookMs = performance.now() - startedAt;
      this.#sweepAgainAt = performance.now() + Math.max(sweepEveryMs, rest * tookMs);
    } catch (error) {
      this.#sweptBy = undefined;
      if (!this.#stopped)
        log.warn({ error }, 'batches could not be kept within send hours; it is tried again');
    }
  }

  /** Puts in order all that waits and all that is held; answers with how many messages that changed. */
  async sweep(now: number): Promise<number> {
    const closed = this.#options.closed.at(now);
    const moved = (await this.#holdWaiting(closed, now)) + (await this.#moveHeld(closed, now));
    if (!this.#stopped) this.#sweptBy = closed;
    return moved;
  }

  async #holdWaiting(closed: readonly ClosedCompany[], now: number): Promise<number> {
    const { store } = this.#options;
    const companyIds = closed.map(({ companyId }) => companyId);
    let held = 0;
    let after: BulkPlace | null = companyIds.length === 0 ? null : beforeAllBulk;
    while (after !== null && !this.#stopped) {
      const { found, next }: BulkFound = await store.read(findWaitingBulk, {
        ...{ companyIds, after, limit: lookedAtOnce[store.dialect] },
      });
      for (const company of closed) {
        const ids = found.flatMap((one) => (one.companyId === company.companyId ? [one.id] : []));
        for (let from = 0; from < ids.length && !this.#stopped; from += heldAtOnce) {
          const some = ids.slice(from, from + heldAtOnce);
          held += await store.write(holdWaiting, { company, ids: some, now });
        }
      }
      after = next;
    }
    return held;
  }

  /** What is held for another time than that of the next opening. */
  async #moveHeld(closed: readonly ClosedCompany[], now: number): Promise<number> {
    const { store } = this.#options;
    const byCompany = new Map(closed.map((company) => [company.companyId, company]));
    let moved = 0;
    for (const held of await store.read(listHeld, listedHeld)) {
      const company = byCompany.get(held.companyId) ?? openNow(held, now);
      // What was put off is not dropped any more.
      if (company.opensAt === null || company.opensAt === held.dueAt) continue;
      let count = 1;
      while (count > 0 && !this.#stopped) {
        count = await store.write(moveHeld, { held, company, now, limit: heldAtOnce });
        moved += count;
      }
    }
    return moved;
  }
}

/** What is due by now is let go by the sweep of what is due. */
function openNow({ companyId, dueAt }: Held, now: number): ClosedCompany {
  return {
    companyId,
    opensAt: Math.min(now, dueAt),
    reason: 'the hours in which the company sends were changed',
  };
}
