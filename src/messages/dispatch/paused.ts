/** Puts messages of paused batches aside that a claim comes upon: what came back to waiting since their batch was paused. */
import { byDialect, literal, oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { stage } from '../message.ts';

export interface PausedBatch {
  readonly companyId: number;
  readonly id: number;
}

/** Tells dispatch which batches are paused, as far as it is known here. */
export interface KnowsPaused {
  /** Absent: none. */
  readonly pausedBatches?: () => readonly PausedBatch[];
}

// Before any message is locked, as in the steps of a batch, so that no two deadlock; nobody resumes it meanwhile.
const forShare = byDialect({ sqlite: '', postgres: 'FOR SHARE' });

/** Those that are paused indeed: what is put aside after a batch has been resumed would wait for ever. */
export async function stillPaused(
  transaction: Transaction,
  batches: readonly PausedBatch[],
): Promise<readonly PausedBatch[]> {
  if (batches.length === 0) return [];
  const keys = rowSet(
    'known',
    { company_id: 'bigint', id: 'bigint' },
    batches.map(({ companyId, id }) => [companyId, id]),
  );
  return transaction.all<PausedBatch>(
    sql`SELECT company_id AS "companyId", id FROM batches
        WHERE (company_id, id) IN (SELECT company_id, id FROM ${keys}) AND paused = 1
        ORDER BY company_id, id ${forShare}`,
  );
}

/** Returns the ids of those that were put aside. */
export async function putClaimedAside(
  transaction: Transaction,
  claimed: readonly { readonly company_id: number; readonly id: number }[],
  paused: readonly PausedBatch[],
  now: number,
): Promise<ReadonlySet<number>> {
  const companies = new Set(paused.map(({ companyId }) => companyId));
  const keys = claimed.filter((row) => companies.has(row.company_id)).map((row) => [row.company_id, row.id]);
  if (keys.length === 0) return new Set();
  const batchIds = paused.map(({ id }) => id);
  const aside = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET stage = ${literal(stage.paused)}, due_at = ${now}, node_id = NULL, attempts = attempts - 1
        FROM ${rowSet('claimed', { company_id: 'bigint', id: 'bigint' }, keys)}
        WHERE messages.company_id = claimed.company_id AND messages.id = claimed.id
          AND +messages.stage = ${literal(stage.inFlight)} AND +messages.batch_id ${oneOf('bigint', batchIds)}
        RETURNING messages.id`,
  );
  return new Set(aside.map(({ id }) => id));
}
