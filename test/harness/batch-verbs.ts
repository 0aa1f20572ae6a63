/** Verbs that read everything stored about batches, and that damage them. */
import { raw, sql } from '../../src/storage/sql.ts';
import { readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

export interface BatchRow {
  readonly id: number;
  readonly code: number | null;
  readonly reason: string | null;
  readonly messages: number;
  readonly parts: number;
  readonly next_chunk: number;
  readonly expanded: number;
  readonly first_message_id: number | null;
  readonly started_at: number | null;
  readonly changed_at: number;
  readonly not_before: number;
  readonly clearing: number;
  /** Chunks still stored. */
  readonly stored: number;
}

export const listBatchRows = readVerb('test.listBatchRows', async (reading, _: null) =>
  reading.all<BatchRow>(
    sql`SELECT batches.*, (SELECT COUNT(*) FROM batch_chunks WHERE batch_id = batches.id) AS stored
        FROM batches ORDER BY id`,
  ),
);

export interface BatchMessageRow {
  readonly id: number;
  readonly batch_id: number;
  readonly company_id: number;
  readonly user_id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly parts: number;
  readonly conversation: string;
  readonly cost_center: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly status: number;
  readonly stage: number | null;
  readonly carrier_id: number;
  readonly lane: number;
  readonly charge: number;
  readonly unread: number;
  readonly version: number;
  readonly reason: string | null;
}

export const listBatchMessages = readVerb('test.listBatchMessages', async (reading, batchId: number) =>
  reading.all<BatchMessageRow>(sql`SELECT * FROM messages WHERE batch_id = ${batchId} ORDER BY id`),
);

export const countOrphanChunks = readVerb('test.countOrphanChunks', async (reading, _: null) => {
  const row = await reading.first<{ count: number }>(
    sql`SELECT COUNT(*) AS count FROM batch_chunks WHERE batch_id NOT IN (SELECT id FROM batches)`,
  );
  return row?.count ?? 0;
});

export const clearBatches = singleWriteVerb('test.clearBatches', async (transaction, _: null) => {
  for (const table of ['batches', 'batch_chunks', 'batch_counts', 'batch_count_changes'])
    await transaction.run(sql`DELETE FROM ${raw(table)}`);
});

/** Damages the chunk so that no step can read it. */
export const spoilChunk = singleWriteVerb(
  'test.spoilChunk',
  async (transaction, { batchId, chunk }: { readonly batchId: number; readonly chunk: number }) =>
    transaction.run(sql`DELETE FROM batch_chunks WHERE batch_id = ${batchId} AND chunk = ${chunk}`),
);
