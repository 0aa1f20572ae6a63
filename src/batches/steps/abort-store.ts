/** Stops a batch permanently; messages that no carrier has yet are withdrawn in further steps. */
import { ofAnyCompany } from '../../messages/every-company.ts';
import { byDialect, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { type BatchCode, batchCode, isUnderWay } from '../batch.ts';

export interface AbortBatchInput {
  readonly id: number;
  readonly now: number;
  /** Absent for the operator, who may abort any batch. */
  readonly owner?: { readonly companyId: number; readonly userId: number };
  readonly reason: string;
}

export type AbortOutcome =
  | { readonly kind: 'aborted' }
  /** It was complete and stays so; those of its messages that no carrier has yet are withdrawn. */
  | { readonly kind: 'takingBack' }
  /** It ended with an error, or was aborted before: there is nothing left to stop. */
  | { readonly kind: 'ended'; readonly code: BatchCode }
  | { readonly kind: 'notFound' };

// Waits for a step of another node, which is short.
const forUpdate = byDialect({ sqlite: '', postgres: 'FOR UPDATE' });

export const abortBatch = singleWriteVerb(
  'batches.abort',
  async (transaction, { id, now, owner, reason }: AbortBatchInput): Promise<AbortOutcome> => {
    // Via the companies, since the key of a batch begins with its company.
    const found = await transaction.first<{ company_id: number; user_id: number }>(
      sql`SELECT company_id, user_id FROM batches
          WHERE company_id ${await ofAnyCompany(transaction)} AND id = ${id}`,
    );
    const isTheirs =
      owner === undefined || (owner.companyId === found?.company_id && owner.userId === found.user_id);
    if (found === undefined || !isTheirs) return { kind: 'notFound' };
    const key = sql`company_id = ${found.company_id} AND id = ${id}`;
    const batch = await transaction.first<{ code: BatchCode | null }>(
      sql`SELECT code FROM batches WHERE ${key} ${forUpdate}`,
    );
    if (batch === undefined || batch.code === null) return { kind: 'notFound' };
    if (isUnderWay(batch.code)) {
      await transaction.run(
        sql`UPDATE batches SET code = ${batchCode.aborted}, reason = ${reason}, changed_at = ${now}, not_before = 0,
              clearing = 1
            WHERE ${key}`,
      );
      return { kind: 'aborted' };
    }
    if (batch.code !== batchCode.ok) return { kind: 'ended', code: batch.code };
    await transaction.run(
      sql`UPDATE batches SET clearing = 1, clear_from = 0, clear_again_from = NULL, not_before = 0 WHERE ${key}`,
    );
    return { kind: 'takingBack' };
  },
);
