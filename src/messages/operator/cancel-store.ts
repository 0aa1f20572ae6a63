/**
 * Cancels a waiting message, by its id. One that waits for a retry may be with a carrier all the same, in
 * part or in doubt: it ends here too, but stays charged.
 */
import type { Visibility } from '../../accounts/visibility.ts';
import { byUser, operator, recordAct } from '../../audit/audit-log.ts';
import { literal, sql } from '../../storage/sql.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { refundEnded } from '../charging.ts';
import { stage, status } from '../message.ts';
import { endsAs } from '../status-change.ts';
import { isVisible } from './inspect-store.ts';

export interface Cancellation {
  readonly id: number;
  readonly now: number;
  /** Absent for the operator, who may cancel any. */
  readonly user?: Visibility & { readonly username: string };
}

export type Cancelled =
  | { readonly kind: 'cancelled'; readonly status: number }
  /** Too late: the status tells why. */
  | { readonly kind: 'tooLate'; readonly status: number }
  | { readonly kind: 'notFound' };

export const cancelMessage = singleWriteVerb(
  'messages.cancel',
  async (transaction, { id, now, user }: Cancellation): Promise<Cancelled> => {
    const by = user === undefined ? operator : byUser(user);
    const message = await transaction.first<{ company_id: number }>(
      sql`SELECT company_id FROM messages WHERE ${await isVisible(transaction, user ?? null)} AND id = ${id}`,
    );
    if (message === undefined) return { kind: 'notFound' };
    // By the row as it is now: its send time may have come since it was read.
    const ended = sql`CASE WHEN status = ${literal(status.SCHEDULED)} THEN ${literal(status.CANCELED)} ELSE ${literal(status.DELETED)} END`;
    const changed = await transaction.first<{ status: number }>(
      sql`UPDATE messages SET ${endsAs(ended, now, `cancelled by ${by.username ?? 'the operator'}`)}
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
    await recordAct(transaction, {
      ...{ companyId: message.company_id, at: now, by, act: 'message.cancel', object: String(id) },
    });
    return { kind: 'cancelled', status: changed.status };
  },
);
