/** Verbs that show tests what is stored of batches being taken in. */
import type { ChunkRow } from '../../src/batches/batch.ts';
import { sql } from '../../src/storage/sql.ts';
import { readVerb } from '../../src/storage/verb.ts';

export interface StoredBatch {
  readonly id: number;
  readonly code: number | null;
  readonly failure_code: number | null;
  readonly reason: string | null;
  readonly conversation: string;
  readonly sender: string;
  readonly cost_center: string;
  readonly validity_minutes: number;
  readonly messages: number;
  readonly parts: number;
  readonly duplicates: number;
  readonly chunks: number;
}

/** All batches, and the finished messages of all chunks in order. */
export const readStoredBatches = readVerb('test.readStoredBatches', async (reading, _: null) => {
  const batches = await reading.all<StoredBatch>(
    sql`SELECT id, code, failure_code, reason, conversation, sender, cost_center, validity_minutes, messages, parts,
          duplicates, chunks FROM batches ORDER BY id`,
  );
  const chunks = await reading.all<{
    readonly batch_id: number;
    readonly messages: number;
    readonly finished: string;
  }>(sql`SELECT batch_id, messages, finished FROM batch_chunks ORDER BY batch_id, chunk`);
  const rows = chunks.flatMap(({ finished }) => JSON.parse(finished) as ChunkRow[]);
  return { batches, rows, chunkSizes: chunks.map(({ messages }) => messages) };
});
