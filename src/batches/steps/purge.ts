/** Removes batches whose upload was abandoned, and those whose messages were purged. */

import { purgeInSets } from '../../storage/retention.ts';
import { oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { discardBatch } from '../intake/accept-store.ts';
import type { BatchKey } from './batch-in-steps.ts';

/** Longer than any upload can take, because connections are closed earlier. */
const brokenOffAfterMs = 60 * 60 * 1_000;
const setSize = 100;

/**
 * Returns how many batches were removed; those created before `before` are older than the retention period. Call this only
 * when the time of day can be trusted.
 */
export async function purgeOldBatches(
  store: Store,
  { now, before }: { readonly now: number; readonly before: number },
  signal: AbortSignal,
): Promise<number> {
  let purged = await discardBrokenOff(store, now - brokenOffAfterMs, signal);
  let after: BatchKey | null = { companyId: 0, id: 0 };
  while (after !== null && !signal.aborted) {
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

async function discardBrokenOff(store: Store, before: number, signal: AbortSignal): Promise<number> {
  let discarded = 0;
  while (!signal.aborted) {
    const keys = await store.read(listBrokenOff, { before, limit: setSize });
    if (keys.length === 0) break;
    for (const key of keys) {
      await purgeInSets(signal, () => store.write(discardBatch, key));
      discarded += 1;
    }
  }
  return discarded;
}

/** Batches whose upload began before that time and never finished. */
export const listBrokenOff = readVerb(
  'batches.listBrokenOff',
  async (reading, { before, limit }: { readonly before: number; readonly limit: number }) =>
    reading.all<BatchKey>(
      sql`SELECT company_id AS "companyId", id FROM batches
          WHERE code IS NULL AND created_at < ${before} ORDER BY created_at LIMIT ${limit}`,
    ),
);

/**
 * A batch is kept for as long as any of its messages is kept, since its counts describe the messages. The pass
 * continues after `after`.
 */
export const purgeBatches = singleWriteVerb(
  'batches.purge',
  async (
    transaction,
    {
      after,
      createdBefore,
      limit,
    }: { readonly after: BatchKey; readonly createdBefore: number; readonly limit: number },
  ) => {
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
