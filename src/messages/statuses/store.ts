/** Reads statuses by id or unread, and marks them as read without losing a later change. */
import { oneOf, raw, sql } from '../../storage/sql.ts';
import {
  inTurns,
  type Reading,
  type ReadOwner,
  readVerb,
  refusable,
  singleWriteVerb,
  theCaller,
} from '../../storage/verb.ts';
import { markRead, type StatusRow, skipLocked, statusColumns } from './status-reading.ts';

export interface UnreadQuery extends ReadOwner {
  /** The last of the page before. */
  readonly after?: Pick<StatusRow, 'changed_at' | 'id'> | undefined;
  readonly limit: number;
}

export interface IdQuery extends ReadOwner {
  readonly ids: readonly number[];
}

const noLock = raw('');
const beforeAll = { changed_at: Number.MIN_SAFE_INTEGER, id: 0 };

function selectUnread(reading: Reading, query: UnreadQuery, marking: boolean) {
  const { userId, after = beforeAll, limit } = query;
  return reading.all<StatusRow>(
    sql`SELECT ${statusColumns} FROM messages WHERE user_id = ${userId} AND unread = 1 AND batch_id IS NULL
          AND (changed_at, id) > (${after.changed_at}, ${after.id})
        ORDER BY changed_at, id LIMIT ${limit} ${marking ? skipLocked : noLock}`,
  );
}

function selectByIds(reading: Reading, { companyId, userId, ids }: IdQuery) {
  return reading.all<StatusRow>(
    sql`SELECT ${statusColumns} FROM messages
        WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND user_id = ${userId}`,
  );
}

export const readUnreadStatuses = inTurns(
  readVerb('messages.readUnreadStatuses', (reading, query: UnreadQuery) =>
    Promise.resolve(selectUnread(reading, query, false)),
  ),
  theCaller,
);

export const takeUnreadStatuses = refusable(
  singleWriteVerb(
    'messages.takeUnreadStatuses',
    async (transaction, query: UnreadQuery) => {
      const rows = await selectUnread(transaction, query, true);
      await markRead(transaction, rows);
      return rows;
    },
    ({ limit }) => Math.min(limit, 1_000),
  ),
);

export const readStatusesById = inTurns(
  readVerb('messages.readStatusesById', (reading, query: IdQuery) =>
    Promise.resolve(selectByIds(reading, query)),
  ),
  theCaller,
);

export const takeStatusesById = refusable(
  singleWriteVerb(
    'messages.takeStatusesById',
    async (transaction, query: IdQuery) => {
      const rows = await selectByIds(transaction, query);
      await markRead(transaction, rows);
      return rows;
    },
    ({ ids }) => ids.length,
  ),
);
