/**
 * Lets users pause, resume and abort a batch. No more messages of a paused batch go to a carrier until the batch is
 * resumed. When a batch is aborted, messages not yet handed to a carrier are never sent, and their quota is refunded.
 * The batch must be visible to the user and is locked; the audit log records the act; the batch's messages follow in
 * further steps.
 */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { type Act, type ActingUser, byUser, operator, recordAct } from '../../audit/audit-log.ts';
import type { Clock } from '../../foundation/clock.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { storedReason } from '../../foundation/sentences.ts';
import type { PausedBatch } from '../../messages/dispatch/hold.ts';
import { ofAnyCompany } from '../../messages/every-company.ts';
import { status } from '../../messages/message.ts';
import { raiseNews } from '../../storage/news.ts';
import { forUpdate, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type BatchCode, batchCode, batchTopic, isUnderWay, noBatch, parseBatchId } from '../batch.ts';
import { countStatuses } from '../reading/counts.ts';
import { clearing, keyOf } from '../steps/batch-in-steps.ts';

/** The acting user, and the batches visible to that user. */
interface BatchUser extends Visibility, ActingUser {}

/** Users may act on their own batches, administrators on all batches of their company. */
function actingUser(caller: Caller): BatchUser {
  requireRole(caller, 'send', 'companyAdmin');
  return { ...visibilityOf(caller), username: caller.username, session: caller.session };
}

export async function pause(store: Store, clock: Clock, caller: Caller, id: string): Promise<void> {
  const outcome = await store.write(pauseBatch, act(clock, caller, id));
  if (outcome === 'notFound') throw noBatch(id);
  if (outcome === 'tooMany')
    throw new ServiceError('too_many_paused', { sentence: 'paused_full', most: maxPaused });
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

type AbortOutcome =
  | { readonly kind: 'aborted' }
  /** The batch was complete and stays so; those of its messages not yet handed to a carrier are withdrawn. */
  | { readonly kind: 'takingBack' }
  /** The batch ended with an error or was aborted before, so there is nothing left to stop. */
  | { readonly kind: 'ended'; readonly code: BatchCode }
  | { readonly kind: 'notFound' };

/** Aborting a batch that has already ended is no error, because no more of its messages are sent. */
type AbortAnswer = Exclude<AbortOutcome, { kind: 'notFound' }>;

export function abort(store: Store, clock: Clock, caller: Caller, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id, actingUser(caller));
}

export function abortForOperator(store: Store, clock: Clock, id: string): Promise<AbortAnswer> {
  return stop(store, clock, id);
}

async function stop(store: Store, clock: Clock, id: string, user?: BatchUser): Promise<AbortAnswer> {
  const batchId = parseBatchId(id);
  const outcome: AbortOutcome =
    batchId === undefined
      ? { kind: 'notFound' }
      : await store.write(abortBatch, { id: batchId, now: clock.now(), ...(user && { user }) });
  if (outcome.kind === 'notFound') throw noBatch(id);
  if (outcome.kind !== 'ended') store.announce(batchTopic);
  return outcome;
}

interface ActOnBatch {
  readonly id: number;
  readonly now: number;
  readonly user: BatchUser;
}

/** Limited because each claim of messages checks all paused batches. */
const maxPaused = 100;

/**
 * Nothing changes if the batch is already paused or has no waiting messages. Never refused under overload, because this batch
 * may be the cause of it.
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

/** The batch's messages go to the end of the queue. */
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

interface AbortBatchInput {
  readonly id: number;
  readonly now: number;
  /** Absent for the operator, who may abort any batch. */
  readonly user?: BatchUser;
}

export const abortBatch = singleWriteVerb(
  'batches.abort',
  async (transaction, { id, now, user }: AbortBatchInput): Promise<AbortOutcome> => {
    const batch = await lockBatch(transaction, id, user);
    if (batch === undefined) return { kind: 'notFound' };
    const { code } = batch;
    const isAborted = isUnderWay(code);
    if (!isAborted && code !== batchCode.ok) return { kind: 'ended', code };
    const reason = storedReason(
      user === undefined
        ? { sentence: 'aborted_by_operator' }
        : { sentence: 'aborted_by', user: user.username },
    );
    const ends = sql`code = ${batchCode.aborted}, reason = ${reason}, changed_at = ${now},`;
    await transaction.run(
      sql`UPDATE batches SET ${isAborted ? ends : sql``} not_before = 0, paused = 0,
            clearing = ${clearing.takingBack}, clear_from = 0, clear_again_from = NULL
          WHERE ${keyOf(batch)}`,
    );
    if (batch.paused === 1) await raiseNews(transaction, 'batches');
    await recordBatchAct(transaction, batch, { now, user, act: 'batch.abort' });
    return { kind: isAborted ? 'aborted' : 'takingBack' };
  },
);

interface LockedBatch {
  readonly company_id: number;
  readonly id: number;
  readonly user_id: number;
  readonly code: BatchCode;
  readonly paused: number;
  readonly clearing: number;
  readonly expanded: number;
}

/** Undefined when no such batch is visible to the user. Without a user, the operator may act on any batch. */
async function lockBatch(
  transaction: Transaction,
  id: number,
  user: Visibility | undefined,
): Promise<LockedBatch | undefined> {
  // Goes through the companies, since a batch's key begins with its company.
  const found =
    user ??
    (await transaction.first<{ companyId: number }>(
      sql`SELECT company_id AS "companyId" FROM batches
          WHERE company_id ${await ofAnyCompany(transaction)} AND id = ${id}`,
    ));
  if (found === undefined) return undefined;
  // Waits for another node's step to end; steps are short.
  const batch = await transaction.first<LockedBatch>(
    sql`SELECT company_id, id, user_id, code, paused, clearing, expanded FROM batches
        WHERE company_id = ${found.companyId} AND id = ${id} AND code IS NOT NULL ${forUpdate}`,
  );
  const userId = user?.userId ?? null;
  return userId === null || userId === batch?.user_id ? batch : undefined;
}

interface BatchAct {
  readonly now: number;
  readonly user: BatchUser | undefined;
  readonly act: Act;
}

async function recordBatchAct(
  transaction: Transaction,
  { company_id: companyId, id }: Pick<LockedBatch, 'company_id' | 'id'>,
  { now: at, user, act }: BatchAct,
): Promise<void> {
  const by = user === undefined ? operator : byUser(user);
  await recordAct(transaction, { companyId, at, by, act, object: String(id) });
}

/** Paused batches of all companies. */
export const listPaused = readVerb('batches.listPaused', async (reading, _: null) =>
  reading.all<{ companyId: number; id: number }>(
    sql`SELECT company_id AS "companyId", id FROM batches WHERE paused = 1 ORDER BY company_id, id`,
  ),
);

/**
 * Tells from memory which batches are paused, since each claim of messages needs to know; reloaded after a change
 * notice for batches.
 */
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
