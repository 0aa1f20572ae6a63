/**
 * Opt-outs of removed companies go with the other data that is purged, a set at a time: a company may have millions, too many
 * for the transaction that removes it.
 */
import { retiredAfter } from '../accounts/retired-ids.ts';
import { amongUnlocked, literal, oneOf, sql } from '../storage/sql.ts';
import type { Store } from '../storage/store.ts';
import { singleWriteVerb } from '../storage/verb.ts';

const setSize = 1_000;
const companiesAtOnce = 100;

/**
 * Purges opt-outs of removed companies whose ids are above `after`. `next` is where to go on once nothing was removed; null if no
 * company is left.
 */
export const purgeOptOutsAfter = singleWriteVerb(
  'optOuts.purgeAfter',
  async (transaction, after: number): Promise<{ readonly removed: number; readonly next: number | null }> => {
    const companies = await retiredAfter(transaction, { kind: 'company', after, limit: companiesAtOnce });
    const last = companies.at(-1);
    if (last === undefined) return { removed: 0, next: null };
    const theirs = sql`opt_outs WHERE company_id ${oneOf('bigint', companies)} LIMIT ${literal(setSize)}`;
    const removed = await transaction.run(
      sql`DELETE FROM opt_outs WHERE ${amongUnlocked('company_id, id', theirs)}`,
    );
    return { removed, next: last };
  },
  () => setSize,
);

export async function purgeOptOutsOfRemoved(store: Store, _: unknown, signal: AbortSignal): Promise<number> {
  let purged = 0;
  for (let after: number | null = 0; after !== null && !signal.aborted; ) {
    const from: number = after;
    const { removed, next } = await store.write(purgeOptOutsAfter, from);
    purged += removed;
    if (removed === 0) after = next;
  }
  return purged;
}
