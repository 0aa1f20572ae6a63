/** Reads what users of a company sent to a phone number and received from it, for a person's page and for an export. */
import type { Visibility } from '../../accounts/visibility.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { type Sql, sql } from '../../storage/sql.ts';
import { inTurns, readVerb } from '../../storage/verb.ts';
import type { ListedMessage } from '../operator/inspect.ts';
import { isFormOf } from '../pool/leases.ts';
import { findMessages, namedMessages } from './search-store.ts';

export interface OfNumber extends Visibility {
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
  readonly number: string;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export interface SentToNumber extends ListedMessage {
  readonly text: string;
}

export interface SentPage {
  readonly messages: readonly SentToNumber[];
  /** The last place that was examined for the page, which may contain few messages; null when there is no more. */
  readonly next: { readonly time: number; readonly id: number } | null;
}

export const listSentTo = inTurns(
  readVerb('messages.sentTo', async (reading, query: OfNumber): Promise<SentPage> => {
    const { number: recipient, companyId, ...of } = query;
    const { messages, next } = await findMessages(reading, {
      ...of,
      companyId,
      recipient,
      since: 0,
      until: Number.MAX_SAFE_INTEGER,
      id: undefined,
      conversation: undefined,
      batchId: undefined,
      sender: undefined,
      costCenter: undefined,
      statuses: undefined,
    });
    const rows = await reading.all<{ id: number; text: string }>(
      sql`SELECT messages.id, text FROM ${namedMessages(companyId, messages)}`,
    );
    const texts = new Map(rows.map(({ id, text }) => [id, text]));
    return { messages: messages.map((message) => ({ ...message, text: texts.get(message.id) ?? '' })), next };
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

export interface ReceivedFromNumber {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  /** Our number. */
  readonly number: string;
  readonly text: string;
  readonly at: number;
  /** The job run that it answers; null when it answers none. */
  readonly runId: number | null;
}

/** Latest first, including answers to jobs but not SMS that have no user yet. */
export const listReceivedFrom = inTurns(
  readVerb('messages.receivedFrom', async (reading, query: OfNumber): Promise<ReceivedFromNumber[]> => {
    const { companyId, userId, number, after, limit } = query;
    const { time = Number.MAX_SAFE_INTEGER, id } = after ?? { id: Number.MAX_SAFE_INTEGER };
    const isTheirs = userId === null ? sql`user_id IS NOT NULL` : sql`user_id = ${userId}`;
    const from = (table: Sql, runId: Sql) =>
      reading.all<ReceivedFromNumber>(
        sql`SELECT id, user_id AS "userId", recipient AS number, text, received_at AS at, ${runId} AS "runId",
              COALESCE((SELECT username FROM users WHERE users.id = user_id), CAST(user_id AS TEXT)) AS username
            FROM ${table} WHERE company_id = ${companyId} AND sender ${isFormOf(number)} AND ${isTheirs}
              AND (received_at, id) < (${time}, ${id}) ORDER BY received_at DESC, id DESC LIMIT ${limit}`,
      );
    const all = [
      ...(await from(sql`incoming_messages`, sql`CAST(NULL AS BIGINT)`)),
      ...(await from(sql`job_answers`, sql`run_id`)),
    ];
    const byId = new Map(all.map((sms) => [sms.id, sms]));
    return [...byId.values()].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, limit);
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

export interface ConversationOfNumber {
  readonly id: number;
  readonly username: string;
  readonly number: string;
  readonly lastAt: number;
  readonly unread: number;
}

/**
 * The latest first. Reads all of the phone's conversations: there are few, one for each user and number that the phone
 * writes to.
 */
export const listConversationsOf = readVerb(
  'messages.conversationsOf',
  async (reading, { companyId, userId, number, after, limit }: Omit<OfNumber, 'callerId'>) => {
    const { time = Number.MAX_SAFE_INTEGER, id } = after ?? { id: Number.MAX_SAFE_INTEGER };
    const isTheirs = userId === null ? sql`` : sql`AND user_id = ${userId}`;
    return reading.all<ConversationOfNumber>(
      sql`SELECT id, number, last_at AS "lastAt", unread,
            COALESCE((SELECT username FROM users WHERE users.id = user_id), CAST(user_id AS TEXT)) AS username
          FROM conversations WHERE company_id = ${companyId} AND phone ${isFormOf(number)} ${isTheirs}
            AND (last_at, id) < (${time}, ${id}) ORDER BY last_at DESC, id DESC LIMIT ${limit}`,
    );
  },
);
