/** Removes batches whose upload was abandoned, and those whose messages were purged. */
import type { Store } from '../../storage/store.ts';
import { discardBatch } from '../intake/accept-store.ts';
import type { BatchKey } from './batch-in-steps.ts';
import { listBrokenOff, purgeBatches } from './purge-store.ts';

/** No upload takes so long: connections are closed before. */
const brokenOffAfterMs = 60 * 60 * 1_000;
const setSize = 100;

export interface PurgeTimes {
  readonly now: number;
  /** Batches created before this are older than the retention. */
  readonly before: number;
}

/** Returns how many were removed. To be called only when the time of day can be trusted. */
export async function purgeOldBatches(
  store: Store,
  { now, before }: PurgeTimes,
  isStopped: () => boolean,
): Promise<number> {
  let purged = await discardBrokenOff(store, now - brokenOffAfterMs, isStopped);
  let after: BatchKey | null = { companyId: 0, id: 0 };
  while (after !== null && !isStopped()) {
    const step: { purged: number; next: BatchKey | null } = await store.write(purgeBatches, {
      after,
      createdBefore: before,
      limit: setSize,
    });
    purged += step.purged;
    after = step.next;
  }
  return purged;
}

async function discardBrokenOff(store: Store, before: number, isStopped: () => boolean): Promise<number> {
  let discarded = 0;
  while (!isStopped()) {
    const keys = await store.read(listBrokenOff, { before, limit: setSize });
    if (keys.length === 0) break;
    for (const key of keys) {
      let removed = 1;
      while (removed > 0 && !isStopped()) removed = await store.write(discardBatch, key);
      discarded += 1;
    }
  }
  return discarded;
}
