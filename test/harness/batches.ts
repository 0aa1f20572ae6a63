/** Creates batches as intake does and advances them step by step, to test what happens to them in a store. */
import type { ChunkRow } from '../../src/batches/batch.ts';
import {
  acceptBatch,
  type BatchAcceptance,
  beginBatch,
  storeChunk,
} from '../../src/batches/intake/accept-store.ts';
import { type BatchStep, listUnderWay } from '../../src/batches/steps/advance-store.ts';
import { Advance, FairOrder } from '../../src/batches/steps/expand.ts';
import type { Store } from '../../src/storage/store.ts';
import { type BatchRow, listBatchRows } from './batch-verbs.ts';

export interface TestBatch extends Partial<BatchAcceptance> {
  readonly id: number;
  /** The number of messages, which have one part each unless stated otherwise. */
  readonly count?: number;
  readonly chunkSize?: number;
  readonly partsOfEach?: number;
  readonly carrierIds?: readonly number[];
}

export function chunkRow(place: number, parts = 1, carrierId = 1): ChunkRow {
  return [String(46701740000 + place), `Text ${place}`, parts, `c${place}`, carrierId];
}

/** Stores a batch's chunks and accepts the batch. */
export async function putBatch(store: Store, batch: TestBatch): Promise<void> {
  const { id, count = 5, chunkSize = 2, partsOfEach = 1, carrierIds = [1], ...acceptance } = batch;
  const { companyId = 1, userId = 10, now = 1_000 } = batch;
  await store.write(beginBatch, { companyId, id, userId, now });
  const rows = Array.from({ length: count }, (_, place) =>
    chunkRow(place, partsOfEach, carrierIds[place % carrierIds.length]),
  );
  let chunks = 0;
  for (let from = 0; from < count; from += chunkSize) {
    const some = rows.slice(from, from + chunkSize);
    const finished = JSON.stringify(some);
    await store.write(storeChunk, {
      companyId,
      batchId: id,
      chunk: chunks,
      messages: some.length,
      finished,
    });
    chunks += 1;
  }
  await store.write(acceptBatch, {
    companyId,
    id,
    userId,
    by: { channel: 'api', username: 'user' },
    now,
    conversation: 'batch',
    sender: 'Sender',
    name: '',
    scheduledAt: null,
    costCenter: '',
    validityMinutes: 60,
    category: null,
    messages: count,
    parts: count * partsOfEach,
    duplicates: 0,
    chunks,
    failure: null,
    idempotency: null,
    ...acceptance,
  });
}

/** Makes all steps that one node can make at that time, and returns them. */
export async function advanceAll(store: Store, now: number, limit = 10_000): Promise<readonly BatchStep[]> {
  const steps: BatchStep[] = [];
  const advance = new Advance(store);
  const fair = new FairOrder();
  while (steps.length < limit) {
    const [key] = fair.order(await store.read(listUnderWay, { now, limit: 10 }));
    if (key === undefined) break;
    steps.push(await advance.step(key, now));
    fair.made(key.id, 1);
  }
  return steps;
}

/** The codes a batch goes through. */
export function codesOf(steps: readonly BatchStep[]): readonly number[] {
  return steps.flatMap((step) => (step.kind === 'made' ? [step.code] : []));
}

export async function batchRow(store: Store, id: number): Promise<BatchRow> {
  const row = (await store.read(listBatchRows, null)).find((batch) => batch.id === id);
  if (row === undefined) throw new Error(`there is no batch ${id}`);
  return row;
}
