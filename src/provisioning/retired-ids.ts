/** Ids of companies and users that were removed: they are not given again, since rows of their time still say them. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { Edit } from './state.ts';

export type RetiredKind = 'company' | 'user';

/** Which of the ids have belonged to somebody who is gone. */
export async function retiredAmong(
  reading: Reading,
  kind: RetiredKind,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await reading.all<{ id: number }>(
    sql`SELECT id FROM retired_ids WHERE kind = ${kind} AND id ${oneOf('bigint', ids)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

const columns = { kind: 'text', id: 'bigint' } as const;

/** To be called in the transaction that removes them. */
export async function retireIds(
  transaction: Transaction,
  kind: RetiredKind,
  edits: readonly Edit<{ readonly id: number | undefined }>[],
): Promise<void> {
  const ids = edits.flatMap(({ before, after }) => (after === undefined ? (before?.id ?? []) : []));
  const rows = ids.map((id) => [kind, id]);
  await transaction.insert('retired_ids', columns, rows, 'ON CONFLICT (kind, id) DO NOTHING');
}
