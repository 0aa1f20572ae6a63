/** Runs the purge of old rows, for tests of the rooms that own them. */
import { type AgedRows, type PurgeTimes, purgeAged } from '../../src/storage/retention.ts';
import type { Store } from '../../src/storage/store.ts';

/** Removes one set of rows from each of these tables. Returns the number of rows. */
export async function purgeOnce(
  store: Pick<Store, 'write'>,
  tables: readonly AgedRows[],
  times: PurgeTimes,
): Promise<number> {
  let removed = 0;
  for (const rows of tables) removed += await store.write(purgeAged, { rows, ...times });
  return removed;
}
