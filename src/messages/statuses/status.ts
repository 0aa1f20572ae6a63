/** Reads what became of sent SMS: by id, or what has changed since the last reading (API: /status). */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import type { Store } from '../../storage/store.ts';
import { type StatusName, statusNames } from '../message.ts';
import { readByIds } from '../read-by-ids.ts';
import { readUnread } from '../read-unread.ts';
import type { StatusRow } from './status-reading.ts';
import { readStatusesById, readUnreadStatuses, takeStatusesById, takeUnreadStatuses } from './store.ts';

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
  /** Undefined: what is unread. An empty list asks for nothing. */
  readonly id: readonly string[] | undefined;
  readonly maxnum: number;
  readonly markasread: boolean;
}

export interface StatusAnswer {
  readonly statuses: readonly StatusRecord[];
  readonly notfound: readonly string[];
}

/** More than this is read by several calls. */
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
      ? 'No status has changed since the last reading.'
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
