/** Reads the statuses of messages of batches, and how many messages have each (API: /batchmessagestatus, /batchstatuscount). */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { parseMessageId, type StatusName, status, statusNames } from '../../messages/message.ts';
import { type StatusRecord, toRecord } from '../../messages/status.ts';
import type { Store } from '../../storage/store.ts';
import { type CountedBatch, type OwnBatches, readStatusCounts } from './counts-store.ts';
import {
  type AskedFor,
  type AskedForConversations,
  type BatchStatuses,
  type BatchStatusRow,
  beforeAllUnread,
  markStatusesRead,
  readStatusesAskedFor,
  readUnreadOfBatches,
  takeUnreadOfBatches,
  type UnreadOfBatches,
  type UnreadPage,
  type UnreadPlace,
} from './status-store.ts';

/** A batch by its id, and those with a conversation. */
export interface BatchQuery {
  readonly batchid: string | undefined;
  readonly batchconversation: string | undefined;
}

export interface BatchStatusQuery extends BatchQuery {
  /** An empty list asks for nothing. */
  readonly messageids: readonly string[] | undefined;
  readonly messageconversations: readonly string[] | undefined;
  readonly maxnum: number;
  /** Undefined: batches are, single messages are not. */
  readonly markasread: boolean | undefined;
}

export interface BatchStatusRecord extends StatusRecord {
  readonly batchid: string;
  readonly batchconversation: string;
}

/** Messages that are read at once. */
const pageSize = 1_000;
/** Those that are marked in a transaction, which others wait for. */
const markedAtOnce = 500;
/** Ids that are looked for at once. */
const idsAtOnce = 500;
/** Conversations that are looked for at once. */
const conversationsAtOnce = 500;
/** Batches that are counted at once. */
const countedAtOnce = 500;

/** In pages; all but the first are read when they are asked for. None is, when nobody waits for it any more. */
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

async function* unread(store: Store, caller: Caller, query: BatchStatusQuery, closed?: AbortSignal) {
  const marking = query.markasread ?? true;
  const selection = batchesOf(caller, query, 'messageids or messageconversations');
  let after: UnreadPlace | null = beforeAllUnread;
  for (let left = query.maxnum; left > 0 && after !== null; ) {
    const asked: UnreadOfBatches = {
      ...selection,
      after,
      limit: Math.min(left, marking ? markedAtOnce : pageSize),
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

/** Each message once: in the order of the ids asked for, then by conversation. */
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
  for (let from = 0; from < inOrder.length; from += idsAtOnce) {
    const page = inOrder.slice(from, from + idsAtOnce);
    const found = await tell(await read({ companyId, userId, ids: page }));
    const records = new Map(found.map((record) => [record.id, record]));
    yield page.map((id) => records.get(String(id))).filter((record) => record !== undefined);
  }
  const conversations = [...new Set(query.messageconversations)];
  for (let from = 0; from < conversations.length; from += conversationsAtOnce) {
    const some = conversations.slice(from, from + conversationsAtOnce);
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
  for (let from = 0; from < unreadRows.length; from += markedAtOnce) {
    closed?.throwIfAborted();
    await store.write(markStatusesRead, unreadRows.slice(from, from + markedAtOnce));
  }
}

type ReadConversations = (asked: AskedForConversations) => Promise<BatchStatuses>;

/** Most conversations have few messages, and come in one look. Where they have many, fewer are looked for at once. */
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

/** In the order in which the conversations are asked for, and by id. */
function byConversation(page: BatchStatuses, conversations: readonly string[]): BatchStatuses {
  const places = new Map(conversations.map((conversation, place) => [conversation, place]));
  const placeOf = ({ conversation }: BatchStatuses['rows'][number]) => places.get(conversation) ?? 0;
  return { ...page, rows: [...page.rows].sort((a, b) => placeOf(a) - placeOf(b) || a.id - b.id) };
}

function toRecords({ rows, batches }: BatchStatuses): readonly BatchStatusRecord[] {
  const conversations = new Map(batches.map(({ id, conversation }) => [id, conversation]));
  return rows.map((row) => ({
    ...toRecord(row),
    batchid: String(row.batch_id),
    batchconversation: conversations.get(row.batch_id) ?? '',
  }));
}

/** Those that a message of a batch can have: it is never scheduled. */
export const batchStatusNames = statusNames.slice(0, status.SCHEDULED) as readonly StatusName[];

export interface BatchStatusCount {
  readonly batchid: string;
  readonly batchconversation: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** An item for each batch, in the order of their ids. */
export async function* readBatchCounts(
  store: Store,
  caller: Caller,
  query: BatchQuery,
  closed?: AbortSignal,
): AsyncGenerator<readonly BatchStatusCount[]> {
  const selection = batchesOf(caller, query, undefined);
  let afterId = 0;
  for (;;) {
    const page = { ...selection, afterId, limit: countedAtOnce };
    const batches = await store.read(readStatusCounts, page, { signal: closed });
    yield batches.map(toCount);
    if (batches.length < countedAtOnce) return;
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
    throw new ServiceError('missing_parameter', `Give batchid or batchconversation, or both${or}.`);
  }
  // No batch has an id that is none.
  const batchId = batchid === undefined ? null : (parseMessageId(batchid) ?? null);
  return { companyId, userId, batchId, conversation: batchconversation ?? null };
}
