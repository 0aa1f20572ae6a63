/**
 * Stores leases of pool numbers. They are made and moved within the transaction that accepts two-way SMS, looked up for an
 * answer, and kept by jobs as long as their runs continue.
 */
import { groupedBy } from '../../foundation/grouped.ts';
import { byDialect, fromEach, literal, oneOf, rowSet, type Sql, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
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
 * Only one transaction at a time leases pool numbers or changes a job's leases. Two nodes leasing at once could give one
 * number to two conversations with the same person; and because giving codes to jobs rewrites their leases, a concurrent
 * change to them would be lost. SQLite has a single writer; on PostgreSQL this lock makes the second transaction wait until
 * the first has committed. It is taken before all other locks, so that no two transactions deadlock.
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
 * Moves the leases of messages that are sent at another time, each to a recipient of its own; they need not use pool numbers.
 * False when one of the numbers belongs to another company or a job at that time; nothing is changed then. The caller holds
 * the pool lock.
 */
export async function moveLeases(
  transaction: Transaction,
  messages: readonly MovedMessage[],
  now: number,
): Promise<boolean> {
  const recipients = messages.map(({ recipient }) => recipient);
  const leases = await storedLease.all(transaction)`
    FROM number_leases WHERE recipient ${oneOf('text', recipients)}`;
  const byPair = groupedBy(leases, ({ recipient, number }) => `${recipient} ${number}`);
  const moved: Row[] = [];
  for (const { id, recipient, sender, startsAt, expiresAt } of messages) {
    const beside = byPair.get(`${recipient} ${sender}`) ?? [];
    const own = beside.find(({ messageId }) => messageId === id);
    if (own === undefined) continue;
    const endsAt = expiresAt + leaseAfterValidityMs;
    if (!mayMove({ ...own, startsAt, endsAt }, beside, now)) return false;
    moved.push([recipient, sender, id, startsAt, endsAt]);
  }
  await transaction.each(
    { ...keyColumns, starts_at: 'bigint', ends_at: 'bigint' },
    moved,
    sql`UPDATE number_leases SET starts_at = each.starts_at, ends_at = each.ends_at ${fromEach}
        WHERE number_leases.recipient = each.recipient AND number_leases.number = each.number
          AND number_leases.message_id = each.message_id`,
  );
  return true;
}

/** The holder of a lease, and the message that an answer belongs to. */
export type Tenant = Pick<Lease, 'companyId' | 'userId' | 'conversation' | 'messageId' | 'holder'>;

type FoundLease = Tenant & Pick<Lease, 'startsAt' | 'endsAt' | 'code' | 'unclear'>;

export interface Answered<Found extends FoundLease = FoundLease> {
  readonly lease: Found;
  /** The code that the answer uses to name its job. */
  readonly code: number | null;
  /** Whether the answer may be for any of several jobs. */
  readonly isUnclear: boolean;
  /** An earlier answer without a code, which is waiting for its code. */
  readonly waiting: string | null;
}

/** The phone's number and ours are written as in the message that was sent. */
const answeredLease = new StoredRecord({
  ...leaseFields,
  /** Null when the user no longer exists. */
  knownUserId: expression('users.id', nullable(bigint)),
});

/**
 * `column ${isFormOf(number)}` tests whether the column holds the number in one of its forms. Nearly all numbers have a
 * single form.
 */
export function isFormOf(number: string): Sql {
  const forms = formsOf(number);
  return forms.length === 1 ? sql`= ${number}` : sql`${oneOf('text', forms)}`;
}

export function isFormOfAny(numbers: readonly string[]): Sql {
  return sql`${oneOf('text', numbers.flatMap(formsOf))}`;
}

/** A person has far fewer jobs than this on a number, live or ended in the last few days. */
const maxFound = 200;

/**
 * Finds the newest lease that has begun, ended or not. If none has begun (a clock was set back, or the phone writes before
 * the scheduled message arrives), it is the next to begin. A phone cannot answer a message that was never handed to a
 * carrier. Some networks rewrite a phone's number on the way (`formsOf`).
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
  // An answer to a user who no longer exists belongs to nobody, not to the previous holder of the number.
  return answered?.lease.knownUserId === null ? undefined : answered;
}

/**
 * Determines who an answer belongs to, and which of the jobs sharing the number it is for (JOB-7). `leases` are those of the
 * phone and number, with the current holder of the number first.
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

/**
 * The job now waits for answers until `endsAt`, so all its leases for these people are shortened or extended to that
 * time.
 */
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

/** A phone, and the pool number that it answers. */
interface Pair {
  readonly sender: string;
  readonly recipient: string;
}

export interface UnclearAnswer extends Pair {
  readonly conversation: string;
  readonly text: string;
}

/** Keeps answers whose senders were asked which of the jobs on the number they mean, in the lease of the job that asked. */
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

/**
 * Jobs that share a number for a phone, with the codes that distinguish them and for how long each of their texts can be
 * answered.
 */
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
