/**
 * Receives a batch: validates it as a whole, stores its messages chunk by chunk, and makes it a batch in the last step. Until
 * then it is invisible, and an interruption leaves nothing behind.
 */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { byUser } from '../../audit/audit-log.ts';
import { errorOfFields, type FieldError, ServiceError } from '../../foundation/errors.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { arrived } from '../../foundation/thread.ts';
import { answerAgain, findEarlier, keptForMs, type Repeatable } from '../../messages/idempotency.ts';
import { chooseSender } from '../../messages/sending/prepare.ts';
import type { PersonSecret } from '../../opt-outs/person-digest.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Context } from '../../storage/context.ts';
import type { Ids } from '../../storage/ids.ts';
import type { Store } from '../../storage/store.ts';
import { type Category, categoryCode, standardCategory } from '../../wire/category.ts';
import { countryCodeOf } from '../../wire/phone-number.ts';
import { parseScheduleTime } from '../../wire/schedule-time.ts';
import { replaceLoneSurrogates } from '../../wire/sms/normalise.ts';
import { type BatchCode, batchCode, describeBatchCode, standardMaxRecipients } from '../batch.ts';
import { acceptBatch, beginBatch, discardBatch, type Resent, storeChunk } from './accept-store.ts';
import { noneSkipped, type Skipped, skippedInAll } from './faulty.ts';
import type { FinishedBatch } from './finish.ts';
import type { Finished, Judged, Upload } from './intake.ts';
import type { BatchRequest } from './judge.ts';

/** The services needed to receive batches. */
export interface Batching extends Context {
  readonly ids: Ids;
  readonly routes: () => RoutingTable;
  /** Called when there is a new batch, which continues in the background. */
  readonly accepted: () => void;
  /** Finds the opt-outs of people who have been erased. */
  readonly personSecret?: PersonSecret;
}

/** The parameters of a call without its recipients. */
export interface BatchSubmission {
  readonly from: string | undefined;
  readonly message: string | undefined;
  readonly batchconversation: string | undefined;
  readonly costcenter: string | undefined;
  readonly validminutes: number;
  readonly defaultcountrycode: string | undefined;
  readonly replacecharacters: boolean;
  readonly holders: readonly string[];
  /** Absent: that of the account. */
  readonly category?: Category | undefined;
  /** Absent where a call can't set a name; the batch then has none. */
  readonly name?: string | undefined;
  /** The start time as given by the call; absent when the batch starts at once. */
  readonly scheduletime?: string | undefined;
  /** Set for calls of the management API; absent for those of the contract. */
  readonly refusesUnknown?: boolean;
  /** Whether recipients with faults are left out, and the others sent. */
  readonly skipFaulty?: boolean;
}

export interface SubmittedBatch {
  readonly batchid: string;
  readonly batchconversation: string;
  readonly batchstatuscode: BatchCode;
  readonly batchstatusdescription: string;
  /** Only for calls with `skipFaulty`: the recipients left out, and the first faults. */
  readonly skipped?: number;
  readonly faults?: readonly FieldError[];
}

export async function submitBatch(
  batching: Batching,
  caller: Caller,
  submission: BatchSubmission,
  upload: Upload,
  idempotencyKey: string | undefined,
): Promise<SubmittedBatch> {
  requireRole(caller, 'send');
  const now = batching.clock.now();
  const sender = attempt(() => chooseSender(caller, submission.from, batching.routes().senderOwners));
  if ('error' in sender && idempotencyKey === undefined) throw sender.error;
  const scheduled = attempt(() => scheduledAt(submission.scheduletime, now));
  if ('error' in scheduled && idempotencyKey === undefined) throw scheduled.error;
  const request = requestOf(batching, caller, submission, 'value' in sender ? sender.value : '');
  const { maxRecipients } = request;
  const judged = await upload.judge({
    ...request,
    understood: idempotencyKey === undefined ? undefined : understood(submission),
  });
  const repeatable = repeatableOf(idempotencyKey, judged, now);
  if (repeatable !== undefined) {
    // Comes before any other check, because a request that was valid the first time may be invalid now.
    const { companyId, userId } = caller;
    const earlier = await batching.store.read(findEarlier, { companyId, userId, ...repeatable });
    if (earlier !== null) return answerAgain(earlier) as SubmittedBatch;
  }
  if ('error' in sender) throw sender.error;
  if ('error' in scheduled) throw scheduled.error;
  const fault = judged.fault && arrived(judged.fault);
  const { skipFaulty = false } = submission;
  if (fault !== undefined && !(skipFaulty && judged.hasSound)) throw fault;
  const faults = fault instanceof ServiceError ? fault.errors : [];
  const receiving = {
    batching,
    caller,
    submission,
    sender: sender.value,
    repeatable,
    now,
    scheduledAt: scheduled.value,
    ...(skipFaulty && { skipped: { count: judged.faulty, faults } }),
  };
  return receive(receiving, judged.recipients > maxRecipients ? tooMany(judged, maxRecipients) : upload);
}

