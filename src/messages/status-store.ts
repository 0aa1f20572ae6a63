/** Reading statuses, by id or what is unread, and marking as read without swallowing a later change. */
import { differ, fromEach, oneOf, type Row, raw, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';

export interface StatusRow {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly status: number;
  readonly conversation: string;
  readonly changed_at: number;
  readonly version: number;
  readonly unread: number;
}

const columns = raw('company_id, id, recipient, sender, status, conversation, changed_at, version, unread');

export interface UnreadQuery {
  readonly userId: number;
  readonly limit: number;
}

export interface IdQuery {
  readonly companyId: number;
  readonly userId: number;
  readonly ids: readonly number[];
}

// Two readers at once each get other items; in SQLite's single writer they come one after the other anyway.
const passingOver = differ({ sqlite: '', postgres: 'FOR UPDATE SKIP LOCKED' });
const plainly = raw('');

function selectUnread(reading: Reading, { userId, limit }: UnreadQuery, marking: boolean) {
  return reading.all<StatusRow>(
    sql`SELECT ${columns} FROM messages WHERE user_id = ${userId} AND unread = 1 AND batch_id IS NULL
        ORDER BY changed_at, id LIMIT ${limit} ${marking ? passingOver : plainly}`,
  );
}

function selectByIds(reading: Reading, { companyId, userId, ids }: IdQuery) {
  return reading.all<StatusRow>(
    sql`SELECT ${columns} FROM messages
        WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND user_id = ${userId}`,
  );
}

/** Only the version that was read is marked: a change that came between stays unread. */
async function markRead(transaction: Transaction, rows: readonly StatusRow[]): Promise<void> {
  const unread: Row[] = rows
    .filter((row) => row.unread === 1)
    .map((row) => [row.company_id, row.id, row.version]);
  await transaction.each(
    { company_id: 'bigint', id: 'bigint', version: 'integer' },
    unread,
    sql`UPDATE messages SET unread = 0 ${fromEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id AND messages.version = each.version`,
  );
}

export const readUnreadStatuses = readVerb('messages.readUnreadStatuses', (reading, query: UnreadQuery) =>
  Promise.resolve(selectUnread(reading, query, false)),
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

export const readStatusesById = readVerb('messages.readStatusesById', (reading, query: IdQuery) =>
  Promise.resolve(selectByIds(reading, query)),
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
