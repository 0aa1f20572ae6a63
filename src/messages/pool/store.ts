/** Leases of the pool's numbers in the store: read and written within the transaction that accepts two-way SMS. */
import { fromEach, oneOf, type Sql, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';
import { charge } from '../message.ts';
import { type Answered, answeredOf, type FoundLease } from './answered-lease.ts';
import { type Lease, LeaseBook, leaseAfterValidityMs, mayMove, type PoolNumber } from './lease-book.ts';

export async function openLeaseBook(
  reading: Reading,
  {
    companyIds,
    recipients,
  }: { readonly companyIds: readonly number[]; readonly recipients: readonly string[] },
): Promise<LeaseBook> {
  const pool = await reading.all<PoolNumber>(
    sql`SELECT number, company_id AS "companyId", COALESCE((SELECT MAX(turn) FROM number_leases
          WHERE number_leases.number = numbers.number), 0) AS turn
        FROM numbers WHERE pool = 1 AND (company_id IS NULL OR company_id ${oneOf('bigint', companyIds)})`,
  );
  const leases = await reading.all<Lease>(sql`${leasesWhere} recipient ${oneOf('text', recipients)}`);
  return new LeaseBook(pool, leases);
}

const leasesWhere = sql`SELECT recipient, number, message_id AS "messageId", company_id AS "companyId",
  user_id AS "userId", conversation, holder, turn, starts_at AS "startsAt", ends_at AS "endsAt", code,
  unclear_answer AS unclear FROM number_leases WHERE`;

interface MovedMessage {
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly startsAt: number;
  readonly expiresAt: number;
}

/**
 * Of a message that is sent at another time; it may be from no number of the pool. False: the number is then another
 * company's or a job's, and nothing was changed. The caller holds the lock on the pool.
 */
export async function moveLease(
  transaction: Transaction,
  { id, recipient, sender, startsAt, expiresAt }: MovedMessage,
  now: number,
): Promise<boolean> {
  const leases = await transaction.all<Lease>(
    sql`${leasesWhere} recipient = ${recipient} AND number = ${sender}`,
  );
  const own = leases.find(({ messageId }) => messageId === id);
  if (own === undefined) return true;
  const endsAt = expiresAt + leaseAfterValidityMs;
  if (!mayMove({ ...own, startsAt, endsAt }, leases, now)) return false;
  await transaction.run(
    sql`UPDATE number_leases SET starts_at = ${startsAt}, ends_at = ${endsAt}
        WHERE recipient = ${recipient} AND number = ${sender} AND message_id = ${id}`,
  );
  return true;
}

const keyColumns = { recipient: 'text', number: 'text', message_id: 'bigint' } as const;
const leaseColumns = {
  ...keyColumns,
  company_id: 'bigint',
  user_id: 'bigint',
  conversation: 'text',
  holder: 'smallint',
  turn: 'bigint',
  starts_at: 'bigint',
  ends_at: 'bigint',
  code: 'smallint',
  unclear_answer: 'text',
} as const;

export async function keepLeases(transaction: Transaction, { made, ended }: LeaseBook): Promise<void> {
  await transaction.each(
    keyColumns,
    ended.map(({ recipient, number, messageId }) => [recipient, number, messageId]),
    sql`DELETE FROM number_leases WHERE (recipient, number, message_id) IN (
          SELECT each.recipient, each.number, each.message_id ${fromEach})`,
  );
  await transaction.insert(
    'number_leases',
    leaseColumns,
    made.map((lease) => [
      lease.recipient,
      lease.number,
      lease.messageId,
      lease.companyId,
      lease.userId,
      lease.conversation,
      lease.holder,
      lease.turn,
      lease.startsAt,
      lease.endsAt,
      lease.code,
      lease.unclear,
    ]),
  );
}

/** Who wrote to whom, each in the form of the message that was sent. */
type AnsweredLease = FoundLease & { readonly phone: string; readonly number: string };

/** `column ${isFormOf(number)}`: is it this number? Nearly all have one form. */
export function isFormOf(number: string): Sql {
  const forms = formsOf(number);
  return forms.length === 1 ? sql`= ${number}` : sql`${oneOf('text', forms)}`;
}

/** Live jobs on a number for one person, and those of the last days, are far fewer. */
const maxFound = 200;

/**
 * The newest lease that has begun, over or not. Where none has (a clock was set back, or the phone writes before the
 * scheduled message comes), the next to begin. A message that no carrier ever had is not what a phone answers.
 * Some networks rewrite a phone's number on its way (`formsOf`).
 */
export async function findAnswered(
  reading: Reading,
  {
    number,
    phone,
    at,
    text,
  }: { readonly number: string; readonly phone: string; readonly at: number; readonly text: string },
): Promise<Answered<AnsweredLease> | undefined> {
  const leases = await reading.all<AnsweredLease & { readonly knownUserId: number | null }>(
    sql`SELECT leases.recipient AS phone, leases.number, leases.company_id AS "companyId", leases.user_id AS "userId", leases.conversation,
          leases.message_id AS "messageId", leases.holder, leases.starts_at AS "startsAt", leases.ends_at AS "endsAt",
          leases.code, leases.unclear_answer AS unclear, users.id AS "knownUserId"
        FROM number_leases AS leases
        LEFT JOIN users ON users.id = leases.user_id
        LEFT JOIN messages ON messages.company_id = leases.company_id AND messages.id = leases.message_id
        WHERE leases.recipient ${isFormOf(phone)} AND leases.number ${isFormOf(number)}
          AND COALESCE(messages.charge, ${charge.due}) <> ${charge.refunded}
        ORDER BY CASE WHEN leases.starts_at <= ${at} THEN 0 ELSE 1 END,
          CASE WHEN leases.starts_at <= ${at} THEN -leases.starts_at ELSE leases.starts_at END, leases.turn DESC
        LIMIT ${maxFound}`,
  );
  const answered = answeredOf(leases, { text, at });
  // The answer to somebody who is gone is nobody's, not that of whoever had the number before.
  return answered?.lease.knownUserId === null ? undefined : answered;
}
