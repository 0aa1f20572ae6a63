/** Reads batches for their users and for the operator. */
import { ofAnyCompany } from '../../messages/every-company.ts';
import { sql } from '../../storage/sql.ts';
import { readVerb } from '../../storage/verb.ts';
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

const inspected = sql`batches.id,
  COALESCE(companies.name, CAST(batches.company_id AS TEXT)) AS company,
  COALESCE((SELECT username FROM users WHERE users.id = batches.user_id), CAST(batches.user_id AS TEXT)) AS username,
  batches.conversation, batches.code, batches.reason, batches.created_at AS "createdAt",
  batches.changed_at AS "changedAt", batches.not_before AS "notBefore", batches.messages, batches.parts,
  batches.duplicates, batches.expanded, batches.first_message_id AS "firstMessageId", batches.clearing,
  companies.send_hours AS "sendHours"`;
const names = sql`LEFT JOIN companies ON companies.id = batches.company_id`;

/** A batch by its id alone, whosever it is, with how many of its messages have each status. */
export const inspectBatch = readVerb('batches.inspect', async (reading, id: number) => {
  // By way of the companies, since the key of a batch begins with its company.
  const batch = await reading.first<InspectedBatch>(
    sql`SELECT ${inspected} FROM batches ${names}
        WHERE batches.company_id ${await ofAnyCompany(reading)} AND batches.id = ${id} AND batches.code IS NOT NULL`,
  );
  if (batch === undefined) return null;
  return { ...batch, counts: await countStatuses(reading, [id]) };
});

/** The latest of all companies, newest first. */
export const listBatches = readVerb('batches.list', async (reading, limit: number) =>
  reading.all<InspectedBatch>(
    sql`SELECT ${inspected} FROM batches ${names} WHERE batches.code IS NOT NULL
        ORDER BY batches.id DESC LIMIT ${limit}`,
  ),
);
