/** The kept counts of statuses, whose reading costs the same for ten messages or a million. */

import { WokenLoop } from '../../foundation/woken-loop.ts';
import { amongUnlocked, literal, oneOf, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { inTurns, type Reading, readVerb, singleWriteVerb, theCaller } from '../../storage/verb.ts';

/** How many messages of a batch have a status. */
export interface StatusCount {
  readonly batchId: number;
  readonly status: number;
  readonly messages: number;
}

/** Counts above 0 of these batches, exact as of this statement. */
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
  /** Either, or both: then of the batch and of those with the conversation. */
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
 * The user's own, as far as they were received whole, in the order of their ids. Each of the two is limited for itself, so
 * that no page reads all that a conversation has; those with a conversation are found by the user alone, since a
 * condition on the company leads SQLite to walk through all of the company's batches.
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
 * Folds changes into the counts; answers with how many. Two nodes at it at once each take other changes, and come to the
 * counts in the same order. On SQLite there are none: its triggers change the counts themselves.
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
/** As many as a short transaction folds: 10,000 take about 40 ms. */
const foldedAtOnce = 10_000;

/** Folds what has changed of the counts into them, regularly, so that reading them stays cheap. */
export function countFolding({ store, log }: FoldingOptions): WokenLoop {
  const failed = (error: unknown) =>
    log.warn({ error }, 'counts of batches could not be folded; it is tried again');
  // Only PostgreSQL has anything to fold.
  const pauseMs = store.dialect === 'postgres' ? foldEveryMs : Infinity;
  return new WokenLoop({ pauseMs, failed }, (signal) => foldCounts(store, signal));
}

/** All that there is now. */
export async function foldCounts(store: Store, signal?: AbortSignal): Promise<void> {
  let folded = foldedAtOnce;
  while (folded === foldedAtOnce && !signal?.aborted)
    folded = await store.write(foldCountChanges, foldedAtOnce);
}
