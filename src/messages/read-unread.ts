/** Reads unread items page by page: a caller may want ten thousand, and marking rows makes all writers wait. */
import type { Call } from '../http/endpoints/endpoint.ts';

const readAtOnce = 1_000;
const markedAtOnce = 500;

export interface UnreadRequest {
  readonly max: number;
  readonly marking: boolean;
  readonly call: Pick<Call, 'closed'> | undefined;
}

/** In the order in which the pages bring them. Each page begins after the last row of the one before it. */
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
    const limit = Math.min(left, marking ? markedAtOnce : readAtOnce);
    let rows: readonly Row[];
    try {
      rows = await readPage(after, limit, signal);
    } catch (error) {
      // What is marked already nobody else is told.
      if (!marking || found.size === 0) throw error;
      break;
    }
    for (const row of rows) {
      // It has changed since an earlier page.
      found.delete(row.id);
      found.set(row.id, row);
    }
    if (rows.length < limit) break;
    after = rows.at(-1);
    left -= rows.length;
  }
  return [...found.values()];
}
