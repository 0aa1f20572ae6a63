/**
 * Which companies are outside of their send hours at a moment, from memory: each claim of messages asks. The hours are
 * read anew when the store has news of accounts, and looked at anew when the window in which they were seen is over.
 */
import type { ClosedCompany } from '../messages/hold.ts';
import type { Store } from '../storage/store.ts';
import { listSendHours } from './hold-store.ts';
import { parseSendHours, type SendHours } from './send-hours.ts';
import { type SendWindow, sendWindow } from './send-window.ts';

interface Hours {
  readonly sendHours: SendHours;
  readonly companyIds: readonly number[];
  /** As of a moment, until it is over. */
  seen: { readonly at: number; readonly until: number; readonly window: SendWindow } | undefined;
}

const none: readonly ClosedCompany[] = [];

export class ClosedCompanies {
  readonly #store: Store;
  /** Companies that keep the same hours are looked at once. */
  #hours: readonly Hours[] = [];
  #closed = none;
  /** What is known of all holds from the one moment until just before the other. */
  #holds = { from: 0, until: 0 };

  constructor(store: Store) {
    this.#store = store;
  }

  /** To be called before the first question, and when the hours may have changed. */
  async read(): Promise<void> {
    const companies = new Map<string, number[]>();
    for (const { companyId, sendHours } of await this.#store.read(listSendHours, null)) {
      companies.set(sendHours, [...(companies.get(sendHours) ?? []), companyId]);
    }
    this.#hours = [...companies].map(([stored, companyIds]) => {
      return { sendHours: parseSendHours(stored) as SendHours, companyIds, seen: undefined };
    });
    this.#closed = [];
    this.#holds = { from: 0, until: 0 };
  }

  /** Whether any company keeps hours at all. */
  get any(): boolean {
    return this.#hours.length > 0;
  }

  /** Another list than before when something may have changed. */
  at(now: number): readonly ClosedCompany[] {
    const { from, until } = this.#holds;
    if (this.#hours.length > 0 && (now < from || now >= until)) this.#look(now);
    return this.#closed;
  }

  #look(now: number): void {
    let until = Number.POSITIVE_INFINITY;
    const closed: ClosedCompany[] = [];
    for (const hours of this.#hours) {
      if (hours.seen === undefined || now < hours.seen.at || now >= hours.seen.until) {
        const window = sendWindow(hours.sendHours, now);
        hours.seen = { at: now, until: window.kind === 'opensAt' ? window.at : window.until, window };
      }
      const { window } = hours.seen;
      until = Math.min(until, hours.seen.until);
      if (window.kind === 'open') continue;
      const opensAt = window.kind === 'opensAt' ? window.at : null;
      for (const companyId of hours.companyIds) closed.push({ companyId, opensAt, reason: window.reason });
    }
    this.#closed = closed;
    this.#holds = { from: now, until };
  }
}
