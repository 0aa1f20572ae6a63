/** Ids of removed companies, users and system users. They are never reused, because older rows still refer to them. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export type RetiredKind = 'company' | 'user' | 'systemUser';

/** Which of the ids belonged to removed owners. */
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

/** The ids of removed owners from there on, in order. */
export async function retiredAfter(
  reading: Reading,
  { kind, after, limit }: { readonly kind: RetiredKind; readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  const rows = await reading.all<{ id: number }>(
    sql`SELECT id FROM retired_ids WHERE kind = ${kind} AND id > ${after} ORDER BY id LIMIT ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export async function hasRetired(reading: Reading): Promise<boolean> {
  return (await reading.first(sql`SELECT id FROM retired_ids LIMIT 1`)) !== undefined;
}

const columns = { kind: 'text', id: 'bigint', name: 'text' } as const;

interface Retired {
  readonly id: number | undefined;
  readonly name: string;
}

/** Keeps the names of removed owners, which the bill still shows. Call it in the transaction that removes the owners. */
export async function retireIds(
  transaction: Transaction,
  kind: RetiredKind,
  retired: readonly Retired[],
): Promise<void> {
  const rows = retired.flatMap(({ id, name }) => (id === undefined ? [] : [[kind, id, name]]));
  await transaction.insert('retired_ids', columns, rows, 'ON CONFLICT (kind, id) DO NOTHING');
}
