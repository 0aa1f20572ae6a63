/** Removes what is older than the retention, as long as the time of day can be believed. */
import { type Clock, SettledClock, type Stopwatch } from '../../foundation/clock.ts';
import { Periodic } from '../../foundation/periodic.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteVerb } from '../../storage/verb.ts';
import {
  keepBelievedTime,
  listCompanyIds,
  type PurgeStep,
  purgeMessages,
  purgeRest,
  readBelievedTime,
} from './purge-store.ts';

/** What a later room removes: whatever is older than `before`. Returns how much it was, and ends early when it is told to stop. */
export type AlsoPurge = (
  store: Store,
  times: { readonly now: number; readonly before: number },
  isStopped: () => boolean,
) => Promise<number>;

/** By a verb that removes a set and answers how many it removed. */
export function purgeInSets(
  verb: WriteVerb<{ readonly now: number; readonly before: number }, number>,
): AlsoPurge {
  return async (store, times, isStopped) => {
    let purged = 0;
    let removed = 1;
    while (removed > 0 && !isStopped()) {
      removed = await store.write(verb, times);
      purged += removed;
    }
    return purged;
  };
}

export interface PurgeOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly retentionDays: number;
  readonly alsoPurge: readonly AlsoPurge[];
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const setSize = 500;
const everyMs = 60 * 60 * 1_000;
/** Soon, so that a server that is started often purges too. */
const firstMs = 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

export class Purge {
  readonly #options: PurgeOptions;
  readonly #settledClock: SettledClock;
  readonly #runs: Periodic;
  #isStopped = false;

  constructor(options: PurgeOptions) {
    this.#options = options;
    this.#settledClock = new SettledClock(options.clock, options.stopwatch);
    const failed = (error: unknown) =>
      options.log.warn({ error, what: 'purge' }, 'a sweep failed; it is tried again');
    this.#runs = new Periodic({ pauseMs: everyMs, firstMs, failed }, () => this.run());
  }

  start(): void {
    this.#runs.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#runs.stop();
  }

  async run(): Promise<void> {
    const { store, clock, retentionDays, alsoPurge, log } = this.#options;
    const isStopped = () => this.#isStopped;
    const believedAt = await store.read(readBelievedTime, null);
    if (!this.#settledClock.isSettled(believedAt)) {
      log.warn(
        { now: new Date(clock.now()), believedAt: believedAt === null ? null : new Date(believedAt) },
        'the clock is ahead of what went before: nothing is purged until its time has held for a day',
      );
      return;
    }
    await store.write(keepBelievedTime, clock.now());
    const before = clock.now() - retentionDays * dayMs;
    let purged = 0;
    for (const companyId of await store.read(listCompanyIds, null)) {
      if (isStopped()) break;
      purged += await this.#purgeMessages(companyId, before);
    }
    for (const purge of [purgeInSets(purgeRest), ...alsoPurge])
      purged += await purge(store, { now: clock.now(), before }, isStopped);
    // What else was deleted since the run before goes with it.
    store.forgetDeleted();
    if (purged > 0) log.info({ purged, retentionDays }, 'purged what is older than the retention');
  }

  async #purgeMessages(companyId: number, before: number): Promise<number> {
    const { store } = this.#options;
    let purged = 0;
    let step: PurgeStep = { purged: 0, idsSinceOld: 0, nextAfterId: 0 };
    while (step.nextAfterId !== null && !this.#isStopped) {
      const { nextAfterId: afterId, idsSinceOld } = step;
      step = await store.write(purgeMessages, {
        companyId,
        afterId,
        idsSinceOld,
        createdBefore: before,
        limit: setSize,
      });
      purged += step.purged;
    }
    return purged;
  }
}
