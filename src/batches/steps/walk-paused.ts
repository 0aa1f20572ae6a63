/**
 * Puts aside what waits of a batch that was paused, and lets it go when it is resumed. What is in flight may come back to
 * waiting later: a claim puts it aside then (`messages/dispatch/paused.ts`).
 *
 *   waiting, retrying, scheduled ──the batch is paused──▶ paused ──it is resumed──▶ waiting
 */
import { letGo, putAside } from '../../messages/bulk-messages.ts';
import { sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { type BatchInSteps, clearing, keyOf } from './batch-in-steps.ts';

/** How many messages one step examines. */
const walkedAtOnce = 200;

/** Returns the carriers that have messages to send now. */
export async function walkPaused(
  transaction: Transaction,
  batch: BatchInSteps,
  now: number,
): Promise<readonly number[]> {
  const { company_id: companyId, clear_from: from, clear_again_from: againFrom, expanded } = batch;
  if (from >= expanded) {
    const after = againFrom === null ? clearing.nothing : batch.clearing;
    await transaction.run(
      sql`UPDATE batches SET clearing = ${after}, clear_from = ${againFrom ?? 0}, clear_again_from = NULL
          WHERE ${keyOf(batch)}`,
    );
    return [];
  }
  const firstId = batch.first_message_id as number;
  const to = Math.min(from + walkedAtOnce, expanded);
  const range = { companyId, firstId: firstId + from, count: to - from };
  let carrierIds: readonly number[] = [];
  let again = againFrom;
  if (batch.clearing === clearing.puttingAside) await putAside(transaction, range, now);
  else {
    const letGoNow = await letGo(transaction, range, now, batch.validity_minutes);
    carrierIds = letGoNow.carrierIds;
    again ??= letGoNow.openId === undefined ? null : letGoNow.openId - firstId;
  }
  await transaction.run(
    sql`UPDATE batches SET clear_from = ${to}, clear_again_from = ${again} WHERE ${keyOf(batch)}`,
  );
  return carrierIds;
}
