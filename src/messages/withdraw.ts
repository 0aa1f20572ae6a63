/** Takes messages back that wait and that no carrier has had: within a larger transaction, for whoever sent them. */
import { literal, rowSet, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { refundEnded } from './charging.ts';
import { charge, stage, status } from './message.ts';
import { endsAs } from './status-change.ts';

const keyColumns = { company_id: 'bigint', id: 'bigint' } as const;

/** Returns the ids of those that nobody gets any more, now or already before. Their quota comes back. */
export async function withdraw(
  transaction: Transaction,
  keys: readonly (readonly [companyId: number, id: number])[],
  now: number,
  reason: string,
): Promise<readonly number[]> {
  if (keys.length === 0) return [];
  const rows = await transaction.all<{ company_id: number; id: number }>(
    sql`UPDATE messages SET ${endsAs(literal(status.DELETED), now, reason)}
        FROM ${rowSet('unwanted', keyColumns, keys)}
        WHERE messages.company_id = unwanted.company_id AND messages.id = unwanted.id
          AND messages.stage IN (${literal(stage.scheduled)}, ${literal(stage.waiting)})
          AND messages.charge = ${literal(charge.reserved)}
        RETURNING messages.company_id, messages.id`,
  );
  await refundEnded(
    transaction,
    rows.map(({ company_id, id }) => [company_id, id]),
  );
  const unsent = await transaction.all<{ id: number }>(
    sql`SELECT messages.id FROM ${rowSet('unwanted', keyColumns, keys)}
        JOIN messages ON messages.company_id = unwanted.company_id AND messages.id = unwanted.id
        WHERE messages.charge = ${literal(charge.refunded)}`,
  );
  return unsent.map(({ id }) => id);
}
