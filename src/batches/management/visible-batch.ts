/** Reads batches for the users who may see them, newest first, or a single one, with the number of messages per status. */

import type { Caller } from '../../accounts/caller.ts';
import { findCompany, zonedHours } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { oneOf, type Sql, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { bigint, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { inTurns, type Reading, readVerb } from '../../storage/verb.ts';
import { noBatch, parseBatchId, storedCode } from '../batch.ts';
import { resentUntil } from '../intake/accept-store.ts';
import { countStatuses, type StatusCount } from '../reading/counts.ts';

const storedBatch = new StoredRecord({
  id: bigint,
  userId: bigint,
  name: text,
  conversation: text,
  sender: text,
  costCenter: text,
  code: storedCode,
  reason: nullable(text),
  createdAt: bigint,
  changedAt: bigint,
  startedAt: nullable(bigint),
  scheduledAt: nullable(bigint),
  paused: bigint,
  clearing: bigint,
  messages: bigint,
  parts: bigint,
  duplicates: bigint,
  expanded: bigint,
  firstMessageId: nullable(bigint),
  validityMinutes: bigint,
  /** A code of `wire/category.ts`. */
  category: nullable(bigint),
  resentFrom: nullable(bigint),
  resentUntil,
});

type BatchRow = Kept<typeof storedBatch>;

export interface VisibleBatch extends BatchRow {
  readonly username: string;
  readonly counts: readonly Pick<StatusCount, 'status' | 'messages'>[];
  /** The send hours of the batch's company, as `zonedHours` returns them. */
  readonly sendHours: string | null;
}

async function filled(
  reading: Reading,
  companyId: number,
  rows: readonly BatchRow[],
): Promise<readonly VisibleBatch[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const counts = new Map<number, StatusCount[]>(ids.map((id) => [id, []]));
  for (const count of await countStatuses(reading, ids)) counts.get(count.batchId)?.push(count);
  const names = await usernames(
    reading,
    rows.map(({ userId }) => userId),
  );
  const company = await findCompany(reading, companyId);
  const sendHours = (company && zonedHours(company)) ?? null;
  return rows.map((row) => ({
    ...row,
    username: names.get(row.userId) ?? String(row.userId),
    counts: counts.get(row.id) ?? [],
    sendHours,
  }));
}

interface ListedBatches extends Visibility {
  /** Only paused batches, of which a company has few. */
  readonly paused?: boolean;
  /** The page starts after this batch; null starts with the latest. */
  readonly before: number | null;
  readonly limit: number;
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
}

export const listVisibleBatches = inTurns(
  readVerb('batches.listVisible', async (reading, query: ListedBatches) => {
    const { companyId, userId, before, limit, paused = false } = query;
    const ofUser = userId === null ? sql`` : sql`AND +user_id = ${userId}`;
    const whose = paused
      ? sql`company_id = ${companyId} AND paused = 1 ${ofUser}`
      : userId === null
        ? sql`company_id = ${companyId}`
        : sql`user_id = ${userId}`;
    const rows = await storedBatch.all(reading)`
      FROM batches WHERE ${whose} AND id < ${before ?? Number.MAX_SAFE_INTEGER} AND code IS NOT NULL
      ORDER BY id DESC LIMIT ${limit}`;
    return filled(reading, companyId, rows);
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

export async function findBatch(store: Store, caller: Caller, id: string): Promise<VisibleBatch> {
  const visible = visibilityOf(caller);
  const batchId = parseBatchId(id);
  const batch =
    batchId === undefined ? null : await store.read(readVisibleBatch, { ...visible, id: batchId });
  if (batch === null) throw noBatch(id);
  return batch;
}

/** Null when no such batch is visible. */
export const readVisibleBatch = readVerb(
  'batches.readVisible',
  async (reading, { companyId, userId, id }: Visibility & { readonly id: number }) => {
    const whose: Sql = userId === null ? sql`` : sql`AND user_id = ${userId}`;
    const row = await storedBatch.first(reading)`
      FROM batches WHERE company_id = ${companyId} AND id = ${id} ${whose} AND code IS NOT NULL`;
    return row === undefined ? null : ((await filled(reading, companyId, [row]))[0] ?? null);
  },
);

const maxListedResent = 20;

/** The visible batches that are the failed messages of this batch, sent again; latest first. */
export const listResentAs = readVerb(
  'batches.listResentAs',
  async (
    reading,
    { companyId, userId, id }: Visibility & { readonly id: number },
  ): Promise<readonly number[]> => {
    const whose: Sql = userId === null ? sql`` : sql`AND +user_id = ${userId}`;
    // Batches sent again from one batch are few, so they are found by it and not by their ids.
    const rows = await reading.all<{ readonly id: number }>(
      sql`SELECT id FROM batches
          WHERE resent_from = ${id} AND resent_from IS NOT NULL AND +company_id = ${companyId} ${whose}
            AND code IS NOT NULL
          ORDER BY +id DESC LIMIT ${maxListedResent}`,
    );
    return rows.map((row) => row.id);
  },
);

interface BatchName {
  readonly id: number;
  readonly name: string;
}

/** The names of the batches that have a name, for pages that show one person's messages. */
export const readBatchNames = readVerb(
  'batches.readNames',
  async (
    reading,
    { companyId, ids }: Pick<Visibility, 'companyId'> & { readonly ids: readonly number[] },
  ): Promise<readonly BatchName[]> =>
    ids.length === 0
      ? []
      : reading.all<BatchName>(
          sql`SELECT id, name FROM batches
              WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND name <> ''`,
        ),
);
