/**
 * Takes a batch from received to done, in steps of one short transaction each. Any node can take the next step of any batch,
 * because everything that a step depends on is in the rows that it locks and changes.
 */
import { type Account, findAccount } from '../../accounts/account.ts';
import { findCompany, zonedHours } from '../../accounts/company-records.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { insertBulk, letGo, partsByCarrier, putAside, takeBack } from '../../messages/bulk-messages.ts';
import { type CostRefused, changesOfUse, monthOf, openQuotas, refundQuota } from '../../messages/charging.ts';
import { logBulk } from '../../messages/message-log.ts';
import { leaseBlock } from '../../storage/ids.ts';
import { byDialect, literal, skipLocked, sql } from '../../storage/sql.ts';
import { readVerb, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { type BatchCode, batchCode, chunkSize } from '../batch.ts';
import type { SendWindow } from '../hours/send-window.ts';
import {
  type BatchInSteps,
  type BatchKey,
  clearing,
  finished,
  finishedRows,
  hasNextStep,
  keyOf,
} from './batch-in-steps.ts';

/** How often a batch that waits for its send hours is checked, because they may be changed and the clock may be set. */
const recheckMs = 60_000;

/** A batch that has a next step. */
export interface BatchUnderWay extends BatchKey {
  /** Above 0 while all messages of the batch are being processed: withdrawn, paused or released. */
  readonly clearing: number;
}

/**
 * Batches whose next step may be taken now: a number of the least advanced, and as many of the oldest, which are never
 * crowded out of the list. Withdrawals come first, then the least advanced.
 */
export const listUnderWay = readVerb(
  'batches.listUnderWay',
  async (reading, { now, limit }: { readonly now: number; readonly limit: number }) => {
    const ready = sql`SELECT company_id AS "companyId", id, clearing, next_chunk FROM batches
      WHERE ${hasNextStep} AND (not_before <= ${now} OR not_before > ${now + recheckMs})`;
    const rows = await reading.all<BatchUnderWay & { next_chunk: number }>(
      sql`SELECT * FROM (${ready} ORDER BY clearing DESC, next_chunk, id LIMIT ${limit}) AS least_advanced
          UNION SELECT * FROM (${ready} ORDER BY id LIMIT ${limit}) AS oldest
          ORDER BY clearing DESC, next_chunk, id`,
    );
    return rows.map(({ companyId, id, clearing }): BatchUnderWay => ({ companyId, id, clearing }));
  },
);

type Made = Extract<BatchStep, { kind: 'made' }>;

export type BatchStep =
  /** Another node is working on the batch, or there is nothing left to do. */
  | { readonly kind: 'passed' }
  | {
      readonly kind: 'made';
      readonly code: BatchCode;
      /** Carriers that have messages to send now. */
      readonly carrierIds: readonly number[];
      /** What was expanded into messages in this step; absent when nothing was. */
      readonly expanded?: { readonly messages: number; readonly parts: number };
    }
  /** Nothing was done, because the step depends on whether these hours (in their stored form) are open. */
  | { readonly kind: 'asks'; readonly sendHours: string };

/** Whether a company's send hours are open, decided by the caller: the time library is too slow for the writer thread. */
export interface CurrentSendHours {
  /** The stored form of the hours, to see whether they have changed since. */
  readonly sendHours: string;
  readonly window: SendWindow;
}

interface AdvanceInput extends BatchKey {
  readonly now: number;
  /** Absent until a step asks for them. */
  readonly hours?: CurrentSendHours | undefined;
  /** Whether the changes of the messages that the step makes are written to the journal. */
  readonly listened?: boolean;
}

/** Takes the next step of a batch. */
export const advanceBatch = singleWriteVerb(
  'batches.advance',
  async (transaction, { companyId, id, now, hours, listened = false }: AdvanceInput): Promise<BatchStep> => {
    // A batch that another node is working on is skipped.
    const batch = await transaction.first<BatchInSteps>(
      sql`SELECT company_id, id, user_id, code, failure_code, cost_center, messages, parts, chunks, next_chunk, expanded,
            first_message_id, started_at, scheduled_at, validity_minutes, category, clearing, clear_from, clear_again_from
          FROM batches WHERE company_id = ${companyId} AND id = ${id} AND ${hasNextStep} ${skipLocked}`,
    );
    if (batch === undefined) return { kind: 'passed' };
    if (batch.clearing === clearing.takingBack) {
      await clear(transaction, batch, now);
      return made(batch.code);
    }
    if (batch.clearing !== clearing.nothing)
      return made(batch.code, await walkPaused(transaction, batch, now));
    if (batch.code === batchCode.received) {
      await transaction.run(
        sql`UPDATE batches SET code = ${batchCode.validating}, changed_at = ${now} WHERE ${keyOf(batch)}`,
      );
      return made(batchCode.validating);
    }
    const company = await findCompany(transaction, companyId);
    const sendHours = company && zonedHours(company);
    if (sendHours !== undefined && sendHours !== hours?.sendHours) return { kind: 'asks', sendHours };
    const window = sendHours === undefined ? null : (hours?.window ?? null);
    if (batch.code === batchCode.validating) return judge(transaction, batch, now, window);
    return expandNext(transaction, batch, now, window, listened);
  },
  () => chunkSize,
);

function made(code: BatchCode, carrierIds: readonly number[] = []): Made {
  return { kind: 'made', code, carrierIds };
}

/** Everything that can fail a batch does so here, before the first message is made (API: Batch status, codes 11 to 15). */
async function judge(
  transaction: Transaction,
  batch: BatchInSteps,
  now: number,
  window: SendWindow | null,
): Promise<BatchStep> {
  if (batch.failure_code !== null) return end(transaction, batch, now, batch.failure_code, null);
  const owner = await findAccount(transaction, { id: batch.user_id });
  const denied = whyDenied(owner);
  if (denied !== undefined) return end(transaction, batch, now, batchCode.accessDenied, denied);
  if (batch.scheduled_at !== null && batch.scheduled_at > now)
    return waitUntil(transaction, batch, Math.min(batch.scheduled_at, now + recheckMs));
  if (window?.kind === 'drop')
    return end(transaction, batch, now, batchCode.sendTimeRestricted, window.reason);
  if (window?.kind === 'opensAt') return waitUntil(transaction, batch, Math.min(window.at, now + recheckMs));
  if (window?.kind === 'unknown') return waitUntil(transaction, batch, window.until);
  return start(transaction, batch, now);
}

async function waitUntil(
  transaction: Transaction,
  batch: BatchInSteps,
  notBefore: number,
): Promise<BatchStep> {
  await transaction.run(sql`UPDATE batches SET not_before = ${notBefore} WHERE ${keyOf(batch)}`);
  return made(batch.code);
}

function whyDenied(owner: Account | undefined): string | undefined {
  if (owner === undefined) return 'the account no longer exists';
  const { user, company } = owner;
  if (!user.active) return `the account ${user.username} is no longer active`;
  if (!company.active) return 'the company is no longer active';
  return user.roles.includes('send') ? undefined : `the account ${user.username} no longer has the role send`;
}

/** Charges the quota for the whole batch or not at all, and leases the ids of its messages. */
async function start(transaction: Transaction, batch: BatchInSteps, now: number): Promise<BatchStep> {
  const use = {
    companyId: batch.company_id,
    userId: batch.user_id,
    costCenter: batch.cost_center,
    messages: batch.messages,
    parts: batch.parts,
    month: monthOf(now),
  };
  const quotas = await openQuotas(transaction, [use]);
  const refused = quotas.take(use, now, 'batch');
  if (refused !== undefined)
    return end(transaction, batch, now, batchCode.quotaExceeded, whyRefused(refused, batch.parts));
  await transaction.together([...changesOfUse([use]), ...quotas.changesOfRate()]);
  const firstId = await leaseBlock(transaction, { kind: 'message', size: Math.max(1, batch.messages) });
  const code = batch.chunks === 0 ? batchCode.ok : batchCode.processing;
  await transaction.run(
    sql`UPDATE batches SET code = ${code}, changed_at = ${now}, started_at = ${now}, not_before = 0,
          first_message_id = ${firstId}
        WHERE ${keyOf(batch)}`,
  );
  return made(code);
}

function whyRefused(refused: CostRefused, parts: number): string {
  if (refused.kind === 'quotaExceeded') return storedReason({ sentence: 'batch_quota', parts });
  const { holder, over } = refused;
  const most = over.limit;
  return storedReason(
    over.kind === 'never'
      ? { sentence: 'batch_parts_never', holder, most, parts }
      : { sentence: 'batch_parts_left', holder, most, left: over.left, parts },
  );
}

/** The stored chunks are removed in separate steps. */
async function end(
  transaction: Transaction,
  batch: BatchInSteps,
  now: number,
  code: BatchCode,
  reason: string | null,
): Promise<BatchStep> {
  await transaction.run(
    sql`UPDATE batches SET code = ${code}, reason = COALESCE(${reason}, reason), changed_at = ${now}, not_before = 0,
          clearing = ${batch.chunks === 0 ? 0 : 1}
        WHERE ${keyOf(batch)}`,
  );
  return made(code);
}

/** The send hours may end during expansion; the rest then waits for the next opening, or is dropped. */
function expandNext(
  transaction: Transaction,
  batch: BatchInSteps,
  now: number,
  window: SendWindow | null,
  listened: boolean,
): Promise<BatchStep> {
  if (window?.kind === 'drop')
    return end(transaction, batch, now, batchCode.sendTimeRestricted, window.reason);
  if (window?.kind === 'unknown') return waitUntil(transaction, batch, window.until);
  const opensAt = window?.kind === 'opensAt' ? window.at : null;
  return expandChunk(transaction, batch, now, opensAt, listened);
}

const place = byDialect({ sqlite: 'finished_row.key', postgres: '(finished_row.number - 1)' });

/**
 * `opensAt` is the send time of the chunk's messages. On SQLite this takes two thirds of the time that reading the
 * chunk and inserting its rows with one prepared statement each would take, and even less compared with rows that come
 * from another thread.
 */
async function expandChunk(
  transaction: Transaction,
  batch: BatchInSteps,
  now: number,
  opensAt: number | null,
  listened: boolean,
): Promise<BatchStep> {
  const { company_id, id, next_chunk, expanded, chunks } = batch;
  const message = {
    company_id: sql`batches.company_id`,
    id: sql`batches.first_message_id + batches.expanded + ${place}`,
    user_id: sql`batches.user_id`,
    batch_id: sql`batches.id`,
    recipient: finished('recipient'),
    sender: sql`batches.sender`,
    text: finished('text'),
    parts: sql`CAST(${finished('parts')} AS SMALLINT)`,
    conversation: finished('conversation'),
    cost_center: sql`batches.cost_center`,
    created_at: sql`batches.started_at`,
    // Not based on `started_at`, because the batch may have been paused since.
    expires_at: sql`${opensAt ?? now} + 60000 * CAST(batches.validity_minutes AS BIGINT)`,
    carrier_id: sql`CAST(${finished('carrierId')} AS BIGINT)`,
    ...(batch.category !== null && { category: literal(batch.category) }),
  };
  const inserted = await transaction.run(
    sql`${insertBulk(message, { now, opensAt, listened })}
        FROM batches CROSS JOIN batch_chunks CROSS JOIN ${finishedRows}
        WHERE ${keyOf(batch)} AND batch_chunks.batch_id = ${id} AND batch_chunks.chunk = ${next_chunk}`,
  );
  const total = expanded + inserted;
  const isLast = next_chunk + 1 >= chunks;
  // Ids beyond the batch's block belong to other messages.
  if (inserted === 0 || total > batch.messages || (isLast && total !== batch.messages)) {
    throw new Error(`chunk ${next_chunk} of ${chunks} brings it to ${total} of ${batch.messages} messages`);
  }
  const code = isLast ? batchCode.ok : batchCode.processing;
  await transaction.run(
    sql`UPDATE batches SET next_chunk = ${next_chunk + 1}, expanded = ${total}, code = ${code},
          changed_at = CASE WHEN code = ${code} THEN changed_at ELSE ${now} END
        WHERE ${keyOf(batch)}`,
  );
  await transaction.run(sql`DELETE FROM batch_chunks WHERE batch_id = ${id} AND chunk = ${next_chunk}`);
  const firstId = (batch.first_message_id as number) + expanded;
  const range = { companyId: company_id, firstId, count: inserted };
  await logBulk(transaction, range);
  const lines = await partsByCarrier(transaction, range);
  return {
    ...made(code, opensAt === null ? lines.map(({ carrier_id }) => carrier_id) : []),
    expanded: { messages: inserted, parts: lines.reduce((sum, { parts }) => sum + parts, 0) },
  };
}

/** How many messages one step examines. */
const maxExaminedPerStep = 200;
/** How many chunks one step removes; fewer when their quota must be refunded. */
const maxRemovedPerStep = 10;
const maxRefundedPerStep = 4;
/** Carriers usually answer within this time. */
const walkAgainAfterMs = 1_000;

/**
 * Withdraws the rest of a batch that has ended: messages not yet handed to a carrier become DELETED, chunks that were never
 * expanded are removed, and the quota of both is refunded. A message in flight may come back to waiting, so the pass is
 * repeated from the first message in flight until there are none.
 */
export async function clear(transaction: Transaction, batch: BatchInSteps, now: number): Promise<void> {
  if (batch.clear_from < batch.expanded) return walkTakingBack(transaction, batch, now);
  if (batch.next_chunk < batch.chunks) return removeChunks(transaction, batch);
  if (batch.clear_again_from !== null) {
    await transaction.run(
      sql`UPDATE batches SET clear_from = clear_again_from, clear_again_from = NULL, not_before = ${now + walkAgainAfterMs}
          WHERE ${keyOf(batch)}`,
    );
    return;
  }
  await transaction.run(sql`UPDATE batches SET clearing = 0, not_before = 0 WHERE ${keyOf(batch)}`);
}

async function walkTakingBack(transaction: Transaction, batch: BatchInSteps, now: number): Promise<void> {
  const { company_id, clear_from: from, expanded } = batch;
  const firstId = batch.first_message_id as number;
  const to = Math.min(from + maxExaminedPerStep, expanded);
  const range = { companyId: company_id, firstId: firstId + from, count: to - from };
  const openId = await takeBack(
    transaction,
    range,
    now,
    storedReason({ sentence: 'taken_back_with_batch', batch: batch.id }),
  );
  const again = batch.clear_again_from ?? (openId === undefined ? null : openId - firstId);
  await transaction.run(
    sql`UPDATE batches SET clear_from = ${to}, clear_again_from = ${again} WHERE ${keyOf(batch)}`,
  );
}

async function removeChunks(transaction: Transaction, batch: BatchInSteps): Promise<void> {
  const { id, next_chunk, chunks, started_at } = batch;
  const to = Math.min(chunks, next_chunk + (started_at === null ? maxRemovedPerStep : maxRefundedPerStep));
  const those = sql`batch_chunks.batch_id = ${id} AND batch_chunks.chunk < ${to}`;
  if (started_at !== null) {
    const cost = await transaction.first<{ messages: number; parts: number }>(
      sql`SELECT COUNT(*) AS messages, COALESCE(SUM(CAST(${finished('parts')} AS BIGINT)), 0) AS parts
          FROM batch_chunks CROSS JOIN ${finishedRows} WHERE ${those}`,
    );
    const { company_id: companyId, user_id: userId, cost_center: costCenter } = batch;
    if (cost !== undefined)
      await refundQuota(transaction, [
        { companyId, userId, costCenter, month: monthOf(started_at), ...cost },
      ]);
  }
  await transaction.run(sql`DELETE FROM batch_chunks WHERE ${those}`);
  await transaction.run(sql`UPDATE batches SET next_chunk = ${to} WHERE ${keyOf(batch)}`);
}

/**
 * Sets aside the waiting messages of a paused batch, and releases them when it is resumed. Messages in flight may come back to
 * waiting later; a claim then sets them aside (`messages/dispatch/paused.ts`).
 *
 *   waiting, retrying, scheduled ──the batch is paused──▶ paused ──it is resumed──▶ waiting
 *
 * Returns the carriers that have messages to send now.
 */
async function walkPaused(
  transaction: Transaction,
  batch: BatchInSteps,
  now: number,
): Promise<readonly number[]> {
  const { company_id: companyId, clear_from: from, clear_again_from: againFrom, expanded } = batch;
  if (from >= expanded) {
    const after = againFrom === null ? clearing.nothing : batch.clearing;
    await transaction.run(
      sql`UPDATE batches SET clearing = ${after}, clear_from = ${againFrom ?? 0}, clear_again_from = NULL
          WHERE ${keyOf(batch)}`,
    );
    return [];
  }
  const firstId = batch.first_message_id as number;
  const to = Math.min(from + maxExaminedPerStep, expanded);
  const range = { companyId, firstId: firstId + from, count: to - from };
  let carrierIds: readonly number[] = [];
  let again = againFrom;
  if (batch.clearing === clearing.puttingAside) await putAside(transaction, range, now);
  else {
    const letGoNow = await letGo(transaction, range, now, batch.validity_minutes);
    carrierIds = letGoNow.carrierIds;
    again ??= letGoNow.openId === undefined ? null : letGoNow.openId - firstId;
  }
  await transaction.run(
    sql`UPDATE batches SET clear_from = ${to}, clear_again_from = ${again} WHERE ${keyOf(batch)}`,
  );
  return carrierIds;
}

/** A step that fails repeatedly, without the store being at fault, ends only its own batch (code 10). */
export const failBatch = singleWriteVerb(
  'batches.fail',
  async (
    transaction,
    { companyId, id, now, reason }: BatchKey & { readonly now: number; readonly reason: string },
  ): Promise<boolean> => {
    const changed = await transaction.run(
      sql`UPDATE batches SET code = ${batchCode.unexpectedError}, reason = ${reason}, changed_at = ${now},
            not_before = 0, paused = 0, clearing = 1, clear_from = 0, clear_again_from = NULL
          WHERE company_id = ${companyId} AND id = ${id} AND code IN (1, 2, 3)`,
    );
    return changed === 1;
  },
);
