/** Reading the statuses of messages of batches: those of whole batches that are unread, or those asked for. */
import { markRead, passingOver, type StatusRow, statusColumns } from '../messages/status-reading.ts';
import { differ, oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../storage/verb.ts';
import { type OwnBatch, type OwnBatches, selectOwnBatches } from './counts-store.ts';

export interface BatchStatusRow extends StatusRow {
  readonly batch_id: number;
}

export interface BatchStatuses {
  readonly rows: readonly BatchStatusRow[];
  /** Those that the rows are of, at least. */
  readonly batches: readonly OwnBatch[];
}

export interface UnreadOfBatches extends Omit<OwnBatches, 'afterId' | 'limit'> {
  readonly maxStatuses: number;
}

/** More batches with one conversation than anybody has. */
const maxBatches = 100_000;
const plainly = raw('');

/** Batch after batch, in each the oldest change first: in that order they stand in the index, so that none is sorted. */
async function selectUnread(
  reading: Reading,
  query: UnreadOfBatches,
  marking: boolean,
): Promise<BatchStatuses> {
  const batches = await selectOwnBatches(reading, { ...query, afterId: 0, limit: maxBatches });
  if (batches.length === 0) return { rows: [], batches };
  const ids = batches.map(({ id }) => id);
  const rows = await reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id FROM messages
        WHERE batch_id ${oneOf('bigint', ids)} AND unread = 1 AND batch_id IS NOT NULL
        ORDER BY batch_id, changed_at, id LIMIT ${query.maxStatuses} ${marking ? passingOver : plainly}`,
  );
  return { rows, batches };
}

export const readUnreadOfBatches = readVerb('batches.readUnread', (reading, query: UnreadOfBatches) =>
  selectUnread(reading, query, false),
);

export const takeUnreadOfBatches = refusable(
  singleWriteVerb(
    'batches.takeUnread',
    async (transaction, query: UnreadOfBatches) => {
      const statuses = await selectUnread(transaction, query, true);
      await markRead(transaction, statuses.rows);
      return statuses;
    },
    ({ maxStatuses }) => Math.min(maxStatuses, 1_000),
  ),
);

interface Owner {
  readonly companyId: number;
  readonly userId: number;
}

interface ById extends Owner {
  readonly ids: readonly number[];
}

interface OfConversation {
  readonly conversation: string;
  readonly afterId: number;
  readonly limit: number;
}

interface OfConversations {
  readonly conversations: readonly string[];
  readonly limit: number;
}

/** The next messages with a conversation; or those with any of some, which are all where they are fewer than the limit. */
export type AskedForConversations = OfConversation | OfConversations;

/** A page of the messages asked for. */
export type AskedFor = ById | (Owner & AskedForConversations);

async function selectAskedFor(reading: Reading, asked: AskedFor): Promise<BatchStatuses> {
  const rows = await select(reading, asked);
  if (rows.length === 0) return { rows, batches: [] };
  const ids = [...new Set(rows.map((row) => row.batch_id))];
  const batches = await reading.all<OwnBatch>(
    sql`SELECT id, conversation FROM batches WHERE company_id = ${asked.companyId} AND id ${oneOf('bigint', ids)}`,
  );
  return { rows, batches };
}

function select(reading: Reading, asked: AskedFor): Promise<readonly BatchStatusRow[]> {
  if ('ids' in asked) return selectByIds(reading, asked);
  return 'conversation' in asked
    ? selectByConversation(reading, asked)
    : selectByConversations(reading, asked);
}

/** Whose they are is looked at afterwards: told of the user, SQLite would walk through all that the user has of batches. */
async function selectByIds(
  reading: Reading,
  { companyId, userId, ids }: ById,
): Promise<readonly BatchStatusRow[]> {
  const rows = await reading.all<BatchStatusRow & { readonly user_id: number }>(
    sql`SELECT ${statusColumns}, user_id, batch_id FROM messages
        WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}`,
  );
  return rows.filter((row) => row.user_id === userId && row.batch_id !== null);
}

async function selectByConversation(
  reading: Reading,
  asked: Owner & OfConversation,
): Promise<readonly BatchStatusRow[]> {
  return reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id FROM messages
        WHERE user_id = ${asked.userId} AND conversation = ${asked.conversation} AND batch_id IS NOT NULL
          AND company_id = ${asked.companyId} AND id > ${asked.afterId}
        ORDER BY id LIMIT ${asked.limit}`,
  );
}

/**
 * In no order: one of the conversations may have a million, which nothing should sort. PostgreSQL would read through all
 * messages for a short page, were it not told how many there can be of each conversation.
 */
async function selectByConversations(
  reading: Reading,
  { companyId, userId, conversations, limit }: Owner & OfConversations,
): Promise<readonly BatchStatusRow[]> {
  const asked = rowSet(
    'asked',
    { asked_conversation: 'text' },
    conversations.map((conversation) => [conversation]),
  );
  return reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id
        FROM ${asked} CROSS JOIN ${differ({ sqlite: '', postgres: 'LATERAL (SELECT * FROM' })} messages
        WHERE user_id = ${userId} AND conversation = asked_conversation AND batch_id IS NOT NULL
          AND company_id = ${companyId}
        ${differ({ sqlite: '', postgres: `ORDER BY id LIMIT ${limit}) AS messages` })}
        LIMIT ${limit}`,
  );
}

export const readStatusesAskedFor = readVerb('batches.readStatusesAskedFor', selectAskedFor);

export const takeStatusesAskedFor = refusable(
  singleWriteVerb(
    'batches.takeStatusesAskedFor',
    async (transaction, asked: AskedFor) => {
      const statuses = await selectAskedFor(transaction, asked);
      await markRead(transaction, statuses.rows);
      return statuses;
    },
    (asked) => ('ids' in asked ? asked.ids.length : asked.limit),
  ),
);
