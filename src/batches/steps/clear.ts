/**
 * Withdraws the rest of a batch that has ended: messages that no carrier has yet become DELETED, chunks that were never
 * expanded are removed, and the quota of both is refunded. A message in flight may come back to waiting, so the walk is
 * repeated from the first of these until there are none.
 */
import { takeBack } from '../../messages/bulk-messages.ts';
import { monthOf, refundQuota } from '../../messages/charging.ts';
import { sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { type BatchInSteps, finished, finishedRows, keyOf } from './batch-in-steps.ts';

/** How many messages one step examines. */
const walkedAtOnce = 200;
/** How many chunks one step removes; fewer when their quota must be refunded. */
const removedAtOnce = 10;
const refundedAtOnce = 4;
/** Carriers usually answer within this time. */
const walkAgainAfterMs = 1_000;

export async function clear(transaction: Transaction, batch: BatchInSteps, now: number): Promise<void> {
  if (batch.clear_from < batch.expanded) return walk(transaction, batch, now);
  if (batch.next_chunk < batch.chunks) return removeChunks(transaction, batch);
  if (batch.clear_again_from !== null) {
    await transaction.run(
      sql`UPDATE batches SET clear_from = clear_again_from, clear_again_from = NULL, not_before = ${now + walkAgainAfterMs}
          WHERE ${keyOf(batch)}`,
    );
    return;
  }
  await transaction.run(sql`UPDATE batches SET clearing = 0, not_before = 0 WHERE ${keyOf(batch)}`);
}

async function walk(transaction: Transaction, batch: BatchInSteps, now: number): Promise<void> {
  const { company_id, clear_from: from, expanded } = batch;
  const firstId = batch.first_message_id as number;
  const to = Math.min(from + walkedAtOnce, expanded);
  const range = { companyId: company_id, firstId: firstId + from, count: to - from };
  const openId = await takeBack(transaction, range, now, `batch ${batch.id} was taken back`);
  const again = batch.clear_again_from ?? (openId === undefined ? null : openId - firstId);
  await transaction.run(
    sql`UPDATE batches SET clear_from = ${to}, clear_again_from = ${again} WHERE ${keyOf(batch)}`,
  );
}

async function removeChunks(transaction: Transaction, batch: BatchInSteps): Promise<void> {
  const { id, next_chunk, chunks, started_at } = batch;
  const to = Math.min(chunks, next_chunk + (started_at === null ? removedAtOnce : refundedAtOnce));
  const those = sql`batch_chunks.batch_id = ${id} AND batch_chunks.chunk < ${to}`;
  if (started_at !== null) {
    const cost = await transaction.first<{ messages: number; parts: number }>(
      sql`SELECT COUNT(*) AS messages, COALESCE(SUM(CAST(${finished('parts')} AS BIGINT)), 0) AS parts
          FROM batch_chunks CROSS JOIN ${finishedRows} WHERE ${those}`,
    );
    const { company_id: companyId, user_id: userId, cost_center: costCenter } = batch;
    if (cost !== undefined)
      await refundQuota(transaction, [
        { companyId, userId, costCenter, month: monthOf(started_at), ...cost },
      ]);
  }
  await transaction.run(sql`DELETE FROM batch_chunks WHERE ${those}`);
  await transaction.run(sql`UPDATE batches SET next_chunk = ${to} WHERE ${keyOf(batch)}`);
}
