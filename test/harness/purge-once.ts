/** The purge of what has become old, for tests of the rooms that own it. */
import { type AgedRows, type PurgeTimes, purgeAged } from '../../src/storage/retention.ts';
import type { Store } from '../../src/storage/store.ts';

/** Removes a set of each of these tables; returns how many rows it was. */
export async function purgeOnce(
  store: Pick<Store, 'write'>,
  tables: readonly AgedRows[],
  times: PurgeTimes,
): Promise<number> {
  let removed = 0;
  for (const rows of tables) removed += await store.write(purgeAged, { rows, ...times });
  return removed;
}