/** The request to the thread, without `understood`. */
export function requestOf(
  { routes }: Pick<Batching, 'routes'>,
  caller: Caller,
  submission: BatchSubmission,
  sender: string,
): Omit<BatchRequest, 'understood'> {
  return {
    message: submission.message,
    holders: submission.holders,
    conversation: submission.batchconversation ?? '',
    defaultCountryCode: countryCodeOf(caller, submission.defaultcountrycode),
    replacing: submission.replacecharacters && caller.replaceCharacters,
    origin: { sender, username: caller.username },
    routes: routes().snapshot(),
    countries: caller.allowedCountries && [...caller.allowedCountries],
    maxRecipients: caller.maxBatch ?? standardMaxRecipients,
    refusesUnknown: submission.refusesUnknown === true,
    skipsFaulty: submission.skipFaulty === true,
  };
}

/** Null when the batch starts at once. */
export function scheduledAt(scheduletime: string | undefined, now: number): number | null {
  if (scheduletime === undefined) return null;
  const time = parseScheduleTime(scheduletime, now);
  if (time.ok) return time.value;
  throw errorOfFields(time, 'scheduletime');
}

/** Returns the chunks one by one, then the closing summary. */
interface ChunkSource {
  next(): Promise<Finished>;
}

interface IntakeContext {
  readonly scheduledAt: number | null;
  readonly batching: Batching;
  readonly caller: Caller;
  readonly submission: BatchSubmission;
  readonly sender: string;
  readonly repeatable: Repeatable | undefined;
  readonly now: number;
  /** The batch whose failed messages are sent again, and when they failed. */
  readonly resent?: Resent;
  /** Recipients left out before their texts are made; absent if a faulty one makes the batch fail. */
  readonly skipped?: Skipped;
}

/** If the batch has already failed, only its failure is stored. */
export async function receive(
  receiving: IntakeContext,
  source: ChunkSource | FinishedBatch,
): Promise<SubmittedBatch> {
  const { batching, caller, now } = receiving;
  const { store } = batching;
  const { companyId, userId } = caller;
  const id = await batching.ids.draw(1);
  let isAccepted = false;
  try {
    await store.write(beginBatch, { companyId, id, userId, now });
    const stored = 'next' in source ? await storeChunks(receiving, id, source) : { ...source, chunks: 0 };
    const answer = await accept(receiving, id, stored);
    isAccepted = answer.batchid === String(id);
    if (isAccepted) batching.accepted();
    return answer;
  } finally {
    if (!isAccepted) await discard(store, companyId, id);
  }
}

interface StoredBatch extends FinishedBatch {
  readonly chunks: number;
}

/**
 * The maximum number of chunks that are stored concurrently. One at a time, a batch of 200 chunks would wait 200 times
 * for the store's other work; these few share its transactions, and are held in memory in the meantime.
 */
const maxStoring = 6;

/** The next chunk is made when there is room for it. */
async function storeChunks(
  { batching, caller }: IntakeContext,
  batchId: number,
  source: ChunkSource,
): Promise<StoredBatch> {
  const { companyId } = caller;
  const storing: Promise<boolean>[] = [];
  const awaitOldest = async () => {
    if (!(await storing[0])) throw givenUp();
    storing.shift();
  };
  let chunks = 0;
  try {
    for (;;) {
      const finished = await source.next();
      if ('end' in finished) {
        while (storing.length > 0) await awaitOldest();
        return { ...finished.end, chunks };
      }
      if (storing.length === maxStoring) await awaitOldest();
      const chunk = { companyId, batchId, chunk: chunks, ...finished.chunk };
      const stored = batching.store.write(storeChunk, chunk);
      // The rejection is handled by the code that awaits the promise, possibly later.
      stored.catch(() => undefined);
      storing.push(stored);
      chunks += 1;
    }
  } finally {
    // No chunk may arrive after the batch is discarded.
    await Promise.allSettled(storing);
  }
}

