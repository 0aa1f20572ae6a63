/** Counts what an endpoint is not told of because it is disabled: nothing of it is kept, but its numbers are used up. */
import { fromEach, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';

const columns = { endpoint_id: 'bigint', events: 'bigint' } as const;

/** By endpoint, whose queue is locked. Where nothing waits, nothing is left to be done either. */
export async function countMissed(
  transaction: Transaction,
  missed: readonly (readonly [number, number])[],
): Promise<void> {
  if (missed.length === 0) return;
  await transaction.each(
    columns,
    missed,
    sql`UPDATE webhook_queues SET last_seq = last_seq + each.events, lost = lost + each.events,
          done_seq = CASE WHEN done_seq = last_seq THEN last_seq + each.events ELSE done_seq END
        ${fromEach} WHERE webhook_queues.endpoint_id = each.endpoint_id`,
  );
}
