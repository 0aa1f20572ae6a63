/**
 * Pauses a batch, for those to whom it is visible: nothing more of it goes to a carrier until it is resumed. Its messages
 * follow in further steps.
 */
import type { Caller } from '../../accounts/caller.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { PausedBatch } from '../../messages/dispatch/paused.ts';
import { status } from '../../messages/message.ts';
import { raiseNews } from '../../storage/news.ts';
import { sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { batchCode, batchTopic, isUnderWay, noBatch, parseBatchId } from '../batch.ts';
import { countStatuses } from '../reading/counts.ts';
import {
  actingUser,
  type BatchUser,
  type LockedBatch,
  lockBatch,
  recordBatchAct,
} from '../steps/acting-on-batch.ts';
import { clearing, keyOf } from '../steps/batch-in-steps.ts';

export async function pause(store: Store, clock: Clock, caller: Caller, id: string): Promise<void> {
  const outcome = await store.write(pauseBatch, act(clock, caller, id));
  if (outcome === 'notFound') throw noBatch(id);
  if (outcome === 'tooMany')
    throw new ServiceError(
      'too_many_paused',
      `The company has ${maxPaused} paused batches. Resume or abort one of them first.`,
    );
  store.announce(batchTopic);
}

export async function resume(store: Store, clock: Clock, caller: Caller, id: string): Promise<void> {
  const outcome = await store.write(resumeBatch, act(clock, caller, id));
  if (outcome === 'notFound') throw noBatch(id);
  store.announce(batchTopic);
}

function act(clock: Clock, caller: Caller, id: string) {
  const user = actingUser(caller);
  const batchId = parseBatchId(id);
  if (batchId === undefined) throw noBatch(id);
  return { id: batchId, now: clock.now(), user };
}

interface ActOnBatch {
  readonly id: number;
  readonly now: number;
  readonly user: BatchUser;
}

/** Each claim of messages asks for all that are paused. */
const maxPaused = 100;

/**
 * What is paused already stays so, and so does that of which nothing waits. Never refused under overload: it may be what
 * there is too much of.
 */
export const pauseBatch = singleWriteVerb(
  'batches.pause',
  async (transaction, input: ActOnBatch): Promise<'done' | 'notFound' | 'tooMany'> => {
    const batch = await lockBatch(transaction, input.id, input.user);
    if (batch === undefined) return 'notFound';
    if (batch.paused === 1 || !(await hasWaiting(transaction, batch))) return 'done';
    if ((await countPaused(transaction, batch.company_id)) >= maxPaused) return 'tooMany';
    await set(transaction, batch, { paused: 1, walk: clearing.puttingAside });
    await recordBatchAct(transaction, batch, { ...input, act: 'batch.pause' });
    return 'done';
  },
);

/** Its messages go to the end of the line. */
export const resumeBatch = refusable(
  singleWriteVerb('batches.resume', async (transaction, input: ActOnBatch): Promise<'done' | 'notFound'> => {
    const batch = await lockBatch(transaction, input.id, input.user);
    if (batch === undefined) return 'notFound';
    if (batch.paused === 0) return 'done';
    await set(transaction, batch, { paused: 0, walk: clearing.lettingGo });
    await recordBatchAct(transaction, batch, { ...input, act: 'batch.resume' });
    return 'done';
  }),
);

async function hasWaiting(transaction: Transaction, batch: LockedBatch): Promise<boolean> {
  if (batch.clearing === clearing.takingBack) return false;
  if (isUnderWay(batch.code)) return true;
  const counts = await countStatuses(transaction, [batch.id]);
  return batch.code === batchCode.ok && counts.some((count) => count.status === status.QUEUED);
}

async function countPaused(transaction: Transaction, companyId: number): Promise<number> {
  const row = await transaction.first<{ paused: number }>(
    sql`SELECT COUNT(*) AS paused FROM batches WHERE company_id = ${companyId} AND paused = 1`,
  );
  return row?.paused ?? 0;
}

async function set(
  transaction: Transaction,
  batch: LockedBatch,
  { paused, walk }: { readonly paused: 0 | 1; readonly walk: number },
): Promise<void> {
  await transaction.run(
    sql`UPDATE batches SET paused = ${paused}, clearing = ${batch.expanded === 0 ? clearing.nothing : walk},
          clear_from = 0, clear_again_from = NULL, not_before = 0
        WHERE ${keyOf(batch)}`,
  );
  await raiseNews(transaction, 'batches');
}

/** Of all companies. */
export const listPaused = readVerb('batches.listPaused', async (reading, _: null) =>
  reading.all<{ companyId: number; id: number }>(
    sql`SELECT company_id AS "companyId", id FROM batches WHERE paused = 1 ORDER BY company_id, id`,
  ),
);

/** Knows from memory which batches are paused, since each claim of messages asks; read again when the store has news of them. */
export class PausedBatches {
  readonly #store: Store;
  #batches: readonly PausedBatch[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get all(): readonly PausedBatch[] {
    return this.#batches;
  }

  async read(): Promise<void> {
    this.#batches = await this.#store.read(listPaused, null);
  }
}
