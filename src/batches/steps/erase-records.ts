/**
 * Finds a phone number in batches that are not fully sent yet. Nothing is changed there, since the batch's counts and cost
 * are final.
 */
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';

/** A batch and one of its chunks. */
type ChunkPlace = readonly [batchId: number, chunk: number];

/** A chunk has about a thousand messages. */
const chunksInStep = 5;

const positionOf = byDialect({ sqlite: 'instr', postgres: 'strpos' });

/** Examines a few chunks after a position; `next` is null when there are no more. */
export async function findInBatches(
  transaction: Transaction,
  about: { readonly companyId: number; readonly number: string; readonly until: number },
  [afterBatch, afterChunk]: ChunkPlace,
): Promise<{ readonly kept: number; readonly next: ChunkPlace | null }> {
  const hasNumber = formsOf(about.number)
    .map((form) => sql`${positionOf}(finished, ${form}) > 0`)
    .reduce((any, one) => sql`${any} OR ${one}`);
  const id = (await unfinished(transaction, about)).find((one) => one >= afterBatch);
  if (id === undefined) return { kept: 0, next: null };
  const seen = await transaction.all<{ chunk: number; found: number }>(
    sql`SELECT chunk, CASE WHEN ${hasNumber} THEN 1 ELSE 0 END AS found FROM batch_chunks
        WHERE batch_id = ${id} AND chunk > ${id === afterBatch ? afterChunk : -1} ORDER BY chunk LIMIT ${chunksInStep}`,
  );
  const kept = seen.filter(({ found }) => found === 1).length;
  const last = seen.at(-1);
  return { kept, next: last === undefined || seen.length < chunksInStep ? [id + 1, -1] : [id, last.chunk] };
}

/** A company has only a few at a time. */
const maxUnfinished = 1_000;

/** In id order, including batches that are still being received. */
async function unfinished(
  transaction: Transaction,
  { companyId, until }: { readonly companyId: number; readonly until: number },
): Promise<readonly number[]> {
  const underWay = await transaction.all<{ id: number }>(
    sql`SELECT id FROM batches WHERE company_id = ${companyId} AND code IN (1, 2, 3) AND created_at <= ${until}
        ORDER BY next_chunk, id LIMIT ${maxUnfinished}`,
  );
  // Without the plus sign, PostgreSQL would scan the batches that have already been received.
  const receiving = await transaction.all<{ id: number }>(
    sql`SELECT id FROM batches WHERE code IS NULL AND created_at <= ${until} AND +company_id = ${companyId}
        ORDER BY created_at LIMIT ${maxUnfinished}`,
  );
  return [...underWay, ...receiving].map(({ id }) => id).sort((one, other) => one - other);
}

/** Which of these batches had been accepted by that time. */
export async function acceptedUntil(
  transaction: Transaction,
  companyId: number,
  ids: readonly number[],
  until: number,
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await transaction.all<{ id: number }>(
    sql`SELECT id FROM batches WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND created_at <= ${until}`,
  );
  return new Set(rows.map(({ id }) => id));
}
