/** Lists scheduled messages, the next one first, and changes the time of one of them. */

import type { Caller } from '../../accounts/caller.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import { storedReason } from '../../foundation/sentences.ts';
import type { Context } from '../../storage/context.ts';
import { forUpdate, literal, oneOf, sql } from '../../storage/sql.ts';
import {
  bigint,
  expression,
  inColumn,
  json,
  type Kept,
  nullable,
  StoredRecord,
  text,
} from '../../storage/stored-record.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { parseScheduleTime } from '../../wire/schedule-time.ts';
import { keepCallback } from '../callback.ts';
import { parseMessageId, type StatusName, stage, status, statusNames } from '../message.ts';
import { isVisible } from '../operator/inspect.ts';
import { lockPool, moveLeases } from '../pool/leases.ts';
import type { Whom } from '../sending-rows.ts';
import { isSentAt } from '../status-change.ts';
import { keepEvents } from '../timeline-store.ts';

/** The place in the list after which a page begins. */
interface ScheduledPlace {
  readonly time: number;
  readonly id: number;
}

interface ScheduledQuery extends Visibility {
  /** At this time or later, and before `until`. */
  readonly since: number;
  readonly until: number;
  readonly after: ScheduledPlace;
  readonly limit: number;
}

const scheduledMessage = new StoredRecord({
  id: bigint,
  time: inColumn('due_at', bigint),
  recipient: text,
  sender: text,
  parts: bigint,
  conversation: text,
  costCenter: text,
  validMinutes: expression('(expires_at - due_at) / 60000', bigint),
  version: bigint,
  username: expression(
    'COALESCE((SELECT username FROM users WHERE users.id = user_id), CAST(user_id AS TEXT))',
    text,
  ),
  /** The sending with which the message waits. */
  sendingId: expression(
    `(SELECT CASE WHEN sendings.id + sendings.messages > messages.id AND sendings.scheduled_at = messages.due_at
        THEN sendings.id END
      FROM sendings WHERE sendings.company_id = messages.company_id AND sendings.id <= messages.id
      ORDER BY sendings.id DESC LIMIT 1)`,
    nullable(bigint),
  ),
});

const scheduledSending = new StoredRecord({
  id: bigint,
  time: inColumn('scheduled_at', bigint),
  lastId: expression('id + messages - 1', bigint),
  userId: bigint,
  username: expression(
    'COALESCE((SELECT username FROM users WHERE users.id = user_id), CAST(user_id AS TEXT))',
    text,
  ),
  name: text,
  text,
  whom: json<Whom>(),
  messages: expression(
    `(SELECT COUNT(*) FROM messages WHERE messages.company_id = sendings.company_id
        AND messages.status = ${status.SCHEDULED} AND messages.batch_id IS NULL
        AND messages.due_at = sendings.scheduled_at
        AND messages.id >= sendings.id AND messages.id < sendings.id + sendings.messages)`,
    bigint,
  ),
});

const isScheduled = sql`status = ${literal(status.SCHEDULED)} AND batch_id IS NULL`;

type ScheduledMessage = Kept<typeof scheduledMessage>;

/** What of a sending waits for the sending's own time; messages that were given other times are listed by themselves. */
interface ScheduledSending {
  readonly id: number;
  readonly time: number;
  /** The last of its ids, behind which the list goes on. */
  readonly lastId: number;
  readonly userId: number;
  readonly username: string;
  readonly name: string;
  readonly text: string;
  readonly whom: Whom;
  /** How many messages wait. */
  readonly messages: number;
}

export type ListedScheduled =
  | (ScheduledMessage & { readonly kind: 'message' })
  | (ScheduledSending & { readonly kind: 'sending' });

/** A page ends when its sendings have this many messages, all of which are counted; so a page may be short. */
const messagesOfPage = 50_000;

interface ScheduledPage {
  readonly items: readonly ListedScheduled[];
  readonly hasMore: boolean;
}

/** Messages of a sending are one item; the walk goes on behind them, however many they are. */
export const listScheduled = readVerb(
  'messages.listScheduled',
  async (reading, query: ScheduledQuery): Promise<ScheduledPage> => {
    const { companyId, userId, since, until, after, limit } = query;
    // The index by user finds a user's few messages among many of the company.
    const whose =
      userId === null ? sql`messages.company_id = ${companyId}` : sql`messages.user_id = ${userId}`;
    const items: ListedScheduled[] = [];
    let place = after.time >= since ? after : { time: since, id: 0 };
    let counted = 0;
    for (;;) {
      const left = limit - items.length;
      const rows = await scheduledMessage.all(reading, 'messages')`
        FROM messages
        WHERE ${whose} AND ${isScheduled} AND (due_at, messages.id) > (${place.time}, ${place.id}) AND due_at < ${until}
        ORDER BY due_at, messages.id LIMIT ${left + 1}`;
      const sendings = await sendingsOf(reading, companyId, rows);
      for (const row of rows) {
        if (items.length === limit || counted > messagesOfPage) return { items, hasMore: true };
        if (row.time === place.time && row.id <= place.id) continue;
        const sending = sendings.get(row.sendingId ?? 0);
        counted += sending?.messages ?? 0;
        items.push(sending === undefined ? { kind: 'message', ...row } : { kind: 'sending', ...sending });
        place = { time: row.time, id: sending?.lastId ?? row.id };
      }
      if (rows.length <= left) return { items, hasMore: false };
    }
  },
);

