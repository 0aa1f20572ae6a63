/** Aborts a batch, for those to whom it is visible or the operator: what no carrier has yet is not sent, and its quota is refunded. */
import type { Caller } from '../../accounts/caller.ts';
import type { Clock } from '../../foundation/clock.ts';
import { raiseNews } from '../../storage/news.ts';
import { sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { type BatchCode, batchCode, batchTopic, isUnderWay, noBatch, parseBatchId } from '../batch.ts';
import { actingUser, type BatchUser, lockBatch, recordBatchAct } from './acting-on-batch.ts';
import { clearing, keyOf } from './batch-in-steps.ts';

type AbortOutcome =
  | { readonly kind: 'aborted' }
  /** It was complete and stays so; those of its messages that no carrier has yet are withdrawn. */
  | { readonly kind: 'takingBack' }
  /** It ended with an error, or was aborted before: there is nothing left to stop. */
  | { readonly kind: 'ended'; readonly code: BatchCode }
  | { readonly kind: 'notFound' };

/** Aborting a batch that has ended already is no error: nothing more of it is sent. */
type AbortAnswer = Exclude<AbortOutcome, { kind: 'notFound' }>;

export function abort(store: Store, clock: Clock, caller: Caller, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id, actingUser(caller));
}

export function abortForOperator(store: Store, clock: Clock, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id);
}

async function stop(store: Store, clock: Clock, id: string, user?: BatchUser): Promise<AbortAnswer> {
  const batchId = parseBatchId(id);
  const outcome: AbortOutcome =
    batchId === undefined
      ? { kind: 'notFound' }
      : await store.write(abortBatch, { id: batchId, now: clock.now(), ...(user && { user }) });
  if (outcome.kind === 'notFound') throw noBatch(id);
  if (outcome.kind !== 'ended') store.announce(batchTopic);
  return outcome;
}

interface AbortBatchInput {
  readonly id: number;
  readonly now: number;
  /** Absent for the operator, who may abort any batch. */
  readonly user?: BatchUser;
}

/** Messages that no carrier has yet are withdrawn in further steps. */
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
