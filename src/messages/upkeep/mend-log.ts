/** Goes through all messages once, and mends the log where it misses some. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../storage/store.ts';
import { findUnlogged, type LogStretch, listCompaniesWithMessages, mendLog } from './mend-log-store.ts';

const stretchSize = 1_000;

interface MendOptions {
  /** Beside a serving node: between two steps it rests so many times as long as a step took. */
  readonly rest?: number;
  readonly isStopped?: () => boolean;
  /** Only counts. */
  readonly dryRun?: boolean;
}

export interface MendedLog {
  /** Messages that were missing in the log. */
  readonly unlogged: number;
  /** How many there were in each company that had any. */
  readonly companies: ReadonlyMap<number, number>;
}

export async function mendMessageLog(store: Store, options: MendOptions = {}): Promise<MendedLog> {
  const { rest = 0, isStopped = () => false, dryRun = false } = options;
  const companies = new Map<number, number>();
  for (const companyId of await store.read(listCompaniesWithMessages, null)) {
    let afterId: number | null = 0;
    while (afterId !== null && !isStopped()) {
      const begun = performance.now();
      const stretch: LogStretch = { companyId, afterId, limit: stretchSize };
      const { unlogged, nextAfterId } = await store.read(findUnlogged, stretch);
      const found = unlogged > 0 && !dryRun ? await store.write(mendLog, stretch) : unlogged;
      if (found > 0) companies.set(companyId, (companies.get(companyId) ?? 0) + found);
      afterId = nextAfterId;
      if (rest > 0) await delay((performance.now() - begun) * rest);
    }
  }
  return { unlogged: [...companies.values()].reduce((sum, count) => sum + count, 0), companies };
}
