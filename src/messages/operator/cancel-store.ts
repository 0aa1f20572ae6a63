/**
 * Cancels a waiting message of any company, by its id. One that waits for a retry may be with a carrier all the same, in
 * part or in doubt: it ends here too, but stays charged.
 */
import { literal, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { refundEnded } from '../charging.ts';
import { ofAnyCompany } from '../every-company.ts';
import { stage, status } from '../message.ts';
import { endsAs } from '../status-change.ts';

export interface Cancellation {
  readonly id: number;
  readonly now: number;
}

export type Cancelled =
  | { readonly kind: 'cancelled'; readonly status: number }
  /** Too late: the status tells why. */
  | { readonly kind: 'tooLate'; readonly status: number }
  | { readonly kind: 'notFound' };

export const cancelMessage = singleWriteVerb(
  'messages.cancel',
  async (transaction, { id, now }: Cancellation): Promise<Cancelled> => {
    // By way of the companies, since the key of a message begins with its company.
    const message = await transaction.first<{ company_id: number }>(
      sql`SELECT company_id FROM messages WHERE company_id ${await ofAnyCompany(transaction)} AND id = ${id}`,
    );
    if (message === undefined) return { kind: 'notFound' };
    // By the row as it is now: its send time may have come since it was read.
    const ended = sql`CASE WHEN status = ${literal(status.SCHEDULED)} THEN ${literal(status.CANCELED)} ELSE ${literal(status.DELETED)} END`;
    const changed = await transaction.first<{ status: number }>(
      sql`UPDATE messages SET ${endsAs(ended, now, 'cancelled by the operator')}
          WHERE company_id = ${message.company_id} AND id = ${id} AND stage IN (${stage.scheduled}, ${stage.waiting}, ${stage.retrying})
          RETURNING status`,
    );
    if (changed === undefined) {
      // As it is by now: it may have ended since it was read.
      const late = await transaction.first<{ status: number }>(
        sql`SELECT status FROM messages WHERE company_id = ${message.company_id} AND id = ${id}`,
      );
      return late === undefined ? { kind: 'notFound' } : { kind: 'tooLate', status: late.status };
    }
    await refundEnded(transaction, [[message.company_id, id]]);
    return { kind: 'cancelled', status: changed.status };
  },
);
