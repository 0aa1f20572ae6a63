/** Reads how far a batch has come, and the ids of its messages (API: /batchinfo, /batchmessageid). */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { Store } from '../../storage/store.ts';
import { parseBatchId } from '../batch.ts';
import { type BatchInfo, readBatch } from './info-store.ts';

/** The caller's own; what is another's is not found either. */
export async function readOwnBatch(store: Store, caller: Caller, id: string): Promise<BatchInfo> {
  const batchId = parseBatchId(id);
  const { companyId, userId } = caller;
  const batch =
    batchId === undefined ? null : await store.read(readBatch, { companyId, userId, id: batchId });
  if (batch === null) throw new ServiceError('not_found', `There is no batch ${id}.`);
  return batch;
}

const idsInSlice = 5_000;

/** The body `{"messageids":[…]}`: hundreds of thousands of ids would hold up others if they were written at once. */
export function* messageIdsInSlices({ firstMessageId, expanded }: BatchInfo): Generator<string> {
  yield '{"messageids":[';
  for (let from = 0; from < expanded; from += idsInSlice) {
    const count = Math.min(idsInSlice, expanded - from);
    const first = (firstMessageId ?? 0) + from;
    const ids = Array.from({ length: count }, (_, index) => first + index);
    yield `${from === 0 ? '' : ','}"${ids.join('","')}"`;
  }
  yield ']}';
}
