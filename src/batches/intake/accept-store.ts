/** Stores a batch while it is being received: first its chunks one by one, then one transaction that makes it a batch. */
import { remarkOfTime } from '../../audit/audit-details.ts';
import { type Actor, type AuditEntry, recordAct } from '../../audit/audit-log.ts';
import { claimKey, type Earlier, forgetKey, type Idempotency } from '../../messages/idempotency.ts';
import { forShare, forUpdate, raw, sql } from '../../storage/sql.ts';
import { bigint, expression, StoredRecord } from '../../storage/stored-record.ts';
import { refusable, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { batchCode } from '../batch.ts';

interface ReceivingBatch {
  readonly companyId: number;
  readonly id: number;
  readonly userId: number;
  readonly now: number;
}

/** Refused when the store is overloaded, whereas a batch that has begun is finished. */
export const beginBatch = refusable(
  singleWriteVerb('batches.begin', async (transaction, batch: ReceivingBatch): Promise<null> => {
    const { companyId, id, userId, now } = batch;
    await transaction.run(
      sql`INSERT INTO batches (company_id, id, user_id, code, reason, conversation, sender, cost_center, validity_minutes,
            created_at, changed_at, messages, parts, duplicates, chunks, next_chunk, expanded, not_before,
            clearing, clear_from)
          VALUES (${companyId}, ${id}, ${userId}, NULL, NULL, '', '', '', 0, ${now}, ${now}, 0, 0, 0, 0, 0, 0, 0,
            0, 0)`,
    );
    return null;
  }),
);

interface BatchChunk {
  readonly companyId: number;
  readonly batchId: number;
  /** Counted from 0 without gaps. */
  readonly chunk: number;
  readonly messages: number;
  /** JSON: a list of `ChunkRow`. */
  readonly finished: string;
}

/** Writing a chunk's text takes as long as inserting this many rows. */
const chunkWeight = 100;

/** False when the batch was removed as abandoned. */
export const storeChunk = singleWriteVerb(
  'batches.storeChunk',
  async (transaction, { companyId, batchId, chunk, messages, finished }: BatchChunk) => {
    // A batch that another transaction is removing must not get another chunk.
    const receiving = await transaction.first(
      sql`SELECT id FROM batches WHERE company_id = ${companyId} AND id = ${batchId} AND code IS NULL ${forShare}`,
    );
    if (receiving === undefined) return false;
    await transaction.run(
      sql`INSERT INTO batch_chunks (batch_id, chunk, messages, finished)
          VALUES (${batchId}, ${chunk}, ${messages}, ${finished})`,
    );
    return true;
  },
  () => chunkWeight,
);

export interface BatchAcceptance {
  readonly companyId: number;
  readonly id: number;
  readonly userId: number;
  readonly by: Actor;
  readonly now: number;
  readonly conversation: string;
  readonly sender: string;
  readonly costCenter: string;
  readonly validityMinutes: number;
  /** The code of the messages' category; null for the standard one. */
  readonly category: number | null;
  readonly name: string;
  /** Null when it begins at once. */
  readonly scheduledAt: number | null;
  readonly messages: number;
  /** SMS parts of all messages. */
  readonly parts: number;
  /** Recipients left out because the same text already goes to the same number from the same sender. */
  readonly duplicates: number;
  readonly chunks: number;
  /** A fault found by intake that only /batchinfo reports. There may then be no chunks. */
  readonly failure: {
    readonly code: typeof batchCode.tooManyRecipients | typeof batchCode.validationError;
    readonly reason: string;
  } | null;
  readonly idempotency: Idempotency | null;
  /** Set when these are failed messages of another batch that the user sends again. */
  readonly resent?: Resent | null;
}

/** The messages of a batch that failed between two times. */
export interface Resent {
  readonly from: number;
  /** Messages that failed by this time have already been sent again. */
  readonly after: number;
  readonly until: number;
}

/** Unless the batch is accepted, nothing has changed, and the stored chunks are to be discarded. */
type BatchAccepted =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'gone' }
  /** Another call has sent the same messages again in the meantime. */
  | { readonly kind: 'resentMeanwhile' }
  | Earlier;

/**
 * Failures up to this time have already been resent; 0 means none. A batch that ended before it began, for example because of
 * its quota, has sent nothing.
 */
