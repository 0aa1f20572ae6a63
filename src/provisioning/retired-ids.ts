/** Ids of companies and users that were removed: they are not given again, since rows of their time still say them. */
import { oneOf, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { Edit, RetiredKind } from './state.ts';

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

const columns = { kind: 'text', id: 'bigint', name: 'text' } as const;

type Named<Item> = Item & { readonly id: number | undefined };

/** With their names, by which the bill goes on to call them. To be called in the transaction that removes them. */
export async function retireIds<Item>(
  transaction: Transaction,
  kind: RetiredKind,
  edits: readonly Edit<Named<Item>>[],
  nameOf: (item: Named<Item>) => string,
): Promise<void> {
  const rows = edits.flatMap(({ before, after }) =>
    after === undefined && before?.id !== undefined ? [[kind, before.id, nameOf(before)]] : [],
  );
  await transaction.insert('retired_ids', columns, rows, 'ON CONFLICT (kind, id) DO NOTHING');
}
