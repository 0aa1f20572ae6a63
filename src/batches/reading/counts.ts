/** The stored status counts, which take the same time to read for ten messages as for a million. */

import { WokenLoop } from '../../foundation/woken-loop.ts';
import { amongUnlocked, literal, oneOf, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theCaller } from '../../storage/verb.ts';

export interface StatusCount {
  readonly batchId: number;
  readonly status: number;
  readonly messages: number;
}

/** Returns the counts above 0 of these batches, exact at the time of this statement. */
export async function countStatuses(
  reading: Reading,
  batchIds: readonly number[],
): Promise<readonly StatusCount[]> {
  const those = sql`batch_id ${oneOf('bigint', batchIds)}`;
  return reading.all<StatusCount>(
    sql`SELECT batch_id AS "batchId", status, SUM(messages) AS messages FROM (
          SELECT batch_id, status, messages FROM batch_counts WHERE ${those}
          UNION ALL
          SELECT batch_id, after_status, messages FROM batch_count_changes WHERE ${those}
          UNION ALL
          SELECT batch_id, before_status, -messages FROM batch_count_changes
          WHERE ${those} AND before_status IS NOT NULL
        ) AS counted
        GROUP BY batch_id, status HAVING SUM(messages) > 0 ORDER BY batch_id, status`,
  );
}

export interface OwnBatches {
  readonly companyId: number;
  readonly userId: number;
  /** At least one of the two is set. With both, the result has the batch and the batches with the conversation. */
  readonly batchId: number | null;
  readonly conversation: string | null;
  readonly afterId: number;
  readonly limit: number;
}

export interface OwnBatch {
  readonly id: number;
  readonly conversation: string;
}

/**
 * The user's own batches that were received completely, in id order. The two conditions are limited separately, so that
 * no page reads all batches of a conversation. Batches with a conversation are selected by user alone, because with a
 * condition on the company SQLite would scan all of the company's batches.
 */
export async function selectOwnBatches(reading: Reading, query: OwnBatches): Promise<readonly OwnBatch[]> {
  const { companyId, userId, batchId, conversation, afterId, limit } = query;
  const own = sql`user_id = ${userId} AND id > ${afterId} AND code IS NOT NULL`;
  return reading.all<OwnBatch>(
    sql`SELECT id, conversation FROM batches WHERE company_id = ${companyId} AND id = ${batchId} AND ${own}
        UNION SELECT * FROM (
          SELECT id, conversation FROM batches WHERE conversation = ${conversation} AND ${own} ORDER BY id LIMIT ${limit}
        ) AS with_conversation
        ORDER BY id LIMIT ${limit}`,
  );
}

export interface CountedBatch extends OwnBatch {
  readonly counts: readonly StatusCount[];
}

export const readStatusCounts = inTurns(
  readVerb(
    'batches.readStatusCounts',
    async (reading, query: OwnBatches): Promise<readonly CountedBatch[]> => {
      const batches = await selectOwnBatches(reading, query);
      if (batches.length === 0) return [];
      const counts = new Map<number, StatusCount[]>(batches.map(({ id }) => [id, []]));
      for (const count of await countStatuses(reading, [...counts.keys()])) {
        counts.get(count.batchId)?.push(count);
      }
      return batches.map((batch) => ({ ...batch, counts: counts.get(batch.id) ?? [] }));
    },
  ),
  theCaller,
);

/**
 * Folds changes into the counts and returns how many it folded. Concurrent nodes take different changes and update the counts
 * in the same order. On SQLite there are no changes to fold, because triggers update the counts directly.
 */
export const foldCountChanges = singleWriteVerb(
  'batches.foldCountChanges',
  async (transaction, limit: number): Promise<number> => {
    if (transaction.dialect === 'sqlite') return 0;
    const done = await transaction.first<{ folded: number }>(
      sql`WITH folded AS (
            DELETE FROM batch_count_changes
            WHERE ${amongUnlocked('rowid', sql`batch_count_changes LIMIT ${literal(limit)}`)}
            RETURNING batch_id, before_status, after_status, messages
          ), counted AS (
            INSERT INTO batch_counts (batch_id, status, messages)
            SELECT batch_id, status, SUM(messages) FROM (
              SELECT batch_id, after_status AS status, messages FROM folded
              UNION ALL SELECT batch_id, before_status, -messages FROM folded WHERE before_status IS NOT NULL
            ) AS moves
            GROUP BY batch_id, status HAVING SUM(messages) <> 0 ORDER BY batch_id, status
            ON CONFLICT (batch_id, status) DO UPDATE SET messages = batch_counts.messages + excluded.messages
          )
          SELECT COUNT(*) AS folded FROM folded`,
    );
    return done?.folded ?? 0;
  },
  (limit) => limit,
);

interface FoldingOptions {
  readonly store: Store;
  readonly log: { warn(details: object, message: string): void };
}

const foldEveryMs = 1_000;
/** As many as a short transaction can fold: 10,000 take about 40 ms. */
const maxFoldedPerStep = 10_000;

/** Regularly folds changes into the counts, so that reading them stays cheap. */
export function countFolding({ store, log }: FoldingOptions): WokenLoop {
  const failed = (error: unknown) =>
    log.warn({ error }, 'counts of batches could not be updated; trying again');
  // Only PostgreSQL has anything to fold.
  const pauseMs = store.dialect === 'postgres' ? foldEveryMs : Infinity;
  return new WokenLoop({ pauseMs, failed }, (signal) => foldCounts(store, signal));
}

/** Folds everything that is pending now. */
export async function foldCounts(store: Store, signal?: AbortSignal): Promise<void> {
  let folded = maxFoldedPerStep;
  while (folded === maxFoldedPerStep && !signal?.aborted)
    folded = await store.write(foldCountChanges, maxFoldedPerStep);
}
