/** Reads batches for their users and for the operator. */
import { findCompanies } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import { ofAnyCompany } from '../../messages/every-company.ts';
import { sql } from '../../storage/sql.ts';
import { type Reading, readVerb } from '../../storage/verb.ts';
import type { BatchCode } from '../batch.ts';
import { countStatuses } from './counts-store.ts';

export interface OwnBatchQuery {
  readonly companyId: number;
  readonly userId: number;
  readonly id: number;
}

export interface BatchInfo {
  readonly id: number;
  readonly conversation: string;
  readonly code: BatchCode;
  /** Messages made so far; their ids follow each other. */
  readonly expanded: number;
  readonly firstMessageId: number | null;
}

/** Null also for what is somebody else's, or not whole yet. */
export const readBatch = readVerb(
  'batches.read',
  async (reading, { companyId, userId, id }: OwnBatchQuery) =>
    (await reading.first<BatchInfo>(
      sql`SELECT id, conversation, code, expanded, first_message_id AS "firstMessageId" FROM batches
          WHERE company_id = ${companyId} AND id = ${id} AND user_id = ${userId} AND code IS NOT NULL`,
    )) ?? null,
);

export interface InspectedBatch {
  readonly id: number;
  readonly company: string;
  readonly username: string;
  readonly conversation: string;
  readonly code: BatchCode;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly notBefore: number;
  readonly messages: number;
  readonly parts: number;
  readonly duplicates: number;
  readonly expanded: number;
  readonly firstMessageId: number | null;
  /** What is left of it is being taken back. */
  readonly clearing: number;
  /** The hours in which its company sends, as they are stored. */
  readonly sendHours: string | null;
}

export type BatchRow = Omit<InspectedBatch, 'company' | 'username' | 'sendHours'> & {
  readonly companyId: number;
  readonly userId: number;
};

export const inspected = sql`id, company_id AS "companyId", user_id AS "userId", conversation, code, reason,
  created_at AS "createdAt", changed_at AS "changedAt", not_before AS "notBefore", messages, parts, duplicates,
  expanded, first_message_id AS "firstMessageId", clearing`;

/** Who is gone is told by its id. */
export async function named(reading: Reading, batches: readonly BatchRow[]): Promise<InspectedBatch[]> {
  const companies = await findCompanies(
    reading,
    batches.map(({ companyId }) => companyId),
  );
  const users = await usernames(
    reading,
    batches.map(({ userId }) => userId),
  );
  return batches.map(({ id, companyId, userId, ...batch }) => ({
    id,
    company: companies.get(companyId)?.name ?? String(companyId),
    username: users.get(userId) ?? String(userId),
    ...batch,
    sendHours: companies.get(companyId)?.sendHours ?? null,
  }));
}

/** A batch by its id alone, whosever it is, with how many of its messages have each status. */
export const inspectBatch = readVerb('batches.inspect', async (reading, id: number) => {
  // By way of the companies, since the key of a batch begins with its company.
  const rows = await reading.all<BatchRow>(
    sql`SELECT ${inspected} FROM batches
        WHERE company_id ${await ofAnyCompany(reading)} AND id = ${id} AND code IS NOT NULL`,
  );
  const [batch] = await named(reading, rows);
  return batch === undefined ? null : { ...batch, counts: await countStatuses(reading, [id]) };
});

/** The latest of all companies, newest first. */
export const listBatches = readVerb('batches.list', async (reading, limit: number) =>
  named(
    reading,
    await reading.all<BatchRow>(
      sql`SELECT ${inspected} FROM batches WHERE code IS NOT NULL ORDER BY id DESC LIMIT ${limit}`,
    ),
  ),
);
