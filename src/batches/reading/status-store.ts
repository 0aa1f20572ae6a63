/** Reads the statuses of messages of batches: the unread ones of whole batches, or those asked for. */
import { markRead, type StatusRow, skipLocked, statusColumns } from '../../messages/status.ts';
import { byDialect, type Fragment, oneOf, raw, rowSet, sql } from '../../storage/sql.ts';
import {
  inTurns,
  type Reading,
  readVerb,
  refusable,
  singleWriteVerb,
  theCaller,
} from '../../storage/verb.ts';
import { type OwnBatch, type OwnBatches, selectOwnBatches } from './counts-store.ts';

export interface BatchStatusRow extends StatusRow {
  readonly batch_id: number;
}

export interface BatchStatuses {
  readonly rows: readonly BatchStatusRow[];
  /** Those that the rows are of, at least. */
  readonly batches: readonly OwnBatch[];
}

/** A place among the unread of some batches, in the order in which they are read. */
export interface UnreadPlace {
  readonly batchId: number;
  readonly changedAt: number;
  readonly id: number;
}

export const beforeAllUnread: UnreadPlace = { batchId: 0, changedAt: 0, id: 0 };

export interface UnreadOfBatches extends Omit<OwnBatches, 'afterId' | 'limit'> {
  /** Each page begins where the one before it ended. */
  readonly after: UnreadPlace;
  readonly limit: number;
}

export interface UnreadPage extends BatchStatuses {
  /** Null: there are no more. */
  readonly next: UnreadPlace | null;
}

/** Batches that are looked at for a page; mostly all but a few of them are read already. */
const batchesAtOnce = 500;
const noLock = raw('');

/** Batch after batch, in each the oldest change first: in that order they stand in the index, so that none is sorted. */
async function selectUnread(reading: Reading, query: UnreadOfBatches, marking: boolean): Promise<UnreadPage> {
  const { after, limit } = query;
  const own = { ...query, afterId: after.batchId - 1, limit: batchesAtOnce };
  const batches = await selectOwnBatches(reading, own);
  const locking = marking ? skipLocked : noLock;
  const ids = batches.map(({ id }) => id);
  const rows: BatchStatusRow[] = [];
  // Apart from the others: a look at all at once walks through what was read of the first batch.
  if (ids.includes(after.batchId)) rows.push(...(await selectRest(reading, after, limit, locking)));
  const others = ids.filter((id) => id !== after.batchId);
  if (rows.length < limit && others.length > 0)
    rows.push(...(await selectOf(reading, others, limit - rows.length, locking)));
  return { rows, batches, next: nextPlace(rows, limit, batches) };
}

/** Of a batch that was begun. */
function selectRest(
  reading: Reading,
  { batchId, changedAt, id }: UnreadPlace,
  limit: number,
  locking: Fragment,
) {
  return reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id FROM messages
        WHERE batch_id = ${batchId} AND (changed_at, id) > (${changedAt}, ${id})
          AND unread = 1 AND batch_id IS NOT NULL
        ORDER BY changed_at, id LIMIT ${limit} ${locking}`,
  );
}

/**
 * Of some batches, one after the other. PostgreSQL without statistics would sort all that is unread of them for each page,
 * were it not led from batch to batch.
 */
function selectOf(reading: Reading, ids: readonly number[], limit: number, locking: Fragment) {
  const unread = sql`unread = 1 AND batch_id IS NOT NULL`;
  if (reading.dialect === 'sqlite')
    return reading.all<BatchStatusRow>(
      sql`SELECT ${statusColumns}, batch_id FROM messages WHERE batch_id ${oneOf('bigint', ids)} AND ${unread}
          ORDER BY batch_id, changed_at, id LIMIT ${limit}`,
    );
  const asked = rowSet(
    'asked',
    { asked_id: 'bigint' },
    ids.map((id) => [id]),
  );
  return reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id FROM ${asked} CROSS JOIN LATERAL (
          SELECT * FROM messages WHERE batch_id = asked_id AND ${unread}
          ORDER BY changed_at, id LIMIT ${limit} ${locking}
        ) AS messages LIMIT ${limit}`,
  );
}

