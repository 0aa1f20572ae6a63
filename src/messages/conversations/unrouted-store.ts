/** Incoming SMS that belong to nobody, to numbers that are a company's own, and who gets them. */
import { findAccount } from '../../accounts/account.ts';
import { type Actor, recordAct } from '../../audit/audit-log.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { byDialect, type Sql, sql } from '../../storage/sql.ts';
import { readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { noteReceived } from '../conversation-rows.ts';
import { keepFor } from '../incoming/store.ts';
import type { UnroutedIncoming } from '../operator/inspect-store.ts';

export interface UnroutedQuery {
  readonly companyId: number;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export interface UnroutedPage {
  readonly found: readonly UnroutedIncoming[];
  /** Behind what was looked at; null: there is no more. */
  readonly next: { readonly time: number; readonly id: number } | null;
}

/** Those of other companies among them: a page may be short. */
const looked = 500;

/** An SMS is shown to the company that had its number when it came. The only company of a service sees all of them. */
export const isOfCompany = (companyId: number): Sql =>
  sql`(number_company_id = ${companyId} OR NOT EXISTS (SELECT 1 FROM companies WHERE id <> ${companyId}))`;

export const listUnroutedOfCompany = readVerb(
  'messages.listUnroutedOfCompany',
  async (reading, { companyId, after, limit }: UnroutedQuery): Promise<UnroutedPage> => {
    const { time = Number.MAX_SAFE_INTEGER, id } = after ?? { id: Number.MAX_SAFE_INTEGER };
    const latest = sql`(SELECT id, sender, recipient, text, received_at, number_company_id FROM incoming_messages
        WHERE user_id IS NULL AND (received_at, id) < (${time}, ${id})
        ORDER BY received_at DESC, id DESC LIMIT ${looked}) AS latest`;
    const found = await reading.all<UnroutedIncoming>(
      sql`SELECT id, sender, recipient, text, received_at AS "receivedAt" FROM ${latest}
          WHERE ${isOfCompany(companyId)} ORDER BY received_at DESC, id DESC LIMIT ${limit + 1}`,
    );
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

export interface Assignment {
  readonly companyId: number;
  readonly id: number;
  /** Of a user of the company, who gets it. */
  readonly username: string;
  /** Who gives it. */
  readonly by: Actor;
  readonly now: number;
}

const forUpdate = byDialect({ sqlite: '', postgres: 'FOR UPDATE' });

/** It comes in once more, as its user's, so that all who wait for SMS hear of it. */
export const assignUnrouted = refusable(
  singleWriteVerb(
    'messages.assignUnrouted',
    async (
      transaction,
      { companyId, id, username, by, now }: Assignment,
    ): Promise<'assigned' | 'notFound' | 'noUser'> => {
      const account = await findAccount(transaction, { username }, { isKept: true });
      const sms = await transaction.first<UnroutedIncoming>(
        sql`SELECT id, sender, recipient, text, received_at AS "receivedAt" FROM incoming_messages
            WHERE id = ${id} AND user_id IS NULL AND ${isOfCompany(companyId)} ${forUpdate}`,
      );
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
      await noteReceived(transaction, [{ ...sms, ...owner, runId: null, isNew }]);
      return 'assigned';
    },
  ),
);
