/**
 * Reads the statuses of batch messages, and the number of messages per status (API: /batchmessagestatus, /batchstatuscount).
 */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { parseMessageId, type StatusName, status, statusNames } from '../../messages/message.ts';
import {
  markRead,
  type StatusRecord,
  type StatusRow,
  statusColumns,
  toRecord,
} from '../../messages/status.ts';
import { byDialect, type Fragment, noLock, oneOf, rowSet, skipLocked, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import {
  inTurns,
  type Reading,
  readVerb,
  refusable,
  singleWriteVerb,
  theCaller,
} from '../../storage/verb.ts';
import {
  type CountedBatch,
  type OwnBatch,
  type OwnBatches,
  readStatusCounts,
  selectOwnBatches,
} from './counts.ts';

/** Selects a batch by its id, and the batches with a conversation. */
interface BatchQuery {
  readonly batchid: string | undefined;
  readonly batchconversation: string | undefined;
}

export interface BatchStatusQuery extends BatchQuery {
  /** An empty list selects nothing. */
  readonly messageids: readonly string[] | undefined;
  readonly messageconversations: readonly string[] | undefined;
  readonly maxnum: number;
  /** If undefined, statuses requested by batch are marked as read; those requested by message are not. */
  readonly markasread: boolean | undefined;
}

export interface BatchStatusRecord extends StatusRecord {
  readonly batchid: string;
  readonly batchconversation: string;
}

/** Messages read at a time. */
const pageSize = 1_000;
/** Messages marked per transaction, for which others wait. */
const maxMarkedPerStep = 500;
/** Ids looked up at a time. */
const maxIdsPerStep = 500;
/** Conversations looked up at a time. */
const maxConversationsPerStep = 500;
/** Batches counted at a time. */
const maxCountedPerStep = 500;

/** Returns pages. All but the first are read on demand, and none once the client has gone. */
export function readBatchStatuses(
  store: Store,
  caller: Caller,
  query: BatchStatusQuery,
  closed?: AbortSignal,
): AsyncGenerator<readonly BatchStatusRecord[]> {
  const { messageids, messageconversations } = query;
  if (messageids !== undefined || messageconversations !== undefined) {
    return askedForInPages(store, caller, query, closed);
  }
  return unread(store, caller, query, closed);
}

interface BatchStatusRow extends StatusRow {
  readonly batch_id: number;
}

interface BatchStatuses {
  readonly rows: readonly BatchStatusRow[];
  /** At least the batches that the rows belong to. */
  readonly batches: readonly OwnBatch[];
}

async function* unread(store: Store, caller: Caller, query: BatchStatusQuery, closed?: AbortSignal) {
  const marking = query.markasread ?? true;
  const selection = batchesOf(caller, query, 'messageids or messageconversations');
  let after: UnreadPlace | null = beforeAllUnread;
  for (let left = query.maxnum; left > 0 && after !== null; ) {
    const asked: UnreadOfBatches = {
      ...selection,
      after,
      limit: Math.min(left, marking ? maxMarkedPerStep : pageSize),
    };
    closed?.throwIfAborted();
    const page: UnreadPage = marking
      ? await store.write(takeUnreadOfBatches, asked)
      : await store.read(readUnreadOfBatches, asked, { signal: closed });
    yield toRecords(page);
    left -= page.rows.length;
    after = page.next;
  }
}

/** A position among the unread messages of some batches, in reading order. */
interface UnreadPlace {
  readonly batchId: number;
  readonly changedAt: number;
  readonly id: number;
}

export const beforeAllUnread: UnreadPlace = { batchId: 0, changedAt: 0, id: 0 };

interface UnreadOfBatches extends Omit<OwnBatches, 'afterId' | 'limit'> {
  /** Each page starts where the previous one ended. */
  readonly after: UnreadPlace;
  readonly limit: number;
}

interface UnreadPage extends BatchStatuses {
  /** Null when there are no more. */
  readonly next: UnreadPlace | null;
}

/** Batches examined per page; most of them have usually been read already. */
const maxBatchesPerStep = 500;

/**
 * Goes through the batches in order, oldest change first in each. This is the order of the index, so nothing has to be
 * sorted.
 */
async function selectUnread(reading: Reading, query: UnreadOfBatches, marking: boolean): Promise<UnreadPage> {
  const { after, limit } = query;
  const own = { ...query, afterId: after.batchId - 1, limit: maxBatchesPerStep };
  const batches = await selectOwnBatches(reading, own);
  const locking = marking ? skipLocked : noLock;
  const ids = batches.map(({ id }) => id);
  const rows: BatchStatusRow[] = [];
  // Read separately, because a single query would scan the part of the first batch that has already been read.
  if (ids.includes(after.batchId)) rows.push(...(await selectRest(reading, after, limit, locking)));
  const others = ids.filter((id) => id !== after.batchId);
  if (rows.length < limit && others.length > 0)
    rows.push(...(await selectOf(reading, others, limit - rows.length, locking)));
  return { rows, batches, next: nextPlace(rows, limit, batches) };
}

/** The remaining rows of a partially read batch. */
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
 * The unread messages of some batches, one batch after the other. Without statistics, PostgreSQL would otherwise sort all
 * unread messages of the batches for each page.
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
  if (lastBatch === undefined || batches.length < maxBatchesPerStep) return null;
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

/**
 * The next messages with one conversation, or the messages with any of several conversations; there are no more of the
 * latter if they are fewer than the limit.
 */
type AskedForConversations = OfConversation | OfConversations;

/** A page of the requested messages. */
type AskedFor = AskedById | (MessageOwner & AskedForConversations);

/** Returns each message once: in the order of the requested ids, then by conversation. */
async function* askedForInPages(
  store: Store,
  caller: Caller,
  query: BatchStatusQuery,
  closed: AbortSignal | undefined,
) {
  const { companyId, userId } = caller;
  const read = (asked: AskedFor) => store.read(readStatusesAskedFor, asked, { signal: closed });
  const tell = async (page: BatchStatuses) => {
    if (query.markasread === true) await markInSteps(store, page.rows, closed);
    return toRecords(page);
  };
  const ids = new Set((query.messageids ?? []).map(parseMessageId).filter((id) => id !== undefined));
  const inOrder = [...ids];
  for (let from = 0; from < inOrder.length; from += maxIdsPerStep) {
    const page = inOrder.slice(from, from + maxIdsPerStep);
    const found = await tell(await read({ companyId, userId, ids: page }));
    const records = new Map(found.map((record) => [record.id, record]));
    yield page.map((id) => records.get(String(id))).filter((record) => record !== undefined);
  }
  const conversations = [...new Set(query.messageconversations)];
  for (let from = 0; from < conversations.length; from += maxConversationsPerStep) {
    const some = conversations.slice(from, from + maxConversationsPerStep);
    for await (const page of pagesOf(some, (asked) => read({ companyId, userId, ...asked }))) {
      yield await tell({ ...page, rows: page.rows.filter(({ id }) => !ids.has(id)) });
    }
  }
}

async function markInSteps(
  store: Store,
  rows: readonly BatchStatusRow[],
  closed: AbortSignal | undefined,
): Promise<void> {
  const unreadRows = rows.filter((row) => row.unread === 1);
  for (let from = 0; from < unreadRows.length; from += maxMarkedPerStep) {
    closed?.throwIfAborted();
    await store.write(markStatusesRead, unreadRows.slice(from, from + maxMarkedPerStep));
  }
}

type ReadConversations = (asked: AskedForConversations) => Promise<BatchStatuses>;

/** Most conversations have few messages and are read together. When they have many, the list is halved. */
async function* pagesOf(
  conversations: readonly string[],
  read: ReadConversations,
): AsyncGenerator<BatchStatuses> {
  const [only, ...others] = conversations;
  if (only !== undefined && others.length === 0) {
    yield* pagesOfOne(only, read);
    return;
  }
  const all = await read({ conversations, limit: pageSize });
  if (all.rows.length < pageSize) {
    yield byConversation(all, conversations);
    return;
  }
  const half = Math.ceil(conversations.length / 2);
  yield* pagesOf(conversations.slice(0, half), read);
  yield* pagesOf(conversations.slice(half), read);
}

async function* pagesOfOne(conversation: string, read: ReadConversations): AsyncGenerator<BatchStatuses> {
  for (let afterId = 0; ; ) {
    const page = await read({ conversation, afterId, limit: pageSize });
    yield page;
    if (page.rows.length < pageSize) return;
    afterId = page.rows.at(-1)?.id ?? 0;
  }
}

/** Sorted in the order of the requested conversations, then by id. */
function byConversation(page: BatchStatuses, conversations: readonly string[]): BatchStatuses {
  const places = new Map(conversations.map((conversation, place) => [conversation, place]));
  const placeOf = ({ conversation }: BatchStatuses['rows'][number]) => places.get(conversation) ?? 0;
  return { ...page, rows: [...page.rows].sort((a, b) => placeOf(a) - placeOf(b) || a.id - b.id) };
}

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

/** The owner is checked afterwards, because with a condition on the user SQLite would scan all batch messages of the user. */
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

/** Selects by user alone, because with a condition on the company SQLite would scan all of the company's messages. */
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
 * Unordered, because one of the conversations may have a million messages, which must not be sorted. Unless the query limits
 * the rows per conversation, PostgreSQL would scan all messages for a short page.
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

/** Marks as read the statuses that were read together and are now returned; those that have changed since stay unread. */
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

function toRecords({ rows, batches }: BatchStatuses): readonly BatchStatusRecord[] {
  const conversations = new Map(batches.map(({ id, conversation }) => [id, conversation]));
  return rows.map((row) => ({
    ...toRecord(row),
    batchid: String(row.batch_id),
    batchconversation: conversations.get(row.batch_id) ?? '',
  }));
}

/** The statuses that a batch message can have; it is never SCHEDULED. */
export const batchStatusNames = statusNames.slice(0, status.SCHEDULED) as readonly StatusName[];

export interface BatchStatusCount {
  readonly batchid: string;
  readonly batchconversation: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** One item per batch, in id order. */
export async function* readBatchCounts(
  store: Store,
  caller: Caller,
  query: BatchQuery,
  closed?: AbortSignal,
): AsyncGenerator<readonly BatchStatusCount[]> {
  const selection = batchesOf(caller, query, undefined);
  let afterId = 0;
  for (;;) {
    const page = { ...selection, afterId, limit: maxCountedPerStep };
    const batches = await store.read(readStatusCounts, page, { signal: closed });
    yield batches.map(toCount);
    if (batches.length < maxCountedPerStep) return;
    afterId = batches.at(-1)?.id ?? 0;
  }
}

function toCount({ id, conversation, counts }: CountedBatch): BatchStatusCount {
  const messages = new Map(counts.map((count) => [count.status, count.messages]));
  return {
    batchid: String(id),
    batchconversation: conversation,
    counts: Object.fromEntries(batchStatusNames.map((name, code) => [name, messages.get(code) ?? 0])),
  };
}

function batchesOf(
  { companyId, userId }: Caller,
  { batchid, batchconversation }: BatchQuery,
  instead: string | undefined,
): Omit<OwnBatches, 'afterId' | 'limit'> {
  if (batchid === undefined && batchconversation === undefined) {
    const or = instead === undefined ? '' : `, or ${instead}`;
    throw new ServiceError('missing_parameter', `Give batchid, batchconversation, or both${or}.`);
  }
  // Text that is not a valid id matches no batch.
  const batchId = batchid === undefined ? null : (parseMessageId(batchid) ?? null);
  return { companyId, userId, batchId, conversation: batchconversation ?? null };
}
