/**
 * Leases of the pool's numbers in the store: made and moved within the transaction that accepts two-way SMS, looked up for
 * an answer, and kept by jobs for as long as their runs go on.
 */
import { byDialect, fromEach, literal, oneOf, rowSet, type Sql, sql } from '../../storage/sql.ts';
import { bigint, expression, nullable, StoredRecord } from '../../storage/stored-record.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';
import { charge } from '../message.ts';
import {
  holder,
  type Lease,
  LeaseBook,
  leaseAfterValidityMs,
  leaseFields,
  mayMove,
  type PoolNumber,
  storedLease,
} from './lease-book.ts';
import { codeIn } from './reply-codes.ts';

/**
 * One transaction at a time leases numbers of the pool, or changes a job's leases. Two nodes that lease at once could give
 * one number to two conversations with the same person; and giving codes to jobs rewrites their leases, so that a change to
 * them meanwhile would be lost. SQLite has one writer; on PostgreSQL this lock makes the second wait until the first has
 * committed. It is taken before all other locks, so that no two transactions deadlock.
 */
const poolLock = sql`SELECT ${byDialect({ sqlite: '1', postgres: 'pg_advisory_xact_lock(7166014334)' })}`;

export async function lockPool(transaction: Transaction): Promise<void> {
  await transaction.all(poolLock);
}

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
  const leases = await storedLease.all(reading)`
    FROM number_leases WHERE recipient ${oneOf('text', recipients)}`;
  return new LeaseBook(pool, leases);
}

const keyColumns = { recipient: 'text', number: 'text', message_id: 'bigint' } as const;

export async function keepLeases(transaction: Transaction, { made, ended }: LeaseBook): Promise<void> {
  await transaction.each(
    keyColumns,
    ended.map(({ recipient, number, messageId }) => [recipient, number, messageId]),
    sql`DELETE FROM number_leases WHERE (recipient, number, message_id) IN (
          SELECT each.recipient, each.number, each.message_id ${fromEach})`,
  );
  await transaction.insert(
    'number_leases',
    storedLease.columns,
    made.map((lease) => storedLease.row(lease)),
  );
}

interface MovedMessage {
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly startsAt: number;
  readonly expiresAt: number;
}

/**
 * Moves the lease of a message that is sent at another time; it may be from no number of the pool. False: the number is
 * then another company's or a job's, and nothing was changed. The caller holds the lock on the pool.
 */
export async function moveLease(
  transaction: Transaction,
  { id, recipient, sender, startsAt, expiresAt }: MovedMessage,
  now: number,
): Promise<boolean> {
  const leases = await storedLease.all(transaction)`
    FROM number_leases WHERE recipient = ${recipient} AND number = ${sender}`;
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

/** The holder of a lease, and the message that an answer belongs to. */
export type Tenant = Pick<Lease, 'companyId' | 'userId' | 'conversation' | 'messageId' | 'holder'>;

type FoundLease = Tenant & Pick<Lease, 'startsAt' | 'endsAt' | 'code' | 'unclear'>;

export interface Answered<Found extends FoundLease = FoundLease> {
  readonly lease: Found;
  /** The code with which the answer names its job. */
  readonly code: number | null;
  /** It may be to any of several jobs. */
  readonly isUnclear: boolean;
  /** What was answered before without a code, and waits for it. */
  readonly waiting: string | null;
}

/** The phone and our number are in the form of the message that was sent. */
const answeredLease = new StoredRecord({
  ...leaseFields,
  /** Null: the user is gone. */
  knownUserId: expression('users.id', nullable(bigint)),
});

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
): Promise<Answered<Lease> | undefined> {
  const leases = await answeredLease.all(reading, 'leases')`
    FROM number_leases AS leases
    LEFT JOIN users ON users.id = leases.user_id
    LEFT JOIN messages ON messages.company_id = leases.company_id AND messages.id = leases.message_id
    WHERE leases.recipient ${isFormOf(phone)} AND leases.number ${isFormOf(number)}
      AND COALESCE(messages.charge, ${charge.due}) <> ${charge.refunded}
    ORDER BY CASE WHEN leases.starts_at <= ${at} THEN 0 ELSE 1 END,
      CASE WHEN leases.starts_at <= ${at} THEN -leases.starts_at ELSE leases.starts_at END, leases.turn DESC
    LIMIT ${maxFound}`;
  const answered = answeredOf(leases, { text, at });
  // The answer to somebody who is gone is nobody's, not that of the one who had the number before.
  return answered?.lease.knownUserId === null ? undefined : answered;
}

