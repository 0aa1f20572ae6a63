/** Reads SMS page by page, either by the ids of a call or those unread, so that others get their turn in between. */
import type { Call } from '../http/endpoints/endpoint.ts';
import { parseMessageId } from './message.ts';

/** One transaction marks at most this many SMS, because other transactions wait for it. */
const maxIdsPerStep = 500;

interface FoundByIds<Row> {
  /** In the order requested, each only once. */
  readonly rows: readonly Row[];
  /** Exactly as requested. */
  readonly notfound: readonly string[];
}

/** Stops when the client has disconnected. */
export async function readByIds<Row extends { readonly id: number }>(
  given: readonly string[],
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
  call?: Pick<Call, 'closed'>,
): Promise<FoundByIds<Row>> {
  const asked = [...new Set(given)];
  const rows: Row[] = [];
  const notfound: string[] = [];
  const closed = asked.length > maxIdsPerStep ? call?.closed : undefined;
  for (let from = 0; from < asked.length && closed?.aborted !== true; from += maxIdsPerStep) {
    const page = asked.slice(from, from + maxIdsPerStep);
    const ids = page.map(parseMessageId).filter((id) => id !== undefined);
    const found = new Map((ids.length === 0 ? [] : await read(ids)).map((row) => [String(row.id), row]));
    for (const id of page) {
      const row = found.get(id);
      if (row === undefined) notfound.push(id);
      else rows.push(row);
    }
  }
  return { rows, notfound };
}

const maxReadPerStep = 1_000;
const maxMarkedPerStep = 500;

interface UnreadRequest {
  readonly max: number;
  readonly marking: boolean;
  readonly call: Pick<Call, 'closed'> | undefined;
}

/**
 * Reads unread items in the order of the pages, because a caller may want ten thousand items, and marking their rows
 * makes all writers wait. Each page begins after the last row of the previous one.
 */
export async function readUnread<Row extends { readonly id: number }>(
  { max, marking, call }: UnreadRequest,
  readPage: (
    after: Row | undefined,
    limit: number,
    signal: AbortSignal | undefined,
  ) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const found = new Map<number, Row>();
  const signal = call?.closed;
  let after: Row | undefined;
  let left = max;
  while (left > 0) {
    signal?.throwIfAborted();
    const limit = Math.min(left, marking ? maxMarkedPerStep : maxReadPerStep);
    let rows: readonly Row[];
    try {
      rows = await readPage(after, limit, signal);
    } catch (error) {
      // Nobody else gets the items that are already marked.
      if (!marking || found.size === 0) throw error;
      break;
    }
    for (const row of rows) {
      // The item has changed since it was returned on an earlier page.
      found.delete(row.id);
      found.set(row.id, row);
    }
    if (rows.length < limit) break;
    after = rows.at(-1);
    left -= rows.length;
  }
  return [...found.values()];
}
