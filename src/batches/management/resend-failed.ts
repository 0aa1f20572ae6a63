/** Sends the failed messages of a batch again, each with its own text, as a new batch that the caller pays for. */
import { createHash } from 'node:crypto';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { answerAgain, findEarlier } from '../../messages/idempotency.ts';
import { chooseSender } from '../../messages/sending/prepare.ts';
import { categoryOf } from '../../wire/category.ts';
import { countryRule } from '../../wire/country.ts';
import { batchCode, chunkSize, maxNameLength, standardMaxRecipients } from '../batch.ts';
import type { Resent } from '../intake/accept-store.ts';
import { chunkOf, chunkRow, type FinishedBatch, maxChunkCharacters } from '../intake/finish.ts';
import type { Finished } from '../intake/intake.ts';
import { type Batching, receive, type SubmittedBatch } from '../intake/submit.ts';
import { type FailedRow, failedInPages } from './failed.ts';
import { totalsOf } from './shown-batch.ts';
import { findBatch, type VisibleBatch } from './visible-batch.ts';

export async function resendFailed(
  batching: Batching,
  caller: Caller,
  id: string,
  idempotencyKey: string | undefined,
): Promise<SubmittedBatch> {
  requireRole(caller, 'send');
  const { store, clock } = batching;
  const { companyId, userId } = caller;
  const batch = await findBatch(store, caller, id);
  const now = clock.now();
  const requestHash = createHash('sha256').update(`failed of batch ${batch.id}`).digest('base64url');
  const repeatable = idempotencyKey === undefined ? undefined : { key: idempotencyKey, requestHash, now };
  const earlier = repeatable && (await store.read(findEarlier, { companyId, userId, ...repeatable }));
  if (earlier != null) return answerAgain(earlier) as SubmittedBatch;
  const sender = chooseSender(caller, batch.sender, batching.routes().senderOwners);
  const resent = { from: batch.id, after: batch.resentUntil, until: failedBy(batch, now) };
  const chunks = chunksOf({ batching, caller, batch, sender, resent });
  const source = {
    async next(): Promise<Finished> {
      const step = await chunks.next();
      return step.done === true ? { end: step.value } : { chunk: step.value };
    },
  };
  const submission = {
    from: sender,
    message: undefined,
    batchconversation: batch.conversation,
    costcenter: batch.costCenter,
    validminutes: batch.validityMinutes,
    defaultcountrycode: undefined,
    replacecharacters: false,
    holders: [],
    category: categoryOf(batch.category),
    name: nameAgain(batch.name),
  };
  const context = { batching, caller, submission, sender, repeatable, now, scheduledAt: null };
  return receive({ ...context, resent }, source);
}

const again = ' (again)';

/** Both batches stand in the list, and only one of them is the second. */
export function nameAgain(name: string): string {
  if (name === '' || name.endsWith(again)) return name;
  return name.slice(0, maxNameLength - again.length) + again;
}

/** Other nodes may still be storing failures that they have found, and their clocks may be behind. */
const settlingMs = 2_000;

/** The time up to which all failures are known: a moment ago while messages of the batch may still fail, otherwise now. */
function failedBy(batch: VisibleBatch, now: number): number {
  const { waiting, sent } = totalsOf(batch);
  return waiting + sent > 0 ? now - settlingMs : now;
}

interface ResentBatch {
  readonly batching: Batching;
  readonly caller: Caller;
  readonly batch: VisibleBatch;
  readonly sender: string;
  readonly resent: Resent;
}

/**
 * Messages that may have arrived or were sent again are not sent twice, and messages that may no longer be sent are left out.
 */
async function* chunksOf({
  batching: { store, routes },
  caller,
  batch,
  sender,
  resent: { after, until },
}: ResentBatch): AsyncGenerator<ReturnType<typeof chunkOf>, FinishedBatch> {
  const { allowedCountries, maxBatch, username } = caller;
  const isAllowed = allowedCountries === undefined ? () => true : countryRule(new Set(allowedCountries));
  const most = maxBatch ?? standardMaxRecipients;
  const sum = { messages: 0, parts: 0, duplicates: 0 };
  let rows: string[] = [];
  let characters = 0;
  for await (const page of failedInPages(store, caller, batch)) {
    for (const failed of page) {
      if (failed.changedAt <= after || failed.changedAt > until) continue;
      const carrierId = routes().carrierFor(failed.recipient, { sender, username });
      if (failed.mayHaveArrived === 1 || carrierId === undefined || !isAllowed(failed.recipient)) continue;
      sum.messages += 1;
      sum.parts += failed.parts;
      const row = rowOf(failed, carrierId);
      rows.push(row);
      characters += row.length;
      if (rows.length < chunkSize && characters < maxChunkCharacters) continue;
      yield chunkOf(rows);
      rows = [];
      characters = 0;
    }
    if (sum.messages > most) return { ...sum, failure: tooMany(most) };
  }
  if (sum.messages === 0)
    throw new ServiceError('no_recipients', {
      sentence: after > 0 ? 'nothing_failed_since' : 'nothing_failed',
      batch: batch.id,
    });
  if (rows.length > 0) yield chunkOf(rows);
  return { ...sum, failure: null };
}

function rowOf({ recipient, text, parts, conversation }: FailedRow, carrierId: number): string {
  const texts = { text: JSON.stringify(text), conversation: JSON.stringify(conversation) };
  return chunkRow({ recipient, parts, carrierId, ...texts });
}

function tooMany(most: number): NonNullable<FinishedBatch['failure']> {
  return { code: batchCode.tooManyRecipients, reason: storedReason({ sentence: 'resent_recipients', most }) };
}