/**
 * Whose an answer is, and which of the jobs that share the number it is to (JOB-7). `leases`: those of the phone and the
 * number, the one that has the number first.
 */
export function answeredOf<Found extends FoundLease>(
  leases: readonly Found[],
  { text, at }: { readonly text: string; readonly at: number },
): Answered<Found> | undefined {
  const [first] = leases;
  if (first === undefined) return undefined;
  const clear = { code: null, isUnclear: false, waiting: null };
  if (first.holder !== holder.job) return { lease: first, ...clear };
  const jobs = leases.filter((one) => one.holder === holder.job && one.companyId === first.companyId);
  const live = jobs.filter(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
  const waiting = live.find(({ unclear }) => unclear !== null)?.unclear ?? null;
  const code = codeIn(text, new Set(jobs.flatMap((one) => one.code ?? [])));
  const named = code === undefined ? undefined : jobs.find((one) => one.code === code);
  if (named !== undefined) return { lease: named, code: named.code, isUnclear: false, waiting };
  const isUnclear = new Set(live.map(({ conversation }) => conversation)).size > 1;
  return { lease: live[0] ?? first, code: null, isUnclear, waiting };
}

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

/** A phone, and the number of the pool that it answers to. */
interface Pair {
  readonly sender: string;
  readonly recipient: string;
}

export interface UnclearAnswer extends Pair {
  readonly conversation: string;
  readonly text: string;
}

/**
 * Answers whose senders were asked which of the jobs on the number they mean: the lease of the one that asked keeps them.
 */
export async function keepUnclear(
  transaction: Transaction,
  answers: readonly UnclearAnswer[],
): Promise<void> {
  await transaction.each(
    { recipient: 'text', number: 'text', conversation: 'text', unclear_answer: 'text' },
    answers.map(({ sender, recipient, conversation, text }) => [sender, recipient, conversation, text]),
    sql`UPDATE number_leases SET unclear_answer = each.unclear_answer ${fromEach}
        WHERE number_leases.recipient = each.recipient AND number_leases.number = each.number
          AND number_leases.conversation = each.conversation AND number_leases.holder = ${literal(holder.job)}`,
  );
}

export async function clearUnclear(transaction: Transaction, { sender, recipient }: Pair): Promise<void> {
  await transaction.run(
    sql`UPDATE number_leases SET unclear_answer = NULL
        WHERE recipient = ${sender} AND number = ${recipient} AND unclear_answer IS NOT NULL`,
  );
}

export interface SharingJob extends Pair {
  readonly companyId: number;
  readonly conversation: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly code: number;
}

/** Jobs that share a number for a phone, as they are told apart there, and for how long each of their texts is answered. */
export async function readSharingJobs(
  reading: Reading,
  pairs: readonly Pair[],
  since: number,
): Promise<readonly SharingJob[]> {
  if (pairs.length === 0) return [];
  return reading.all<SharingJob>(
    sql`SELECT DISTINCT number_leases.recipient AS sender, number_leases.number AS recipient,
          company_id AS "companyId", conversation, code, starts_at AS "startsAt", ends_at AS "endsAt"
        FROM ${rowSet(
          'answered',
          { recipient: 'text', number: 'text' },
          pairs.map(({ sender, recipient }) => [sender, recipient]),
        )} JOIN number_leases ON number_leases.recipient = answered.recipient AND number_leases.number = answered.number
        WHERE holder = ${literal(holder.job)} AND ends_at > ${since} AND code IS NOT NULL ORDER BY code`,
  );
}
