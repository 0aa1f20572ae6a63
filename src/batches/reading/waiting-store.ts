/** Batches of a company that wait for their start time, or may wait for its send hours. */
import { findCompany } from '../../accounts/company-records.ts';
import type { Visibility } from '../../accounts/visibility.ts';
import { type Sql, sql } from '../../storage/sql.ts';
import { bigint, StoredRecord } from '../../storage/stored-record.ts';
import { readVerb } from '../../storage/verb.ts';
import { countStatuses } from './counts.ts';
import { batchFields, named, storedBatch } from './info.ts';

export interface ScheduledPage extends Visibility {
  /** Later than this time, or at the same time with a greater id. */
  readonly after: { readonly time: number; readonly id: number };
  readonly limit: number;
}

const scheduledBatch = new StoredRecord({ ...batchFields, scheduledAt: bigint });

/** Batches that start later, the next one first. Paused batches are left out. */
export const listScheduledBatches = readVerb(
  'batches.listScheduled',
  async (reading, { after, limit, ...visible }: ScheduledPage) => {
    const rows = await scheduledBatch.all(reading)`
      FROM batches
      WHERE company_id = ${visible.companyId} AND code IN (1, 2, 3) AND paused = 0 AND scheduled_at IS NOT NULL
        AND (scheduled_at, id) > (${after.time}, ${after.id}) ${ofUser(visible)}
      ORDER BY scheduled_at, id LIMIT ${limit}`;
    const batches = await named(reading, rows);
    return batches.map((batch, place) => ({ ...batch, scheduledAt: rows[place]?.scheduledAt as number }));
  },
);

function ofUser({ userId }: Visibility): Sql {
  return userId === null ? sql`` : sql`AND user_id = ${userId}`;
}

/** More batches than are usually under way, or complete and held, at the same time. */
const maxBatches = 100;

/** Batches under way, and the latest batches whose messages have all been made. Empty when the company has no send hours. */
export const listMaybeHeld = readVerb(
  'batches.listMaybeHeld',
  async (reading, { now, ...visible }: Visibility & { readonly now: number }) => {
    const { companyId, userId } = visible;
    if ((await findCompany(reading, companyId))?.sendHours === undefined) return [];
    const underWay = await storedBatch.all(reading)`
      FROM batches
      WHERE company_id = ${companyId} AND code IN (1, 2, 3) AND paused = 0
        AND (scheduled_at IS NULL OR scheduled_at <= ${now}) ${ofUser(visible)}
      ORDER BY company_id, next_chunk, id LIMIT ${maxBatches}`;
    const whose = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
    const made = await storedBatch.all(reading)`
      FROM batches WHERE ${whose} AND code = 0 AND paused = 0
      ORDER BY id DESC LIMIT ${maxBatches}`;
    const batches = await named(reading, [...underWay, ...made]);
    const counts = await countStatuses(
      reading,
      batches.map(({ id }) => id),
    );
    return batches.map((batch) => ({
      ...batch,
      counts: counts.filter(({ batchId }) => batchId === batch.id),
    }));
  },
);
