/**
 * Holds messages that a claim finds but must not send now. Batch messages outside their company's send hours wait for the
 * next opening or are dropped; those of paused batches that have returned to waiting are put aside. Single SMS are sent at
 * any hour.
 */
import { groupedBy } from '../../foundation/grouped.ts';
import { amongUnlocked, forShare, literal, oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { stage, status } from '../message.ts';
import { endsAs } from '../status-change.ts';
import { keepEvents } from '../timeline-store.ts';

/** Why messages are held, until when, and whether they are dropped instead. */
export interface HoldReason {
  readonly opensAt: number;
  /** Whether messages are dropped instead of waiting. */
  readonly drops: boolean;
  readonly reason: string;
}

/** Companies that share the same send hours and are closed now. */
export interface ClosedHours extends HoldReason {
  readonly companyIds: readonly number[];
  /** Whether this node does not know the opening time, so that messages already held stay as they are. */
  readonly isGuessed?: boolean;
}

/** Tells dispatch which companies are closed. */
export interface KeepsHours {
  /** Absent when all companies send at any hour. */
  readonly closedHours?: (now: number) => readonly ClosedHours[];
}

export interface HoldInput {
  readonly companyId: number;
  readonly closed: HoldReason;
  readonly ids: readonly number[];
  readonly now: number;
  /** The stage of the messages to hold; by default, waiting for a carrier. */
  readonly from?: number;
}

/**
 * Returns the ids of the messages that were held or, if `closed.drops`, ended as DELETED. Held messages stay QUEUED, and
 * their validity counts from the opening, as a scheduled message's does from its send time. Messages whose validity is
 * over are left to expire. The caller must refund the dropped messages: quotas are locked once per transaction, so that
 * no two transactions deadlock.
 */
export async function hold(
  transaction: Transaction,
  { companyId, closed, ids, now, from = stage.waiting }: HoldInput,
): Promise<ReadonlySet<number>> {
  const { opensAt, drops, reason } = closed;
  // The plus keeps the engines from using the indexes of waiting and expiring messages, which are far longer than the list of
  // ids.
  const held = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET ${drops ? endsAs(literal(status.DELETED), now, reason) : postpone(now, opensAt)},
          attempts = attempts - ${literal(from === stage.inFlight ? 1 : 0)}, node_id = NULL
        WHERE ${amongUnlocked(
          'company_id, id',
          sql`messages WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}
              AND +stage = ${literal(from)} AND batch_id IS NOT NULL AND +expires_at > ${now}`,
        )}
        RETURNING id`,
  );
  if (!drops) {
    const event = { companyId, at: now, kind: 'held', againAt: opensAt, reason } as const;
    await keepEvents(
      transaction,
      held.map(({ id: messageId }) => ({ ...event, messageId })),
    );
  }
  return new Set(held.map(({ id }) => id));
}

/** The validity of a batch's messages is stored only with the batch. */
function postpone(now: number, opensAt: number) {
  return sql`stage = ${literal(stage.scheduled)}, due_at = ${opensAt}, expires_at = COALESCE((
      SELECT ${opensAt} + 60000 * CAST(batches.validity_minutes AS BIGINT) FROM batches
      WHERE batches.company_id = messages.company_id AND batches.id = messages.batch_id
    ), expires_at + ${opensAt - now})`;
}

interface HoldCandidate {
  readonly company_id: number;
  readonly id: number;
}

export interface ClaimSplit<Row> {
  /** The messages that may be sent now. */
  readonly open: readonly Row[];
  /** The messages that were held or dropped in the same transaction. */
  readonly held: readonly Row[];
  /** The dropped ones among them, which the caller refunds. */
  readonly dropped: readonly Row[];
}

/** Splits messages just claimed into those that may be sent and those that are held. */
export async function holdClosed<Row extends HoldCandidate>(
  transaction: Transaction,
  claimed: readonly Row[],
  closedHours: readonly ClosedHours[],
  now: number,
): Promise<ClaimSplit<Row>> {
  if (claimed.length === 0 || closedHours.length === 0) return { open: claimed, held: [], dropped: [] };
  // Grouped first, since the messages of a claim belong to far fewer companies than may be closed.
  const open = groupedBy(claimed, (row) => row.company_id);
  const held: Row[] = [];
  const dropped: Row[] = [];
  for (const closed of closedHours) {
    for (const companyId of closed.companyIds) {
      const rows = open.get(companyId);
      if (rows === undefined) continue;
      const ids = rows.map(({ id }) => id);
      const those = await hold(transaction, { companyId, closed, ids, now, from: stage.inFlight });
      const gone = rows.filter(({ id }) => those.has(id));
      held.push(...gone);
      if (closed.drops) dropped.push(...gone);
    }
  }
  const heldIds = new Set(held.map(({ id }) => id));
  return { open: claimed.filter(({ id }) => !heldIds.has(id)), held, dropped };
}

export interface PausedBatch {
  readonly companyId: number;
  readonly id: number;
}

/** Tells dispatch which batches are paused, as far as this node knows. */
export interface KnowsPaused {
  /** Absent when none are. */
  readonly pausedBatches?: () => readonly PausedBatch[];
}

/** The batches that really are paused: messages put aside after their batch was resumed would wait forever. */
export async function stillPaused(
  transaction: Transaction,
  batches: readonly PausedBatch[],
): Promise<readonly PausedBatch[]> {
  if (batches.length === 0) return [];
  const keys = rowSet(
    'known',
    { company_id: 'bigint', id: 'bigint' },
    batches.map(({ companyId, id }) => [companyId, id]),
  );
  // Locked before any message, as in the steps of a batch, so that no two transactions deadlock and nobody resumes the batch
  // meanwhile.
  return transaction.all<PausedBatch>(
    sql`SELECT company_id AS "companyId", id FROM batches
        WHERE (company_id, id) IN (SELECT company_id, id FROM ${keys}) AND paused = 1
        ORDER BY company_id, id ${forShare}`,
  );
}

/** Returns the ids of the messages put aside. */
export async function putClaimedAside(
  transaction: Transaction,
  claimed: readonly { readonly company_id: number; readonly id: number }[],
  paused: readonly PausedBatch[],
  now: number,
): Promise<ReadonlySet<number>> {
  const companies = new Set(paused.map(({ companyId }) => companyId));
  const keys = claimed.filter((row) => companies.has(row.company_id)).map((row) => [row.company_id, row.id]);
  if (keys.length === 0) return new Set();
  const batchIds = paused.map(({ id }) => id);
  const aside = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET stage = ${literal(stage.paused)}, due_at = ${now}, node_id = NULL, attempts = attempts - 1
        FROM ${rowSet('claimed', { company_id: 'bigint', id: 'bigint' }, keys)}
        WHERE messages.company_id = claimed.company_id AND messages.id = claimed.id
          AND +messages.stage = ${literal(stage.inFlight)} AND +messages.batch_id ${oneOf('bigint', batchIds)}
        RETURNING messages.id`,
  );
  return new Set(aside.map(({ id }) => id));
}
