/** Removes sendings whose messages were purged. */
import type { PurgeTimes } from '../../storage/retention.ts';
import { rowSet, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { singleWriteVerb } from '../../storage/verb.ts';

interface AgePlace {
  readonly createdAt: number;
  readonly companyId: number;
  readonly id: number;
}

const setSize = 100;

/** Returns how many sendings were removed. Call this only when the time of day can be trusted. */
export async function purgeOldSendings(
  store: Store,
  { before }: PurgeTimes,
  signal: AbortSignal,
): Promise<number> {
  let purged = 0;
  let after: AgePlace | null = { createdAt: 0, companyId: 0, id: 0 };
  while (after !== null && !signal.aborted) {
    const step: { purged: number; next: AgePlace | null } = await store.write(purgeSendings, {
      after,
      createdBefore: before,
      limit: setSize,
    });
    purged += step.purged;
    after = step.next;
  }
  return purged;
}

/** A sending is kept for as long as any of its messages is kept. The pass goes by age and continues after `after`. */
export const purgeSendings = singleWriteVerb(
  'messages.purgeSendings',
  async (
    transaction,
    {
      after,
      createdBefore,
      limit,
    }: { readonly after: AgePlace; readonly createdBefore: number; readonly limit: number },
  ) => {
    const rows = await transaction.all<AgePlace>(
      sql`SELECT created_at AS "createdAt", company_id AS "companyId", id FROM sendings
          WHERE (created_at, company_id, id) > (${after.createdAt}, ${after.companyId}, ${after.id})
            AND created_at < ${createdBefore}
          ORDER BY created_at, company_id, id LIMIT ${limit}`,
    );
    const next = rows.at(-1) ?? null;
    if (next === null) return { purged: 0, next };
    const old = rowSet(
      'old',
      { company_id: 'bigint', id: 'bigint' },
      rows.map(({ companyId, id }) => [companyId, id]),
    );
    const purged = await transaction.run(
      sql`DELETE FROM sendings WHERE (company_id, id) IN (SELECT company_id, id FROM ${old})
            AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.company_id = sendings.company_id
              AND messages.id >= sendings.id AND messages.id < sendings.id + sendings.messages)`,
    );
    return { purged, next };
  },
  ({ limit }) => limit,
);
