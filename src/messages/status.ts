/** Reads what became of sent SMS: by id, or what has changed since the last reading (API: /status). */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { parseMessageId, type StatusName, statusNames } from './message.ts';
import type { StatusRow } from './status-reading.ts';
import {
  readStatusesById,
  readUnreadStatuses,
  takeStatusesById,
  takeUnreadStatuses,
} from './status-store.ts';

/** A message status record, with the types that the contract gives its fields. */
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
  readonly id: readonly string[];
  readonly maxnum: number;
  readonly markasread: boolean;
}

export interface StatusAnswer {
  readonly statuses: readonly StatusRecord[];
  readonly notfound: readonly string[];
}

/** More than this is read by several calls. */
const maxPage = 10_000;

export async function readStatuses(store: Store, caller: Caller, query: StatusQuery): Promise<StatusAnswer> {
  if (query.id.length > 0) return readById(store, caller, query);
  const unread = { userId: caller.userId, limit: Math.min(query.maxnum, maxPage) };
  const rows = query.markasread
    ? await store.write(takeUnreadStatuses, unread)
    : await store.read(readUnreadStatuses, unread);
  return { statuses: rows.map(toRecord), notfound: [] };
}

export async function readSingleStatus(
  store: Store,
  caller: Caller,
  query: { readonly id: string | undefined; readonly markasread: boolean },
): Promise<StatusRecord> {
  const { statuses } = await readStatuses(store, caller, {
    id: query.id === undefined ? [] : [query.id],
    maxnum: 1,
    markasread: query.markasread,
  });
  const [record] = statuses;
  if (record !== undefined) return record;
  throw new ServiceError(
    'not_found',
    query.id === undefined
      ? 'No status has changed since the last reading.'
      : `There is no sent SMS ${query.id}.`,
  );
}

/** In the order asked for, each once; what is foreign is not found. */
async function readById(store: Store, caller: Caller, query: StatusQuery): Promise<StatusAnswer> {
  const asked = [...new Set(query.id)];
  const ids = asked.map(parseMessageId).filter((id) => id !== undefined);
  const idQuery = { companyId: caller.companyId, userId: caller.userId, ids };
  const rows = query.markasread
    ? await store.write(takeStatusesById, idQuery)
    : await store.read(readStatusesById, idQuery);
  const found = new Map(rows.map((row) => [String(row.id), row]));
  return {
    statuses: asked
      .map((id) => found.get(id))
      .filter((row) => row !== undefined)
      .map(toRecord),
    notfound: asked.filter((id) => !found.has(id)),
  };
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