function nextPlace(
  rows: readonly BatchStatusRow[],
  limit: number,
  batches: readonly OwnBatch[],
): UnreadPlace | null {
  const last = rows.at(-1);
  if (last !== undefined && rows.length === limit)
    return { batchId: last.batch_id, changedAt: last.changed_at, id: last.id };
  const lastBatch = batches.at(-1);
  if (lastBatch === undefined || batches.length < batchesAtOnce) return null;
  return { batchId: lastBatch.id + 1, changedAt: 0, id: 0 };
}

export const readUnreadOfBatches = inTurns(
  readVerb('batches.readUnread', (reading, query: UnreadOfBatches) => selectUnread(reading, query, false)),
  theCaller,
);

export const takeUnreadOfBatches = refusable(
  singleWriteVerb(
    'batches.takeUnread',
    async (transaction, query: UnreadOfBatches) => {
      const page = await selectUnread(transaction, query, true);
      await markRead(transaction, page.rows);
      return page;
    },
    ({ limit }) => limit,
  ),
);

interface MessageOwner {
  readonly companyId: number;
  readonly userId: number;
}

interface AskedById extends MessageOwner {
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
export type AskedFor = AskedById | (MessageOwner & AskedForConversations);

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
  { companyId, userId, ids }: AskedById,
): Promise<readonly BatchStatusRow[]> {
  const rows = await reading.all<BatchStatusRow & { readonly user_id: number }>(
    sql`SELECT ${statusColumns}, user_id, batch_id FROM messages
        WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}`,
  );
  return rows.filter((row) => row.user_id === userId && row.batch_id !== null);
}

/** By the user alone: a condition on the company leads SQLite to walk through all of the company's messages. */
async function selectByConversation(
  reading: Reading,
  asked: MessageOwner & OfConversation,
): Promise<readonly BatchStatusRow[]> {
  return reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id FROM messages
        WHERE user_id = ${asked.userId} AND conversation = ${asked.conversation} AND batch_id IS NOT NULL
          AND id > ${asked.afterId}
        ORDER BY id LIMIT ${asked.limit}`,
  );
}

/**
 * In no order: one of the conversations may have a million, which nothing should sort. PostgreSQL would read through all
 * messages for a short page, were it not told how many there can be of each conversation.
 */
async function selectByConversations(
  reading: Reading,
  { userId, conversations, limit }: MessageOwner & OfConversations,
): Promise<readonly BatchStatusRow[]> {
  const asked = rowSet(
    'asked',
    { asked_conversation: 'text' },
    conversations.map((conversation) => [conversation]),
  );
  return reading.all<BatchStatusRow>(
    sql`SELECT ${statusColumns}, batch_id
        FROM ${asked} CROSS JOIN ${byDialect({ sqlite: '', postgres: 'LATERAL (SELECT * FROM' })} messages
        WHERE user_id = ${userId} AND conversation = asked_conversation AND batch_id IS NOT NULL
        ${byDialect({ sqlite: '', postgres: `ORDER BY id LIMIT ${limit}) AS messages` })}
        LIMIT ${limit}`,
  );
}

export const readStatusesAskedFor = inTurns(
  readVerb('batches.readStatusesAskedFor', selectAskedFor),
  theCaller,
);

/** Of statuses that were read in one go and are told now; those that changed since stay unread. */
export const markStatusesRead = refusable(
  singleWriteVerb(
    'batches.markStatusesRead',
    async (transaction, rows: readonly BatchStatusRow[]): Promise<null> => {
      await markRead(transaction, rows);
      return null;
    },
    (rows) => rows.length,
  ),
);
