/** Removes what nobody will ask for again: batches older than the retention, and finds those that were broken off. */
import { oneOf, rowSet, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
import type { BatchKey } from './batch-in-steps.ts';

/** Still being received since before that time: nobody is sending the rest of them any more. */
export const listBrokenOff = readVerb(
  'batches.listBrokenOff',
  async (reading, { before, limit }: { readonly before: number; readonly limit: number }) =>
    reading.all<BatchKey>(
      sql`SELECT company_id AS "companyId", id FROM batches
          WHERE code IS NULL AND created_at < ${before} ORDER BY created_at LIMIT ${limit}`,
    ),
);

export interface BatchPurge {
  /** The walk goes on after this one. */
  readonly after: BatchKey;
  readonly createdBefore: number;
  readonly limit: number;
}

/** A batch stays for as long as any of its messages does: its counts tell of them. */
export const purgeBatches = singleWriteVerb(
  'batches.purge',
  async (transaction, { after, createdBefore, limit }: BatchPurge) => {
    const rows = await transaction.all<BatchKey & { createdAt: number }>(
      sql`SELECT company_id AS "companyId", id, created_at AS "createdAt" FROM batches
          WHERE (company_id, id) > (${after.companyId}, ${after.id}) ORDER BY company_id, id LIMIT ${limit}`,
    );
    const old = rows.filter(({ createdAt }) => createdAt < createdBefore);
    const next = rows.at(-1) ?? null;
    if (old.length === 0) return { purged: 0, next };
    const keys = rowSet(
      'old',
      { company_id: 'bigint', id: 'bigint' },
      old.map(({ companyId, id }) => [companyId, id]),
    );
    const purged = await transaction.all<{ id: number }>(
      sql`DELETE FROM batches
          WHERE (company_id, id) IN (SELECT company_id, id FROM ${keys})
            AND code IS NOT NULL AND code NOT IN (1, 2, 3) AND clearing = 0
            AND NOT EXISTS (
              SELECT 1 FROM messages WHERE messages.company_id = batches.company_id
                AND messages.id >= batches.first_message_id
                AND messages.id < batches.first_message_id + batches.messages)
          RETURNING id`,
    );
    const ids = purged.map(({ id }) => id);
    if (ids.length === 0) return { purged: 0, next };
    // In the order in which counts are folded.
    await transaction.run(sql`DELETE FROM batch_count_changes WHERE batch_id ${oneOf('bigint', ids)}`);
    await transaction.run(sql`DELETE FROM batch_counts WHERE batch_id ${oneOf('bigint', ids)}`);
    return { purged: ids.length, next };
  },
  ({ limit }) => limit,
);
