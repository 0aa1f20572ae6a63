/** Reading the statuses of messages of batches: those of whole batches that are unread, or those asked for. */
import { markRead, passingOver, type StatusRow, statusColumns } from '../messages/status-reading.ts';
import { oneOf, raw, sql } from '../storage/sql.ts';
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

/** A page of the messages asked for: some ids, or the next ones with a conversation. */
export type AskedFor = { readonly companyId: number; readonly userId: number } & (
  | { readonly ids: readonly number[] }
  | { readonly conversation: string; readonly afterId: number; readonly limit: number }
);

async function selectAskedFor(reading: Reading, asked: AskedFor): Promise<BatchStatuses> {
  const own = sql`company_id = ${asked.companyId} AND user_id = ${asked.userId} AND batch_id IS NOT NULL`;
  const rows = await reading.all<BatchStatusRow>(
    'ids' in asked
      ? sql`SELECT ${statusColumns}, batch_id FROM messages WHERE ${own} AND id ${oneOf('bigint', asked.ids)}`
      : sql`SELECT ${statusColumns}, batch_id FROM messages
            WHERE ${own} AND conversation = ${asked.conversation} AND id > ${asked.afterId}
            ORDER BY id LIMIT ${asked.limit}`,
  );
  if (rows.length === 0) return { rows, batches: [] };
  const ids = [...new Set(rows.map((row) => row.batch_id))];
  const batches = await reading.all<OwnBatch>(
    sql`SELECT id, conversation FROM batches WHERE company_id = ${asked.companyId} AND id ${oneOf('bigint', ids)}`,
  );
  return { rows, batches };
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
