/**
 * Reads a batch's progress and the ids of its messages (API: /batchinfo, /batchmessageid), for its user and for the operator.
 */
import type { Caller } from '../../accounts/caller.ts';
import { findCompanies, zonedHours } from '../../accounts/company-records.ts';
import { usernames } from '../../accounts/user-records.ts';
import { ofAnyCompany } from '../../messages/every-company.ts';
import type { Store } from '../../storage/store.ts';
import { bigint, type Kept, nullable, StoredRecord, text } from '../../storage/stored-record.ts';
import { type Reading, readVerb } from '../../storage/verb.ts';
import { noBatch, parseBatchId, storedCode } from '../batch.ts';
import { countStatuses } from './counts.ts';

/** The caller's own batch; another user's batch is reported as not found. */
export async function readOwnBatch(store: Store, caller: Caller, id: string): Promise<BatchRow> {
  const batchId = parseBatchId(id);
  const { companyId, userId } = caller;
  const batch =
    batchId === undefined ? null : await store.read(readBatch, { companyId, userId, id: batchId });
  if (batch === null) throw noBatch(id);
  return batch;
}

const idsInSlice = 5_000;

/**
 * The body `{"messageids":[…]}` in slices, because writing hundreds of thousands of ids at once would hold up other requests.
 */
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

/** Null if there is no such batch, if it is another user's batch, or if it is not complete yet. */
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
  name: text,
  conversation: text,
  code: storedCode,
  reason: nullable(text),
  createdAt: bigint,
  changedAt: bigint,
  notBefore: bigint,
  messages: bigint,
  parts: bigint,
  duplicates: bigint,
  /** The number of messages made so far; their ids are consecutive. */
  expanded: bigint,
  firstMessageId: nullable(bigint),
  /** The rest of the batch is being withdrawn. */
  clearing: bigint,
};

export const storedBatch = new StoredRecord(batchFields);
type BatchRow = Kept<typeof storedBatch>;
type MadeMessages = Pick<BatchRow, 'firstMessageId' | 'expanded'>;

export interface InspectedBatch extends Omit<BatchRow, 'companyId' | 'userId'> {
  readonly company: string;
  readonly username: string;
  /** The send hours of the batch's company, as `zonedHours` returns them. */
  readonly sendHours: string | null;
}

/** A removed company or user is shown by its id. */
export async function named(reading: Reading, batches: readonly BatchRow[]): Promise<InspectedBatch[]> {
  const companies = await findCompanies(
    reading,
    batches.map(({ companyId }) => companyId),
  );
  const users = await usernames(
    reading,
    batches.map(({ userId }) => userId),
  );
  return batches.map(({ id, companyId, userId, ...batch }) => {
    const company = companies.get(companyId);
    return {
      id,
      company: company?.name ?? String(companyId),
      username: users.get(userId) ?? String(userId),
      ...batch,
      sendHours: (company && zonedHours(company)) ?? null,
    };
  });
}

/** Any batch by its id alone, with the number of messages per status. */
export const inspectBatch = readVerb('batches.inspect', async (reading, id: number) => {
  // Searches all companies, since a batch's key begins with its company.
  const batches = await storedBatch.all(reading)`
    FROM batches
    WHERE company_id ${await ofAnyCompany(reading)} AND id = ${id} AND code IS NOT NULL`;
  const [batch] = await named(reading, batches);
  return batch === undefined ? null : { ...batch, counts: await countStatuses(reading, [id]) };
});

/** The latest batches of all companies, newest first. */
export const listBatches = readVerb('batches.list', async (reading, limit: number) =>
  named(
    reading,
    await storedBatch.all(reading)`FROM batches WHERE code IS NOT NULL ORDER BY id DESC LIMIT ${limit}`,
  ),
);
