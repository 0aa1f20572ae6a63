/** One leases numbers of the pool, or changes a job's leases, at a time. */
import { byDialect, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';

/**
 * Two nodes that lease at once could give one number to two conversations with the same person; and who gives codes to
 * jobs writes their leases anew, by which a change to them meanwhile would be lost. SQLite has one writer; on PostgreSQL
 * this lock makes the second wait until the first has committed. It is taken before all other locks, so that no two
 * transactions deadlock.
 */
const poolLock = sql`SELECT ${byDialect({ sqlite: '1', postgres: 'pg_advisory_xact_lock(7166014334)' })}`;

export async function lockPool(transaction: Transaction): Promise<void> {
  await transaction.all(poolLock);
}
