/** PostgreSQL runs transactions side by side: those that change what is in a book, or remove it, take turns. */
import { byDialect, oneOf, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

/**
 * Returns the ids of those that exist. Statements that follow see what others did with the books before; the rows
 * of a book refer to nothing, so that without this those of an import would stay when the book goes.
 */
export async function lockBooks(
  transaction: Transaction,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  // Always in the same order, so that no two transactions deadlock.
  const rows = await transaction.all<{ id: number }>(
    sql`SELECT id FROM address_books WHERE id ${oneOf('bigint', ids)} ORDER BY id
        ${byDialect({ sqlite: '', postgres: 'FOR UPDATE' })}`,
  );
  return rows.map(({ id }) => id);
}

/** False when it was removed: nothing may be written into it. */
export async function lockBook(transaction: Transaction, id: number): Promise<boolean> {
  return (await lockBooks(transaction, [id])).length > 0;
}
