/** Stops a batch permanently; messages that no carrier has yet are withdrawn in further steps. */
import { raiseNews } from '../../storage/news.ts';
import { sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { type BatchCode, batchCode, isUnderWay } from '../batch.ts';
import { type BatchUser, lockBatch, recordBatchAct } from './acting-on-batch.ts';
import { clearing, keyOf } from './batch-in-steps.ts';

export interface AbortBatchInput {
  readonly id: number;
  readonly now: number;
  /** Absent for the operator, who may abort any batch. */
  readonly user?: BatchUser;
}

export type AbortOutcome =
  | { readonly kind: 'aborted' }
  /** It was complete and stays so; those of its messages that no carrier has yet are withdrawn. */
  | { readonly kind: 'takingBack' }
  /** It ended with an error, or was aborted before: there is nothing left to stop. */
  | { readonly kind: 'ended'; readonly code: BatchCode }
  | { readonly kind: 'notFound' };

export const abortBatch = singleWriteVerb(
  'batches.abort',
  async (transaction, { id, now, user }: AbortBatchInput): Promise<AbortOutcome> => {
    const batch = await lockBatch(transaction, id, user);
    if (batch === undefined) return { kind: 'notFound' };
    const { code } = batch;
    const isAborted = isUnderWay(code);
    if (!isAborted && code !== batchCode.ok) return { kind: 'ended', code };
    const reason = user === undefined ? 'aborted by the operator' : `aborted by ${user.username}`;
    const ends = sql`code = ${batchCode.aborted}, reason = ${reason}, changed_at = ${now},`;
    await transaction.run(
      sql`UPDATE batches SET ${isAborted ? ends : sql``} not_before = 0, paused = 0,
            clearing = ${clearing.takingBack}, clear_from = 0, clear_again_from = NULL
          WHERE ${keyOf(batch)}`,
    );
    if (batch.paused === 1) await raiseNews(transaction, 'batches');
    await recordBatchAct(transaction, batch, { now, user, act: 'batch.abort' });
    return { kind: isAborted ? 'aborted' : 'takingBack' };
  },
);
