/** Leases on which jobs wait for answers, for as long as their runs go on. */
import { fromEach, literal, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { holder } from './lease-book.ts';

/** A job waits for answers until then: all its leases to these people end, or last, accordingly. */
export async function endJobLeases(
  transaction: Transaction,
  conversation: string,
  recipients: readonly string[],
  endsAt: number,
): Promise<void> {
  await transaction.each(
    { recipient: 'text', conversation: 'text', ends_at: 'bigint' },
    recipients.map((recipient) => [recipient, conversation, endsAt]),
    sql`UPDATE number_leases SET ends_at = each.ends_at ${fromEach}
        WHERE number_leases.recipient = each.recipient AND number_leases.conversation = each.conversation
          AND number_leases.holder = ${literal(holder.job)}`,
  );
}