async function accept(
  { batching, caller, submission, sender, repeatable, now, ...context }: IntakeContext,
  id: number,
  stored: StoredBatch,
): Promise<SubmittedBatch> {
  const { skipped: ofTexts = noneSkipped, ...finished } = stored;
  const skipped = context.skipped && skippedInAll(context.skipped, ofTexts);
  const [first] = ofTexts.faults;
  if (first !== undefined && stored.messages === 0 && stored.failure === null)
    throw new ServiceError(first.code, first.error, { values: first.values, errors: ofTexts.faults });
  const conversation = replaceLoneSurrogates(submission.batchconversation ?? '');
  const answer: SubmittedBatch = {
    batchid: String(id),
    batchconversation: conversation,
    batchstatuscode: batchCode.received,
    batchstatusdescription: describeBatchCode(batchCode.received),
    ...(skipped && { skipped: skipped.count, faults: skipped.faults }),
  };
  const outcome = await batching.store.write(acceptBatch, {
    companyId: caller.companyId,
    id,
    userId: caller.userId,
    by: byUser(caller),
    now,
    conversation,
    sender,
    costCenter: submission.costcenter ?? '',
    validityMinutes: submission.validminutes,
    category: categoryCode(submission.category ?? caller.category ?? standardCategory),
    name: replaceLoneSurrogates(submission.name ?? ''),
    scheduledAt: context.scheduledAt,
    resent: context.resent ?? null,
    ...finished,
    idempotency:
      repeatable === undefined
        ? null
        : { ...repeatable, answer: JSON.stringify(answer), expiresAt: now + keptForMs },
  });
  if (outcome.kind === 'accepted') return answer;
  if (outcome.kind === 'gone') throw givenUp();
  if (outcome.kind === 'resentMeanwhile')
    throw new ServiceError('already_resent', {
      sentence: 'failed_just_resent',
      batch: context.resent?.from as number,
    });
  return answerAgain(outcome) as SubmittedBatch;
}

/**
 * Anything that can't be discarded now is found later by a sweep, because it is not a batch yet. Nothing here touches a
 * finished batch.
 */
async function discard(store: Store, companyId: number, id: number): Promise<void> {
  try {
    while ((await store.write(discardBatch, { companyId, id })) > 0);
  } catch {
    // The request has its own error to report, and the store's fault is already known.
  }
}

function tooMany({ recipients }: Judged, maxRecipients: number): FinishedBatch {
  const reason = storedReason({ sentence: 'batch_recipients', recipients, most: maxRecipients });
  return { messages: 0, parts: 0, duplicates: 0, failure: { code: batchCode.tooManyRecipients, reason } };
}

function givenUp(): ServiceError {
  return new ServiceError(
    'overloaded',
    'Storing the batch took too long and was given up. Nothing was sent; send the batch again.',
  );
}

/** Together with the hash of the recipients, this represents the parsed request, independent of its form. */
function understood(submission: BatchSubmission): string {
  const { from, message, batchconversation, costcenter, validminutes, defaultcountrycode } = submission;
  const { replacecharacters, holders, name, scheduletime, skipFaulty = false, category } = submission;
  return JSON.stringify([
    from ?? null,
    message ?? null,
    batchconversation ?? null,
    costcenter ?? null,
    validminutes,
    defaultcountrycode ?? null,
    replacecharacters,
    holders,
    ...(name === undefined && scheduletime === undefined ? [] : [name ?? null, scheduletime ?? null]),
    ...(skipFaulty ? ['skipFaulty'] : []),
    ...(category === undefined ? [] : [{ category }]),
  ]);
}

function repeatableOf(key: string | undefined, { requestHash }: Judged, now: number): Repeatable | undefined {
  return key === undefined || requestHash === undefined ? undefined : { key, requestHash, now };
}

function attempt<Value>(work: () => Value): { readonly value: Value } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
