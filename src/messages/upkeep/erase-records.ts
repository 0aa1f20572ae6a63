/** Erases one phone number from messages in both directions, set by set, in the way the purge removes old ones. */
import { storedReason } from '../../foundation/sentences.ts';
import { amongUnlocked, forUpdate, literal, oneOf, type Sql, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { formsOf } from '../../wire/phone-number.ts';
import { isOfCompany } from '../conversations/numbers.ts';
import { type FoundPage, findMessages } from '../management/search-store.ts';
import { withdraw } from '../operator/cancel.ts';
import type { ListedMessage } from '../operator/inspect.ts';
import { holder } from '../pool/lease-book.ts';
import { isFormOf } from '../pool/leases.ts';
import { minNumberLength } from '../receipts/receipt.ts';
import { removeMessages } from './purge.ts';

export interface NumberInMessages {
  readonly companyId: number;
  readonly number: string;
  /** Anything later stays. */
  readonly until: number;
  readonly now: number;
}

/** Messages of all users to the number, latest first, continuing below the given id; a page may be short. */
export function findSentTo(
  transaction: Transaction,
  { companyId, number: recipient }: NumberInMessages,
  afterId: number,
  limit: number,
): Promise<FoundPage> {
  return findMessages(transaction, {
    companyId,
    userId: null,
    callerId: 0,
    recipient,
    limit,
    since: 0,
    until: Number.MAX_SAFE_INTEGER,
    id: undefined,
    conversation: undefined,
    batchId: undefined,
    sender: undefined,
    costCenter: undefined,
    statuses: undefined,
    after: { time: undefined, id: afterId },
  });
}

export interface UnloggedOfNumber {
  readonly messages: readonly Pick<ListedMessage, 'id' | 'createdAt' | 'batchId'>[];
  /** Null at the end of the walk. */
  readonly nextAfterId: number | null;
}

/**
 * Messages missing from the log cannot be found by number, so all messages of the company are examined, `limit` at a time.
 * There are some only if a server of an earlier version continued beside a migrated store.
 */
export async function findUnloggedTo(
  transaction: Transaction,
  { companyId, number }: NumberInMessages,
  afterId: number,
  limit: number,
): Promise<UnloggedOfNumber> {
  const end = await transaction.first<{ last: number | null; count: number }>(
    sql`SELECT MAX(id) AS last, COUNT(*) AS count FROM (SELECT id FROM messages
        WHERE company_id = ${companyId} AND id > ${afterId} ORDER BY id LIMIT ${limit}) AS range`,
  );
  const last = end?.last ?? null;
  if (last === null) return { messages: [], nextAfterId: null };
  const messages = await transaction.all<UnloggedOfNumber['messages'][number]>(
    sql`SELECT id, created_at AS "createdAt", batch_id AS "batchId" FROM messages
        WHERE company_id = ${companyId} AND id > ${afterId} AND id <= ${last} AND recipient ${isFormOf(number)}
          AND (SELECT message_log.id FROM message_log WHERE message_log.company_id = messages.company_id
            AND message_log.created_at = messages.created_at AND message_log.id = messages.id) IS NULL
        ORDER BY id`,
  );
  return { messages, nextAfterId: end?.count === limit ? last : null };
}

/** This long after a message has ended, everyone listening to it has been notified. */
export const heardAfterMs = 5_000;

/** Withdraws waiting messages, and removes those that have ended. Returns how many were removed. */
export async function eraseSent(
  transaction: Transaction,
  { companyId, now }: NumberInMessages,
  ids: readonly number[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const ended = await transaction.all<{ id: number; createdAt: number }>(
    sql`SELECT id, created_at AS "createdAt" FROM messages
        WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND stage IS NULL
          AND changed_at < ${now - heardAfterMs} ORDER BY id ${forUpdate}`,
  );
  await removeMessages(
    transaction,
    ended.map(({ id, createdAt }) => [companyId, createdAt, id]),
  );
  const gone = new Set(ended.map(({ id }) => id));
  const waiting = ids.filter((id) => !gone.has(id)).sort((a, b) => a - b);
  await withdraw(
    transaction,
    waiting.map((id) => [companyId, id]),
    now,
    storedReason({ sentence: 'recipient_erased' }),
  );
  return ended.length;
}

/** Whether a row of `incoming_messages` belongs to nobody and is shown to this company. */
export const isUnroutedOf = (companyId: number): Sql =>
  sql`(company_id IS NULL AND ${isOfCompany(companyId)})`;

/** Whether the message of a row of `number_leases` was erased or purged. */
export const hasNoMessage = sql`NOT EXISTS (SELECT 1 FROM messages
  WHERE messages.company_id = number_leases.company_id AND messages.id = number_leases.message_id)`;

/** Erases what the phone has written, together with its conversations and its entries in the pool. */
export async function eraseReceived(
  transaction: Transaction,
  { companyId, number, until, now }: NumberInMessages,
  limit: number,
): Promise<number> {
  const incoming = await transaction.run(
    sql`DELETE FROM incoming_messages WHERE ${amongUnlocked(
      'id',
      sql`incoming_messages WHERE company_id = ${companyId} AND sender ${isFormOf(number)} AND received_at <= ${until} LIMIT ${limit}`,
    )}`,
  );
  const unrouted = await transaction.run(
    sql`DELETE FROM incoming_messages WHERE ${amongUnlocked(
      'id',
      sql`incoming_messages WHERE ${isUnroutedOf(companyId)} AND sender ${isFormOf(number)} AND received_at <= ${until}
          LIMIT ${limit}`,
    )}`,
  );
  const conversations = await transaction.run(
    sql`DELETE FROM conversations WHERE ${amongUnlocked(
      'id',
      sql`conversations WHERE company_id = ${companyId} AND phone ${isFormOf(number)} AND last_at <= ${until} LIMIT ${limit}`,
    )}`,
  );
  // Answers to a live run are recognised by its leases. A lease that starts after `until` is deleted only once its
  // message is gone, since an earlier run may have made it after the erasure was requested, or for a future time.
  const leases = await transaction.run(
    sql`DELETE FROM number_leases WHERE ${amongUnlocked(
      'recipient, number, message_id',
      sql`number_leases WHERE recipient ${isFormOf(number)} AND company_id = ${companyId}
          AND (starts_at <= ${until} OR ${hasNoMessage})
          AND (holder <> ${literal(holder.job)} OR ends_at <= ${now}) LIMIT ${limit}`,
    )}`,
  );
  return incoming + unrouted + conversations + leases;
}

/** Blanks answers to runs that have ended. They stay without sender and text, so that none is ever taken in again. */
export async function blankAnswers(
  transaction: Transaction,
  { companyId, number, until }: NumberInMessages,
  isLive: (runIds: readonly number[]) => Promise<ReadonlySet<number>>,
  limit: number,
): Promise<{ readonly erased: number; readonly kept: number }> {
  const found = await transaction.all<{ id: number; runId: number; taken: number }>(
    sql`SELECT id, run_id AS "runId", taken FROM job_answers
        WHERE company_id = ${companyId} AND sender ${isFormOf(number)} AND received_at <= ${until} LIMIT ${limit}`,
  );
  const live = await isLive([...new Set(found.map(({ runId }) => runId))]);
  const over = found.filter(({ runId, taken }) => taken === 1 && !live.has(runId)).map(({ id }) => id);
  if (over.length > 0)
    await transaction.run(
      sql`UPDATE job_answers SET sender = '', text = '', before_text = NULL WHERE id ${oneOf('bigint', over)}`,
    );
  return { erased: over.length, kept: found.length - over.length };
}

/**
 * Erases receipts that belong to no message, and therefore to no company. They only help the operator, so all that contain
 * the number go, whenever they came. No index leads to the numbers in them, so they are examined by time, roughly this many
 * at once.
 */
export async function eraseUnmatched(
  transaction: Transaction,
  { number }: NumberInMessages,
  afterTime: number,
  limit: number,
): Promise<{ readonly erased: number; readonly nextAfterTime: number | null }> {
  const end = await transaction.first<{ last: number | null; count: number }>(
    sql`SELECT MAX(received_at) AS last, COUNT(*) AS count FROM (SELECT received_at FROM unmatched_receipts
        WHERE received_at > ${afterTime} ORDER BY received_at LIMIT ${limit}) AS range`,
  );
  const last = end?.last ?? null;
  if (last === null) return { erased: 0, nextAfterTime: null };
  const texts = sql`COALESCE(recipient, '') || ' ' || COALESCE(text, '') || ' ' || COALESCE(carrier_message_id, '')
    || ' ' || COALESCE(other_ids, '') || ' ' || COALESCE(error_code, '')`;
  // Some carriers write numbers without the country code.
  const isNational = sql`LENGTH(LTRIM(recipient, '0')) >= ${minNumberLength}`;
  const tells = formsOf(number)
    .map(
      (form) =>
        sql`${texts} LIKE ${`%${form}%`} OR (${isNational} AND ${form} LIKE '%' || LTRIM(recipient, '0'))`,
    )
    .reduce((one, other) => sql`${one} OR ${other}`);
  const erased = await transaction.run(
    sql`DELETE FROM unmatched_receipts WHERE ${amongUnlocked(
      'rowid',
      sql`unmatched_receipts WHERE received_at > ${afterTime} AND received_at <= ${last}
          AND (${tells})`,
    )}`,
  );
  return { erased, nextAfterTime: end?.count === limit ? last : null };
}
