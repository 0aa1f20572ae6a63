/**
 * Reads how far a batch has come, and the ids of its messages (API: /batchinfo, /batchmessageid): for its user, and for the
 * operator.
 */
import type { Caller } from '../../accounts/caller.ts';
import { findCompanies } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import { ofAnyCompany } from '../../messages/every-company.ts';
import type { Store } from '../../storage/store.ts';
import { bigint, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { type Reading, readVerb } from '../../storage/verb.ts';
import { noBatch, parseBatchId, storedCode } from '../batch.ts';
import { countStatuses } from './counts.ts';

/** The caller's own; what is another's is not found either. */
export async function readOwnBatch(store: Store, caller: Caller, id: string): Promise<BatchRow> {
  const batchId = parseBatchId(id);
  const { companyId, userId } = caller;
  const batch =
    batchId === undefined ? null : await store.read(readBatch, { companyId, userId, id: batchId });
  if (batch === null) throw noBatch(id);
  return batch;
}

const idsInSlice = 5_000;

/** The body `{"messageids":[…]}`: hundreds of thousands of ids would hold up others if they were written at once. */
export function* messageIdsInSlices({ firstMessageId, expanded }: MadeMessages): Generator<string> {
  yield '{"messageids":[';
  for (let from = 0; from < expanded; from += idsInSlice) {
    const count = Math.min(idsInSlice, expanded - from);
    const first = (firstMessageId ?? 0) + from;
    const ids = Array.from({ length: count }, (_, index) => first + index);
    yield `${from === 0 ? '' : ','}"${ids.join('","')}"`;
  }
  yield ']}';
}

/** Null also for what is somebody else's, or not whole yet. */
export const readBatch = readVerb(
  'batches.read',
  async (
    reading,
    { companyId, userId, id }: { readonly companyId: number; readonly userId: number; readonly id: number },
  ) =>
    (await storedBatch.first(reading)`
      FROM batches
      WHERE company_id = ${companyId} AND id = ${id} AND user_id = ${userId} AND code IS NOT NULL`) ?? null,
);

export const batchFields = {
  id: bigint,
  companyId: bigint,
  userId: bigint,
  conversation: text,
  code: storedCode,
  reason: nullable(text),
  createdAt: bigint,
  changedAt: bigint,
  notBefore: bigint,
  messages: bigint,
  parts: bigint,
  duplicates: bigint,
  /** Messages made so far; their ids follow each other. */
  expanded: bigint,
  firstMessageId: nullable(bigint),
  /** What is left of it is being taken back. */
  clearing: bigint,
};

export const storedBatch = new StoredRecord(batchFields);
type BatchRow = Kept<typeof storedBatch>;
type MadeMessages = Pick<BatchRow, 'firstMessageId' | 'expanded'>;

export interface InspectedBatch extends Omit<BatchRow, 'companyId' | 'userId'> {
  readonly company: string;
  readonly username: string;
  /** The hours in which its company sends, as they are stored. */
  readonly sendHours: string | null;
}

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
  // The companies are looked through, since the key of a batch begins with its company.
  const batches = await storedBatch.all(reading)`
    FROM batches
    WHERE company_id ${await ofAnyCompany(reading)} AND id = ${id} AND code IS NOT NULL`;
  const [batch] = await named(reading, batches);
  return batch === undefined ? null : { ...batch, counts: await countStatuses(reading, [id]) };
});

/** The latest of all companies, newest first. */
export const listBatches = readVerb('batches.list', async (reading, limit: number) =>
  named(
    reading,
    await storedBatch.all(reading)`FROM batches WHERE code IS NOT NULL ORDER BY id DESC LIMIT ${limit}`,
  ),
);
