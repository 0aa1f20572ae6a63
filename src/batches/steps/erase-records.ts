/** Finds a phone number in what batches are still to send: nothing of it is changed there, since its counts and cost stand. */
import { byDialect, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';

/** A batch, and a part of what it was made of. */
type ChunkPlace = readonly [batchId: number, chunk: number];

/** A chunk has a thousand messages or so. */
const chunksInStep = 5;

const positionOf = byDialect({ sqlite: 'instr', postgres: 'strpos' });

/** Looks at a few chunks behind a place; `next` null: there are no more. */
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

/** A company has a few at a time. */
const mostUnfinished = 1_000;

/** In the order of their ids, those that are still being received too. */
async function unfinished(
  transaction: Transaction,
  { companyId, until }: { readonly companyId: number; readonly until: number },
): Promise<readonly number[]> {
  const underWay = await transaction.all<{ id: number }>(
    sql`SELECT id FROM batches WHERE company_id = ${companyId} AND code IN (1, 2, 3) AND created_at <= ${until}
        ORDER BY next_chunk, id LIMIT ${mostUnfinished}`,
  );
  // Without the plus, PostgreSQL would look through the batches that have been received.
  const receiving = await transaction.all<{ id: number }>(
    sql`SELECT id FROM batches WHERE code IS NULL AND created_at <= ${until} AND +company_id = ${companyId}
        ORDER BY created_at LIMIT ${mostUnfinished}`,
  );
  return [...underWay, ...receiving].map(({ id }) => id).sort((one, other) => one - other);
}

/** Those of the ids that were accepted until then. */
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
