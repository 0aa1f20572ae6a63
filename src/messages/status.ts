/** Reads the outcomes of sent SMS, either by id or those that have changed since the last reading (API: /status). */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Call } from '../http/endpoints/endpoint.ts';
import { fromEach, noLock, oneOf, raw, skipLocked, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Store } from '../storage/store.ts';
import {
  inTurns,
  type Reading,
  type ReadOwner,
  readVerb,
  refusable,
  singleWriteVerb,
  type Transaction,
  theCaller,
} from '../storage/verb.ts';
import { type StatusName, statusNames } from './message.ts';
import { readByIds, readUnread } from './read-pages.ts';

/** A message status record with the field types of the contract. */
export interface StatusRecord {
  readonly to: string;
  readonly from: string;
  readonly id: string;
  readonly status: StatusName;
  readonly statuscode: string;
  readonly conversation: string;
  readonly time: string;
}

export interface StatusQuery {
  /** Undefined for everything unread. An empty list requests nothing. */
  readonly id: readonly string[] | undefined;
  readonly maxnum: number;
  readonly markasread: boolean;
}

interface StatusAnswer {
  readonly statuses: readonly StatusRecord[];
  readonly notfound: readonly string[];
}

/** Reading more than this takes several calls. */
const maxPage = 10_000;

export async function readStatuses(
  store: Store,
  caller: Caller,
  query: StatusQuery,
  call?: Pick<Call, 'closed'>,
): Promise<StatusAnswer> {
  const { companyId, userId } = caller;
  const marking = query.markasread;
  if (query.id !== undefined) {
    const verb = (ids: readonly number[]) =>
      marking
        ? store.write(takeStatusesById, { companyId, userId, ids })
        : store.read(readStatusesById, { companyId, userId, ids });
    const { rows, notfound } = await readByIds(query.id, verb, call);
    return { statuses: rows.map(toRecord), notfound };
  }
  const wanted = { max: Math.min(query.maxnum, maxPage), marking, call };
  const rows = await readUnread<StatusRow>(wanted, (after, limit, signal) =>
    marking
      ? store.write(takeUnreadStatuses, { companyId, userId, after, limit })
      : store.read(readUnreadStatuses, { companyId, userId, after, limit }, { signal }),
  );
  return { statuses: rows.map(toRecord), notfound: [] };
}

export async function readSingleStatus(
  store: Store,
  caller: Caller,
  query: { readonly id: string | undefined; readonly markasread: boolean },
): Promise<StatusRecord> {
  const { statuses } = await readStatuses(store, caller, {
    id: query.id === undefined ? undefined : [query.id],
    maxnum: 1,
    markasread: query.markasread,
  });
  const [record] = statuses;
  if (record !== undefined) return record;
  throw new ServiceError(
    'not_found',
    query.id === undefined
      ? 'No status has changed since they were last read.'
      : `There is no sent SMS ${query.id}.`,
  );
}

export function toRecord(row: StatusRow): StatusRecord {
  return {
    to: row.recipient,
    from: row.sender,
    id: String(row.id),
    status: statusNames[row.status] as StatusName,
    statuscode: String(row.status),
    conversation: row.conversation,
    time: String(row.changed_at),
  };
}

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

export const statusColumns = raw(
  'company_id, id, recipient, sender, status, conversation, changed_at, version, unread',
);

/** Only the version that was read is marked, so a change in between stays unread. */
export async function markRead(transaction: Transaction, rows: readonly StatusRow[]): Promise<void> {
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

interface UnreadQuery extends ReadOwner {
  /** The last row of the previous page. */
  readonly after?: Pick<StatusRow, 'changed_at' | 'id'> | undefined;
  readonly limit: number;
}

interface IdQuery extends ReadOwner {
  readonly ids: readonly number[];
}

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
