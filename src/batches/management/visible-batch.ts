/** Reads batches for those to whom they are visible, the latest first, or one, with how many messages have each status. */

import type { Caller } from '../../accounts/caller.ts';
import { findCompany } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { oneOf, type Sql, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { inTurns, type Reading, readVerb } from '../../storage/verb.ts';
import { type BatchCode, noBatch, parseBatchId } from '../batch.ts';
import { resentUntil } from '../intake/accept-store.ts';
import { countStatuses, type StatusCount } from '../reading/counts.ts';

export interface VisibleBatch {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly name: string;
  readonly conversation: string;
  readonly sender: string;
  readonly costCenter: string;
  readonly code: BatchCode;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly startedAt: number | null;
  readonly scheduledAt: number | null;
  readonly paused: number;
  readonly clearing: number;
  readonly messages: number;
  readonly parts: number;
  readonly duplicates: number;
  readonly expanded: number;
  readonly firstMessageId: number | null;
  readonly validityMinutes: number;
  /** What had failed by then was sent again; 0: nothing. */
  readonly resentUntil: number;
  readonly counts: readonly Pick<StatusCount, 'status' | 'messages'>[];
  /** The hours in which its company sends, as they are stored. */
  readonly sendHours: string | null;
}

type BatchRow = Omit<VisibleBatch, 'username' | 'counts' | 'sendHours'>;

const columns = sql`id, user_id AS "userId", name, conversation, sender, cost_center AS "costCenter", code, reason,
  created_at AS "createdAt", changed_at AS "changedAt", started_at AS "startedAt", scheduled_at AS "scheduledAt", paused,
  clearing, messages, parts, duplicates, expanded, first_message_id AS "firstMessageId",
  validity_minutes AS "validityMinutes", ${resentUntil} AS "resentUntil"`;

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
  const sendHours = (await findCompany(reading, companyId))?.sendHours ?? null;
  return rows.map((row) => ({
    ...row,
    username: names.get(row.userId) ?? String(row.userId),
    counts: counts.get(row.id) ?? [],
    sendHours,
  }));
}

interface ListedBatches extends Visibility {
  /** Only those that are paused, of which a company has few. */
  readonly paused?: boolean;
  /** The page begins behind it; null: with the latest. */
  readonly before: number | null;
  readonly limit: number;
  /** Whose turn it takes. */
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
    const rows = await reading.all<BatchRow>(
      sql`SELECT ${columns} FROM batches
          WHERE ${whose} AND id < ${before ?? Number.MAX_SAFE_INTEGER} AND code IS NOT NULL
          ORDER BY id DESC LIMIT ${limit}`,
    );
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

/** Null: there is none that is visible. */
export const readVisibleBatch = readVerb(
  'batches.readVisible',
  async (reading, { companyId, userId, id }: Visibility & { readonly id: number }) => {
    const whose: Sql = userId === null ? sql`` : sql`AND user_id = ${userId}`;
    const row = await reading.first<BatchRow>(
      sql`SELECT ${columns} FROM batches WHERE company_id = ${companyId} AND id = ${id} ${whose} AND code IS NOT NULL`,
    );
    return row === undefined ? null : ((await filled(reading, companyId, [row]))[0] ?? null);
  },
);

interface BatchName {
  readonly id: number;
  readonly name: string;
}

/** What batches are called that have a name: for pages that show messages of one person. */
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
