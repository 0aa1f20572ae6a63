/**
 * Cancels waiting messages, either for the operator or a user who sees them, or within a larger transaction of other rooms.
 */
import type { Caller } from '../../accounts/caller.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { type ActingUser, byUser, operator, recordAct } from '../../audit/audit-log.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { literal, rowSet, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { inOrderOf, refusable, type Transaction, writeVerb } from '../../storage/verb.ts';
import { refundEnded } from '../charging.ts';
import { charge, parseMessageId, type StatusName, stage, status, statusNames } from '../message.ts';
import { endsAs } from '../status-change.ts';
import { isVisible } from './inspect.ts';

/**
 * A scheduled message becomes CANCELED, a queued one DELETED. Its quota is refunded unless a carrier may have the message.
 * Returns the new status. Without a caller, the operator cancels it.
 */
export async function cancel(store: Store, clock: Clock, id: string, caller?: Caller): Promise<StatusName> {
  const messageId = parseMessageId(id);
  const user = caller && { ...visibilityOf(caller), username: caller.username, session: caller.session };
  const outcome =
    messageId === undefined
      ? ({ kind: 'notFound' } as const)
      : await store.write(cancelMessage, { id: messageId, now: clock.now(), ...(user && { user }) });
  if (outcome.kind === 'notFound')
    throw new ServiceError('not_found', { sentence: 'none_such', noun: 'message', id });
  const name = statusNames[outcome.status] as StatusName;
  if (outcome.kind === 'cancelled') return name;
  throw new ServiceError(
    'too_late',
    name === 'QUEUED'
      ? { sentence: 'message_with_carrier', message: id }
      : { sentence: 'message_ended', message: id, status: name },
  );
}

export interface Cancellation {
  readonly id: number;
  readonly now: number;
  /** Absent for the operator, who may cancel any message. */
  readonly user?: Visibility & ActingUser;
}

type Cancelled =
  | { readonly kind: 'cancelled'; readonly status: number }
  /** Too late to cancel, as the status explains. */
  | { readonly kind: 'tooLate'; readonly status: number }
  | { readonly kind: 'notFound' };

export const cancelMessage = refusable(
  writeVerb<Cancellation, Cancelled>('messages.cancel', async (transaction, inputs) => {
    const found: Found[] = [];
    for (const input of inputs) found.push({ ...input, companyId: await companyOf(transaction, input) });
    const outcomes = await inOrderOf(found, orderOf, (input) => end(transaction, input));
    const ended = found.filter((_, place) => outcomes[place]?.kind === 'cancelled');
    // Refunds once, after all messages, because accounts are locked in one order.
    await refundEnded(
      transaction,
      ended.map(({ companyId, id }) => [companyId, id]),
    );
    for (const { companyId, id, now: at, user } of ended)
      await recordAct(transaction, {
        companyId: companyId as number,
        at,
        by: actorOf(user),
        act: 'message.cancel',
        object: String(id),
      });
    return outcomes;
  }),
);

interface Found extends Cancellation {
  /** Null when the caller sees no such message. */
  readonly companyId: number | null;
}

const actorOf = (user: Cancellation['user']) => (user === undefined ? operator : byUser(user));

/** Ordered like the key of messages. */
const orderOf = ({ companyId, id }: Found) =>
  [companyId ?? 0, id].map((part) => String(part).padStart(16, '0')).join('/');

async function companyOf(transaction: Transaction, { id, user }: Cancellation): Promise<number | null> {
  const message = await transaction.first<{ company_id: number }>(
    sql`SELECT company_id FROM messages WHERE ${await isVisible(transaction, user ?? null)} AND id = ${id}`,
  );
  return message?.company_id ?? null;
}

async function end(transaction: Transaction, { companyId, id, now, user }: Found): Promise<Cancelled> {
  if (companyId === null) return { kind: 'notFound' };
  // The row's current state decides, since the send time may have come after the row was read.
  const ended = sql`CASE WHEN status = ${literal(status.SCHEDULED)} THEN ${literal(status.CANCELED)} ELSE ${literal(status.DELETED)} END`;
  const by = user?.username;
  const reason = storedReason(
    by === undefined ? { sentence: 'cancelled_by_operator' } : { sentence: 'cancelled_by', user: by },
  );
  const changed = await transaction.first<{ status: number }>(
    sql`UPDATE messages SET ${endsAs(ended, now, reason)}
        WHERE company_id = ${companyId} AND id = ${id} AND stage IN (${stage.scheduled}, ${stage.waiting}, ${stage.retrying}, ${stage.paused})
        RETURNING status`,
  );
  if (changed !== undefined) return { kind: 'cancelled', status: changed.status };
  // The current status is read, since the message may have ended after it was first read.
  const late = await transaction.first<{ status: number }>(
    sql`SELECT status FROM messages WHERE company_id = ${companyId} AND id = ${id}`,
  );
  return late === undefined ? { kind: 'notFound' } : { kind: 'tooLate', status: late.status };
}

const keyColumns = { company_id: 'bigint', id: 'bigint' } as const;

/**
 * Withdraws messages that were never handed to a carrier. Returns the ids of those that nobody will get, whether withdrawn
 * now or before. Their quota is refunded.
 */
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
