/**
 * A conversation of one user: what a phone and one of our numbers write to each other.
 *
 *   (no row) ──the phone writes──▶ unread ──read──▶ read ──archive──▶ archived
 *                                    ▲               │                   │
 *                                    └───────────────┴──the phone writes─┘
 *
 * A YES or NO that a run takes in leaves it as read as it was.
 */

import { findAccount } from '../../accounts/account.ts';
import { sees, type Visibility } from '../../accounts/visibility.ts';
import { type Act, type Actor, recordAct } from '../../audit/audit-log.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Cursor } from '../../http/parameters/page.ts';
import { byDialect, oneOf, raw, rowSet, type Sql, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { holder } from '../pool/lease-book.ts';
import { type Answered, findAnswered } from '../pool/leases.ts';

export interface Conversation {
  readonly id: number;
  readonly companyId: number;
  readonly userId: number;
  /** The name of the conversation's user, or the user's id if the user no longer exists. */
  readonly username: string;
  /** Our number. */
  readonly number: string;
  /** The other party's number, or a name if a service has written. */
  readonly phone: string;
  /** The job run that the latest answer was for. */
  readonly runId: number | null;
  readonly lastAt: number;
  /** Incoming SMS that nobody has seen in the conversation yet. */
  readonly unread: number;
  readonly archived: number;
  /** The user or administrator assigned to the conversation; null when nobody is. */
  readonly assignee: string | null;
  readonly version: number;
}

/** The current holder of the number, and the lease that the phone's next answer to it would belong to. */
interface NumberInUse {
  /** Undefined when the number no longer belongs to the service. */
  readonly number:
    | { readonly rentedBy: number | null; readonly pool: number; readonly companyId: number | null }
    | undefined;
  readonly lease: Answered['lease'] | undefined;
}

/**
 * How a reply from the number is sent. `asGiven`: the number belongs to the user, or a run is waiting for answers on it
 * and goes on waiting. `fromPool`: the number is leased again, so the next answer returns to the conversation.
 */
export type ReplyWay =
  | { readonly kind: 'asGiven' }
  /**
   * `conversation` is the id that programs receive with the next answer, as with earlier answers; empty when there is
   * none.
   */
  | { readonly kind: 'fromPool'; readonly conversation: string }
  | { readonly kind: 'none'; readonly why: Sentence };

function replyWay(
  { companyId, userId, number: named, phone }: Conversation,
  { number, lease }: NumberInUse,
  now: number,
): ReplyWay {
  if (!/^[0-9]+$/.test(phone)) return none({ sentence: 'phone_is_name', phone });
  if (number?.rentedBy === userId) return { kind: 'asGiven' };
  if (number === undefined || number.pool === 0 || (number.companyId ?? companyId) !== companyId)
    return none({ sentence: 'number_gone', number: named });
  if (lease === undefined) return { kind: 'fromPool', conversation: '' };
  if (lease.companyId !== companyId || lease.userId !== userId)
    return none({ sentence: 'number_moved', number: named });
  if (lease.holder === holder.job)
    return lease.endsAt > now ? { kind: 'asGiven' } : { kind: 'fromPool', conversation: '' };
  return { kind: 'fromPool', conversation: lease.conversation };
}

const none = (why: Sentence): ReplyWay => ({ kind: 'none', why });

const columns = raw(
  `conversations.id, conversations.company_id AS "companyId", conversations.user_id AS "userId",
   COALESCE((SELECT username FROM users WHERE users.id = conversations.user_id),
     CAST(conversations.user_id AS TEXT)) AS username,
   number, phone, run_id AS "runId", last_at AS "lastAt", unread, archived,
   COALESCE((SELECT username FROM users WHERE users.id = assignee_id), CAST(assignee_id AS TEXT)) AS assignee, version`,
);

export const assigned = ['me', 'nobody'] as const;
type Assigned = (typeof assigned)[number];

export interface ConversationQuery extends Visibility {
  readonly callerId: number;
  readonly unread: boolean;
  readonly archived: boolean;
  /** Assigned to the caller or to nobody; undefined for any assignee. */
  readonly assigned: Assigned | undefined;
  /** The leading digits of the phone's number. */
  readonly prefix: string | undefined;
  /** Phones of the people searched for by name. */
  readonly phones: readonly string[] | undefined;
  readonly after: Cursor | undefined;
  readonly limit: number;
}

export interface ListedConversation extends Conversation {
  /** Null when the conversation belongs to someone else or is gone. */
  readonly lastText: string | null;
  /** 1 when the last SMS is ours. */
  readonly isOurs: number;
}

/** Only the texts of the caller's own conversations are listed; viewing other users' texts is a separate action. */
const lastText = (callerId: number) =>
  sql`CASE WHEN conversations.user_id <> ${callerId} THEN NULL
        WHEN last_message_id IS NOT NULL THEN (SELECT text FROM messages
          WHERE messages.company_id = conversations.company_id AND messages.id = last_message_id)
        ELSE COALESCE((SELECT text FROM incoming_messages WHERE incoming_messages.id = last_incoming_id),
          (SELECT text FROM job_answers WHERE job_answers.id = last_incoming_id)) END`;

/** A search finds at most this many conversations, before they are sorted by time. */
const maxFound = 500;
/** At most this many of the latest conversations are checked for their assignee, so a page may be short. */
const maxLookedAt = 500;

interface ConversationPage {
  /** Includes one row more than requested if there are more. */
  readonly found: readonly ListedConversation[];
  /** The last row examined, if only this row says where to continue; null when there are no more rows. */
  readonly behind: { readonly time: number; readonly id: number } | null;
}

export const listConversations = inTurns(
  readVerb(
    'messages.listConversations',
    async (reading, query: ConversationQuery): Promise<ConversationPage> => {
      const { prefix, phones, assigned, limit } = query;
      if (prefix !== undefined || phones !== undefined)
        return { found: await rowsOf(reading, query, await searched(reading, query)), behind: null };
      if (assigned !== undefined) return assignedAs(reading, query, assigned);
      const found = await reading.all<ListedConversation>(
        sql`${selected(query)} FROM conversations
            WHERE ${isTheirs(query)} AND ${stateOf(query)} AND ${isBehind(query)}
            ORDER BY last_at DESC, id DESC LIMIT ${limit}`,
      );
      return { found, behind: null };
    },
  ),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

const selected = ({
  callerId,
}: ConversationQuery) => sql`SELECT ${columns}, ${lastText(callerId)} AS "lastText",
  CASE WHEN last_message_id IS NULL THEN 0 ELSE 1 END AS "isOurs"`;

const isTheirs = ({ companyId, userId }: Visibility) =>
  userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;

const stateOf = ({ unread, archived }: ConversationQuery) =>
  unread ? sql`unread > 0` : sql`archived = ${archived ? 1 : 0}`;

const start = { time: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

const isBehind = ({ after: { time = start.time, id } = start }: ConversationQuery) =>
  sql`(last_at, id) < (${time}, ${id})`;

const isAssigned = (to: Assigned, { callerId }: ConversationQuery) =>
  to === 'me' ? sql`assignee_id = ${callerId}` : sql`assignee_id IS NULL`;

interface Found {
  readonly id: number;
}

async function searched(reading: Reading, query: ConversationQuery): Promise<readonly Found[]> {
  const { companyId, userId, prefix, phones = [] } = query;
  // Digits sort the same in every collation. Because of the plus, phones are looked up in a single index.
  const isOneOfTheirs = userId === null ? sql`` : sql`AND +user_id = ${userId}`;
  const which =
    prefix === undefined
      ? sql`company_id = ${companyId} ${isOneOfTheirs} AND phone ${oneOf('text', phones)}`
      : sql`${isTheirs(query)} AND phone >= ${prefix} AND phone <= ${prefix.padEnd(20, '9')} ORDER BY phone`;
  return reading.all<Found>(sql`SELECT id FROM conversations WHERE ${which} LIMIT ${maxFound}`);
}

async function rowsOf(reading: Reading, query: ConversationQuery, found: readonly Found[]) {
  const { assigned, after: { time = start.time, id } = start, limit } = query;
  const asAssigned = assigned === undefined ? sql`` : sql`AND +${isAssigned(assigned, query)}`;
  const named = rowSet(
    'found',
    { id: 'bigint' },
    found.map((one) => [one.id]),
  );
  // The plus keeps the indexes by time from being used, since they contain the conversations of all companies.
  return reading.all<ListedConversation>(
    sql`${selected(query)} FROM ${named} CROSS JOIN conversations
        WHERE conversations.id = found.id AND ${stateOf(query)} ${asAssigned}
          AND (+last_at, +conversations.id) < (${time}, ${id})
        ORDER BY +last_at DESC, +conversations.id DESC LIMIT ${limit}`,
  );
}

/** Conversations assigned to someone are found by assignee; unassigned ones are picked from all conversations. */
async function assignedAs(
  reading: Reading,
  query: ConversationQuery,
  to: Assigned,
): Promise<ConversationPage> {
  const { companyId, userId, limit } = query;
  // An unread conversation is not archived.
  const archived = query.archived && !query.unread;
  const isSeen = sql`company_id = ${companyId} ${userId === null ? sql`` : sql`AND user_id = ${userId}`}`;
  const [among, fitting] =
    to === 'me'
      ? [
          sql`${isAssigned(to, query)} AND archived = ${archived ? 1 : 0}`,
          sql`${isSeen} AND ${stateOf(query)}`,
        ]
      : [sql`${isTheirs(query)} AND ${stateOf(query)}`, isAssigned(to, query)];
  const looked = await reading.all<Found & { readonly time: number; readonly fits: number }>(
    sql`SELECT id, last_at AS time, CASE WHEN ${fitting} THEN 1 ELSE 0 END AS fits FROM conversations
        WHERE ${among} AND ${isBehind(query)} ORDER BY last_at DESC, id DESC LIMIT ${maxLookedAt}`,
  );
  const ids = looked.filter(({ fits }) => fits === 1).slice(0, limit);
  const last = looked.length === maxLookedAt && ids.length < limit ? looked.at(-1) : undefined;
  return {
    found: ids.length === 0 ? [] : await rowsOf(reading, query, ids),
    behind: last === undefined ? null : { time: last.time, id: last.id },
  };
}

export interface VisibleConversation extends Visibility {
  readonly id: number;
}

export function findConversation(
  reading: Reading,
  { companyId, userId, id }: VisibleConversation,
  lock = raw(''),
) {
  const isTheirs = userId === null ? sql`` : sql`AND user_id = ${userId}`;
  return reading.first<Conversation>(
    sql`SELECT ${columns} FROM conversations WHERE id = ${id} AND company_id = ${companyId} ${isTheirs} ${lock}`,
  );
}

async function readNumberInUse(
  reading: Reading,
  { number, phone }: Pick<Conversation, 'number' | 'phone'>,
  now: number,
): Promise<NumberInUse> {
  const row = await reading.first<NonNullable<NumberInUse['number']>>(
    sql`SELECT rented_by AS "rentedBy", pool, company_id AS "companyId" FROM numbers WHERE number = ${number}`,
  );
  const answered = await findAnswered(reading, { number, phone, at: now, text: '' });
  return { number: row, lease: answered?.lease };
}

export interface OpenConversation {
  readonly conversation: Conversation;
  readonly way: ReplyWay;
}

export async function withWay(
  reading: Reading,
  conversation: Conversation,
  now: number,
): Promise<OpenConversation> {
  const inUse = await readNumberInUse(reading, conversation, now);
  return { conversation, way: replyWay(conversation, inUse, now) };
}

export const findOpenConversation = readVerb(
  'messages.findOpenConversation',
  async (reading, { now, ...visible }: VisibleConversation & { readonly now: number }) => {
    const conversation = await findConversation(reading, visible);
    return conversation === undefined ? null : withWay(reading, conversation, now);
  },
);

export type ConversationAct = 'read' | 'archive' | 'unarchive';

interface ConversationChange extends VisibleConversation {
  readonly act: ConversationAct;
  readonly ifMatch: IfMatch;
  readonly callerId: number;
  readonly by: Actor;
  readonly now: number;
}

const forUpdate = byDialect({ sqlite: '', postgres: 'FOR UPDATE OF conversations' });

const changes: Readonly<Record<ConversationAct, Sql>> = {
  read: sql`unread = 0`,
  // An archived conversation counts as seen.
  archive: sql`archived = 1, unread = 0`,
  unarchive: sql`archived = 0`,
};

/** Null when no such conversation is visible. */
export const changeConversation = refusable(
  singleWriteVerb(
    'messages.changeConversation',
    async (
      transaction,
      { act, ifMatch, callerId, by, now, ...visible }: ConversationChange,
    ): Promise<Conversation | 'changedMeanwhile' | null> => {
      const found = await findConversation(transaction, visible, forUpdate);
      if (found === undefined) return null;
      if (!isMatch(ifMatch, String(found.version))) return 'changedMeanwhile';
      const after = {
        ...found,
        unread: act === 'unarchive' ? found.unread : 0,
        archived: act === 'read' ? found.archived : Number(act === 'archive'),
      };
      if (after.unread === found.unread && after.archived === found.archived) return found;
      await transaction.run(
        sql`UPDATE conversations SET ${changes[act]}, version = version + 1 WHERE id = ${found.id}`,
      );
      // Reading one's own conversation is not recorded.
      if (act !== 'read' || found.userId !== callerId)
        await recordAct(transaction, {
          companyId: found.companyId,
          at: now,
          by,
          act: `conversation.${act}` satisfies Act,
          object: String(found.id),
          details: { sentence: 'of_user', user: found.username },
        });
      return { ...after, version: found.version + 1 };
    },
  ),
);

interface Assignment extends VisibleConversation {
  /** Null for nobody. */
  readonly username: string | null;
  readonly ifMatch: IfMatch;
  readonly by: Actor;
  readonly now: number;
}

/**
 * Null when no such conversation is visible. The assignee must be able to see the conversation, since its texts are
 * only for its user and the administrators.
 */
export const assignConversation = refusable(
  singleWriteVerb(
    'messages.assignConversation',
    async (
      transaction,
      { username, ifMatch, by, now, ...visible }: Assignment,
    ): Promise<Conversation | 'changedMeanwhile' | 'noUser' | null> => {
      const account =
        username === null ? undefined : await findAccount(transaction, { username }, { isSteady: true });
      const found = await findConversation(transaction, visible, forUpdate);
      if (found === undefined) return null;
      if (username !== null && !(account !== undefined && sees(account, found))) return 'noUser';
      if (!isMatch(ifMatch, String(found.version))) return 'changedMeanwhile';
      if (username === found.assignee) return found;
      await transaction.run(
        sql`UPDATE conversations SET assignee_id = ${account?.user.id ?? null}, version = version + 1 WHERE id = ${found.id}`,
      );
      await recordAct(transaction, {
        companyId: found.companyId,
        at: now,
        by,
        act: 'conversation.assign',
        object: String(found.id),
        details: username === null ? { sentence: 'to_nobody' } : { sentence: 'to_user', user: username },
      });
      return { ...found, assignee: username, version: found.version + 1 };
    },
  ),
);
