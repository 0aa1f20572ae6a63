/**
 * Tells from memory which companies are outside their send hours, since each claim of messages needs to know. The hours
 * are read again after a change notice for accounts, and evaluated again when the last known window has ended.
 */
import { SettledClock, type Stopwatch } from '../../foundation/clock.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import { readReason } from '../../foundation/sentences.ts';
import type { ClosedHours } from '../../messages/dispatch/hold.ts';
import type { Context } from '../../storage/context.ts';
import { listSendHours } from './hold-store.ts';
import { parseSendHours, type SendHours } from './send-hours.ts';
import { type SendWindow, sendWindow } from './send-window.ts';

interface SharedHours {
  readonly sendHours: SendHours;
  readonly companyIds: readonly number[];
  /** The time of the last evaluation, and until when it holds. */
  seen: { readonly at: number; readonly until: number } | undefined;
  closed: ClosedHours | undefined;
}

export interface ClosedCompaniesOptions extends Context {
  readonly stopwatch: Stopwatch;
  readonly log: { error(details: object, message: string): void };
}

const dayMs = 24 * 60 * 60 * 1_000;

export class ClosedCompanies {
  readonly #options: ClosedCompaniesOptions;
  /** A clock that is ahead for a moment must not drop everything that waits. */
  readonly #settledClock: SettledClock;
  /** Companies with the same hours are evaluated together. */
  #hours: readonly SharedHours[] = [];
  #closed: readonly ClosedHours[] = [];
  #lastRead = '';
  /** The evaluation holds from the first time until just before the second. */
  #holds = { from: 0, until: 0 };
  /** Zones that have already been reported as unknown. */
  readonly #unknown = new Set<string>();

  constructor(options: ClosedCompaniesOptions) {
    this.#options = options;
    this.#settledClock = new SettledClock(options.clock, options.stopwatch);
  }

  /** Call this before the first query, and when the hours may have changed. */
  async read(): Promise<void> {
    const rows = await this.#options.store.read(listSendHours, null);
    const lastRead = JSON.stringify(rows);
    // Most change notices concern other changes. The list stays the same object, which signals that nothing has changed.
    if (lastRead === this.#lastRead) return;
    this.#lastRead = lastRead;
    this.#hours = [...groupedBy(rows, ({ sendHours }) => sendHours)].map(([stored, companies]) => {
      const sendHours = parseSendHours(stored) as SendHours;
      const companyIds = companies.map(({ companyId }) => companyId);
      return { sendHours, companyIds, seen: undefined, closed: undefined };
    });
    this.#closed = [];
    this.#holds = { from: 0, until: 0 };
  }

  /** Whether any company has send hours at all. */
  get any(): boolean {
    return this.#hours.length > 0;
  }

  /** Returns a new list object when something may have changed. */
  at(now: number): readonly ClosedHours[] {
    const { from, until } = this.#holds;
    if (this.#hours.length > 0 && (now < from || now >= until)) this.#look(now);
    return this.#closed;
  }

  #look(now: number): void {
    for (const hours of this.#hours) {
      const { seen } = hours;
      if (seen === undefined || now < seen.at || now >= seen.until) this.#lookAt(hours, now);
    }
    const closed = this.#hours.flatMap((hours) => hours.closed ?? []);
    const isSame =
      closed.length === this.#closed.length && closed.every((one, place) => one === this.#closed[place]);
    if (!isSame) this.#closed = closed;
    this.#holds = { from: now, until: Math.min(...this.#hours.map((hours) => hours.seen?.until ?? now)) };
  }

  #lookAt(hours: SharedHours, now: number): void {
    const { companyIds, sendHours } = hours;
    const window = sendWindow(sendHours, now);
    hours.seen = { at: now, until: window.kind === 'opensAt' ? window.at : window.until };
    if (window.kind === 'unknown') this.#warnUnknownZone(sendHours.zone, companyIds, window.reason);
    const maybe = closedBy(window, companyIds, now);
    const closed = this.#settledClock.isSettled(null) ? maybe : delayedInstead(maybe);
    // The object stays the same while its content and reason are the same.
    const isSame = hours.closed?.opensAt === closed?.opensAt && hours.closed?.drops === closed?.drops;
    if (!isSame) hours.closed = closed;
  }

  #warnUnknownZone(zone: string, companyIds: readonly number[], reason: string): void {
    if (this.#unknown.has(zone)) return;
    this.#unknown.add(zone);
    this.#options.log.error(
      { companyIds, reason },
      'batches are held: this node does not know the time zone of their companies',
    );
  }
}

function closedBy(window: SendWindow, companyIds: readonly number[], now: number): ClosedHours | undefined {
  if (window.kind === 'open') return undefined;
  const { reason } = window;
  if (window.kind === 'opensAt') return { companyIds, opensAt: window.at, drops: false, reason };
  if (window.kind === 'drop') return { companyIds, opensAt: window.until, drops: true, reason };
  // A time that rarely changes, because each change updates every held message.
  const opensAt = (Math.floor(now / dayMs) + 1) * dayMs;
  return { companyIds, opensAt, drops: false, reason, isGuessed: true };
}

function delayedInstead(closed: ClosedHours | undefined): ClosedHours | undefined {
  if (!closed?.drops) return closed;
  const reason = `${readReason(closed.reason).text}; it is not dropped, because the clock of the node was set ahead within the last day`;
  return { ...closed, drops: false, reason };
}