export const resentUntil = expression(
  `COALESCE((SELECT MAX(again.resent_until) FROM batches AS again
    WHERE again.resent_from = batches.id AND again.resent_from IS NOT NULL AND +again.company_id = batches.company_id
      AND (again.code IN (1, 2, 3) OR again.started_at IS NOT NULL)), 0)`,
  bigint,
);
const resentBatch = new StoredRecord({ resentUntil });

export const acceptBatch = singleWriteVerb(
  'batches.accept',
  async (transaction, batch: BatchAcceptance): Promise<BatchAccepted> => {
    const receiving = await transaction.first(
      sql`SELECT id FROM batches
          WHERE company_id = ${batch.companyId} AND id = ${batch.id} AND code IS NULL ${forUpdate}`,
    );
    if (receiving === undefined) return { kind: 'gone' };
    const earlier = batch.idempotency && (await claimKey(transaction, batch, batch.idempotency));
    if (earlier !== null) return earlier;
    if (batch.resent != null && (await isResent(transaction, batch.companyId, batch.resent))) {
      await forgetKey(transaction, batch);
      return { kind: 'resentMeanwhile' };
    }
    await transaction.run(
      sql`UPDATE batches SET code = ${batchCode.received}, changed_at = ${batch.now},
            conversation = ${batch.conversation}, sender = ${batch.sender}, cost_center = ${batch.costCenter},
            validity_minutes = ${batch.validityMinutes}, category = ${batch.category}, name = ${batch.name}, scheduled_at = ${batch.scheduledAt}, messages = ${batch.messages}, parts = ${batch.parts},
            duplicates = ${batch.duplicates}, chunks = ${batch.chunks},
            failure_code = ${batch.failure?.code ?? null}, reason = ${batch.failure?.reason ?? null},
            resent_from = ${batch.resent?.from ?? null}, resent_until = ${batch.resent?.until ?? null}
          WHERE company_id = ${batch.companyId} AND id = ${batch.id}`,
    );
    await recordAct(transaction, entryOf(batch));
    return { kind: 'accepted' };
  },
);

function entryOf(batch: BatchAcceptance): AuditEntry {
  const { companyId, id, by, now: at, resent } = batch;
  if (resent != null) {
    const details = { sentence: 'as_sent', ids: String(id) } as const;
    return { companyId, at, by, act: 'batch.resendFailed', object: String(resent.from), details };
  }
  const { name, messages: sms, failure, scheduledAt } = batch;
  const count = failure === null ? [{ sentence: 'sms_count', sms } as const] : [];
  const details = [name, ...count, ...remarkOfTime(scheduledAt)];
  return { companyId, at, by, act: 'batch.make', object: String(id), details };
}

/** On PostgreSQL the lock serialises these calls. */
async function isResent(
  transaction: Transaction,
  companyId: number,
  { from, after }: Resent,
): Promise<boolean> {
  const source = sql`company_id = ${companyId} AND id = ${from}`;
  await transaction.first(sql`SELECT id FROM batches WHERE ${source} ${forUpdate}`);
  const known = await resentBatch.first(transaction)`FROM batches WHERE ${source}`;
  return known?.resentUntil !== after;
}

/** Chunks removed per step, which frees about two megabytes. */
const maxChunksPerStep = 20;

/**
 * Removes what was stored of a batch that is still being received. Returns the number of chunks removed; 0 means that nothing
 * is left.
 */
export const discardBatch = singleWriteVerb(
  'batches.discard',
  async (transaction, { companyId, id }: { readonly companyId: number; readonly id: number }) => {
    const receiving = await transaction.first(
      sql`SELECT id FROM batches WHERE company_id = ${companyId} AND id = ${id} AND code IS NULL ${forUpdate}`,
    );
    if (receiving === undefined) return 0;
    const removed = await transaction.run(
      sql`DELETE FROM batch_chunks WHERE batch_id = ${id} AND chunk IN (
            SELECT chunk FROM batch_chunks WHERE batch_id = ${id} ORDER BY chunk LIMIT ${raw(String(maxChunksPerStep))})`,
    );
    if (removed < maxChunksPerStep)
      await transaction.run(sql`DELETE FROM batches WHERE company_id = ${companyId} AND id = ${id}`);
    return removed;
  },
  () => maxChunksPerStep * chunkWeight,
);