/** The sendings to which these messages belong, with how many of their messages wait. */
async function sendingsOf(
  reading: Reading,
  companyId: number,
  messages: readonly ScheduledMessage[],
): Promise<ReadonlyMap<number, ScheduledSending>> {
  const ids = [...new Set(messages.flatMap(({ sendingId }) => sendingId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await scheduledSending.all(reading)`
    FROM sendings WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}`;
  return new Map(rows.map((row) => [row.id, row]));
}

interface RescheduleRequest {
  readonly id: string;
  readonly scheduleTime: string | undefined;
}

/** Changes the time at which a message is sent. */
export async function reschedule(
  { store, clock }: Context,
  caller: Caller,
  { id, scheduleTime }: RescheduleRequest,
  ifMatch: IfMatch,
): Promise<{ readonly time: number; readonly version: number }> {
  const visible = visibilityOf(caller);
  const now = clock.now();
  const time = scheduleTime === undefined ? undefined : timeIn(scheduleTime, now);
  const messageId = parseMessageId(id);
  const { username, session } = caller;
  const outcome =
    messageId === undefined
      ? ({ kind: 'notFound' } as const)
      : await store.write(rescheduleMessage, {
          ...visible,
          id: messageId,
          username,
          session,
          now,
          time,
          ifMatch,
        });
  switch (outcome.kind) {
    case 'rescheduled':
      return { time: outcome.time, version: outcome.version };
    case 'notFound':
      throw new ServiceError('not_found', { sentence: 'none_such', noun: 'message', id });
    case 'changedMeanwhile':
      throw new ServiceError('changed_meanwhile', { sentence: 'message_rescheduled', message: id });
    case 'numberTaken':
      throw new ServiceError('no_pool_number', { sentence: 'message_number_taken', message: id });
    case 'tooLate':
      throw new ServiceError('too_late', {
        sentence: 'message_not_scheduled',
        message: id,
        status: statusNames[outcome.status] as StatusName,
      });
  }
}

function timeIn(scheduleTime: string, now: number): number {
  const time = parseScheduleTime(scheduleTime, now);
  if (time.ok) return time.value;
  throw errorOfFields(time, 'scheduleTime');
}

interface Rescheduling extends Visibility, ActingUser {
  readonly id: number;
  readonly now: number;
  /** The new send time; undefined to keep the present one. */
  readonly time: number | undefined;
  readonly ifMatch: IfMatch;
}

type Rescheduled =
  | { readonly kind: 'rescheduled'; readonly time: number; readonly version: number }
  | { readonly kind: 'notFound' | 'changedMeanwhile' }
  /** At that time, someone else is waiting for answers on the message's pool number. */
  | { readonly kind: 'numberTaken' }
  /** The message is no longer scheduled; this is its status. */
  | { readonly kind: 'tooLate'; readonly status: number };

interface Waiting {
  readonly companyId: number;
  readonly status: number;
  readonly version: number;
  readonly dueAt: number;
  readonly expiresAt: number;
  readonly recipient: string;
  readonly sender: string;
  readonly waits: number;
}

/** The validity begins with the send time and moves with it, as does the lease of a pool number. */
export const rescheduleMessage = refusable(
  singleWriteVerb(
    'messages.reschedule',
    async (
      transaction,
      { id, username, session, now, time, ifMatch, ...of }: Rescheduling,
    ): Promise<Rescheduled> => {
      if (time !== undefined) await lockPool(transaction);
      const found = await transaction.first<Waiting>(
        sql`SELECT company_id AS "companyId", status, version, due_at AS "dueAt", expires_at AS "expiresAt",
              recipient, sender, CASE WHEN ${isScheduled} AND stage = ${literal(stage.scheduled)} THEN 1 ELSE 0 END AS waits
            FROM messages WHERE ${await isVisible(transaction, of)} AND id = ${id} ${forUpdate}`,
      );
      if (found === undefined) return { kind: 'notFound' };
      const { companyId } = found;
      if (found.waits === 0) return { kind: 'tooLate', status: found.status };
      if (!isMatch(ifMatch, String(found.version))) return { kind: 'changedMeanwhile' };
      if (time === undefined || time === found.dueAt)
        return { kind: 'rescheduled', time: found.dueAt, version: found.version };
      const expiresAt = found.expiresAt + (time - found.dueAt);
      const { recipient, sender } = found;
      if (!(await moveLeases(transaction, [{ id, recipient, sender, startsAt: time, expiresAt }], now)))
        return { kind: 'numberTaken' };
      const changed = await transaction.first<{ readonly version: number }>(
        sql`UPDATE messages SET ${isSentAt(time)} WHERE company_id = ${companyId} AND id = ${id}
            RETURNING version`,
      );
      if (changed === undefined) return { kind: 'notFound' };
      await keepCallback(transaction, { companyId, id, expiresAt });
      const by = byUser({ username, session });
      await recordAct(transaction, {
        companyId,
        at: now,
        by,
        act: 'message.reschedule',
        object: String(id),
        details: { sentence: 'to_time', time: new Date(time).toISOString() },
      });
      const reason = storedReason({ sentence: 'rescheduled_by', user: username });
      await keepEvents(transaction, [
        { companyId, messageId: id, at: now, kind: 'rescheduled', againAt: time, reason },
      ]);
      return { kind: 'rescheduled', time, version: changed.version };
    },
  ),
);
