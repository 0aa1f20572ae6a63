/**
 * Lists the numbers that phones can write to, as a company sees them (its users' numbers, its own pool and the shared pool),
 * and the incoming SMS to them that belong to nobody.
 */

import { findAccount } from '../../accounts/account.ts';
import { type Actor, recordAct } from '../../audit/audit-log.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { forUpdate, type Sql, sql } from '../../storage/sql.ts';
import { readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { noteReceived } from '../conversation-rows.ts';
import { keepFor } from '../incoming/store.ts';
import { storedUnrouted, type UnroutedIncoming } from '../operator/inspect.ts';

interface NumberQuery {
  readonly companyId: number;
  /** The last number of the previous page; empty for the first page. */
  readonly after: string;
  readonly limit: number;
  readonly now: number;
}

export interface ListedNumber {
  readonly number: string;
  /** The user who rents it. */
  readonly username: string | null;
  readonly pool: number;
  /** Null when the pool is shared by all companies. */
  readonly companyId: number | null;
  readonly conversations: number;
}

/** The conversations of a number are counted up to this many. */
export const maxCounted = 50;
/** A page examines this many rows, including rows of other companies, so it may be short. */
const looked = 500;

interface NumberPage {
  readonly numbers: readonly ListedNumber[];
  /** The cursor of the next page; null when there is no more. */
  readonly next: string | null;
}

export const listNumbersOfCompany = readVerb(
  'messages.listNumbersOfCompany',
  async (reading, { companyId, after, limit, now }: NumberQuery): Promise<NumberPage> => {
    const seen = sql`(SELECT number, rented_by, pool, company_id FROM numbers WHERE number > ${after}
        ORDER BY number LIMIT ${looked}) AS seen`;
    const found = await reading.all<ListedNumber>(
      sql`SELECT seen.number, (SELECT username FROM users WHERE users.id = seen.rented_by) AS username, pool, seen.company_id AS "companyId",
            (SELECT COUNT(*) FROM (
               SELECT leases.company_id, leases.ends_at FROM number_leases AS leases
               WHERE leases.number = seen.number ORDER BY leases.turn DESC LIMIT ${maxCounted}) AS latest
             WHERE latest.company_id = ${companyId} AND latest.ends_at > ${now}) AS conversations
          FROM ${seen}
          WHERE seen.company_id = ${companyId}
            OR (SELECT users.company_id FROM users WHERE users.id = seen.rented_by) = ${companyId}
            OR (pool = 1 AND seen.company_id IS NULL)
          ORDER BY seen.number LIMIT ${limit + 1}`,
    );
    if (found.length > limit)
      return { numbers: found.slice(0, limit), next: found[limit - 1]?.number ?? null };
    const end = await reading.first<{ count: number; number: string | null }>(
      sql`SELECT COUNT(*) AS count, MAX(number) AS number FROM ${seen}`,
    );
    return { numbers: found, next: end?.count === looked ? end.number : null };
  },
);

interface UnroutedQuery {
  readonly companyId: number;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

interface UnroutedPage {
  readonly found: readonly UnroutedIncoming[];
  /** The cursor of the next page; null when there is no more. */
  readonly next: { readonly time: number; readonly id: number } | null;
}

/**
 * An SMS is shown to the company that had its number when it arrived. If nobody had it and the service has only one company,
 * the SMS is shown to that company. An SMS for a company that has been removed is shown to nobody.
 */
export const isOfCompany = (companyId: number): Sql =>
  sql`(number_company_id = ${companyId}
    OR (number_company_id IS NULL AND NOT EXISTS (SELECT 1 FROM companies WHERE id <> ${companyId})))`;

export const listUnroutedOfCompany = readVerb(
  'messages.listUnroutedOfCompany',
  async (reading, { companyId, after, limit }: UnroutedQuery): Promise<UnroutedPage> => {
    const { time = Number.MAX_SAFE_INTEGER, id } = after ?? { id: Number.MAX_SAFE_INTEGER };
    const latest = sql`(SELECT id, sender, recipient, text, received_at, number_company_id FROM incoming_messages
        WHERE user_id IS NULL AND (received_at, id) < (${time}, ${id})
        ORDER BY received_at DESC, id DESC LIMIT ${looked}) AS latest`;
    const found = await storedUnrouted.all(reading)`
      FROM ${latest}
      WHERE ${isOfCompany(companyId)} ORDER BY received_at DESC, id DESC LIMIT ${limit + 1}`;
    const last = found[limit - 1];
    if (found.length > limit && last !== undefined)
      return { found: found.slice(0, limit), next: { time: last.receivedAt, id: last.id } };
    const end = await reading.first<{ count: number; time: number | null; id: number | null }>(
      sql`SELECT COUNT(*) AS count, MIN(received_at) AS time,
            (SELECT id FROM ${latest} ORDER BY received_at, id LIMIT 1) AS id FROM ${latest}`,
    );
    const isMore = end !== undefined && end.count === looked && end.time !== null && end.id !== null;
    return { found, next: isMore ? { time: end.time as number, id: end.id as number } : null };
  },
);

interface Assignment {
  readonly companyId: number;
  readonly id: number;
  /** The user of the company who is to receive the SMS. */
  readonly username: string;
  readonly by: Actor;
  readonly now: number;
}

/** Stores the SMS again for its user, so that everything waiting for SMS is notified. */
export const assignUnrouted = refusable(
  singleWriteVerb(
    'messages.assignUnrouted',
    async (
      transaction,
      { companyId, id, username, by, now }: Assignment,
    ): Promise<'assigned' | 'notFound' | 'noUser'> => {
      const account = await findAccount(transaction, { username }, { isKept: true });
      const sms = await storedUnrouted.first(transaction)`
        FROM incoming_messages
        WHERE id = ${id} AND user_id IS NULL AND ${isOfCompany(companyId)} ${forUpdate}`;
      if (sms === undefined) return 'notFound';
      if (account?.company.id !== companyId) return 'noUser';
      const owner = { companyId, userId: account.user.id };
      await transaction.run(sql`DELETE FROM incoming_messages WHERE id = ${id}`);
      const isNew = await keepFor(transaction, sms, { ...owner, conversation: '', messageId: null });
      await recordAct(transaction, {
        companyId,
        at: now,
        by,
        act: 'incoming.assign',
        object: String(id),
        details: `to ${username}`,
      });
      await noteReceived(transaction, [{ ...sms, ...owner, messageId: null, runId: null, isNew }]);
      return 'assigned';
    },
  ),
);
