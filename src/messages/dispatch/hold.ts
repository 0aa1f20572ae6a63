/**
 * Holds back messages of batches outside of the hours in which their company sends: they wait for these, or are dropped.
 * Single SMS go at any hour.
 */
import { groupedBy } from '../../foundation/grouped.ts';
import { amongFirst, literal, oneOf, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { stage, status } from '../message.ts';
import { endsAs } from '../status-change.ts';
import { keepEvents } from '../timeline-store.ts';

/** What becomes of what comes before the hours begin. */
export interface Closed {
  readonly opensAt: number;
  /** It is dropped, instead of waiting for them. */
  readonly drops: boolean;
  readonly reason: string;
}

/** Hours that some companies keep, and that are over for now. */
export interface ClosedHours extends Closed {
  readonly companyIds: readonly number[];
  /** When they begin can not be told here: what is held already stays as it is. */
  readonly isGuessed?: boolean;
}

/** Where a node is told of them. */
export interface KeepsHours {
  /** Absent: every company sends at any hour. */
  readonly closedHours?: (now: number) => readonly ClosedHours[];
}

export interface Holding {
  readonly companyId: number;
  readonly closed: Closed;
  readonly ids: readonly number[];
  readonly now: number;
  /** Only what waits there is held; absent: for a carrier. */
  readonly from?: number;
}

/**
 * Answers with those that were held. They stay QUEUED, and their validity counts from the opening on, as that of a message
 * with a send time does. What has expired by now is left to expire. What is dropped is yet to be refunded: quotas are
 * locked once in a transaction, so that no two deadlock.
 */
export async function hold(
  transaction: Transaction,
  { companyId, closed, ids, now, from = stage.waiting }: Holding,
): Promise<ReadonlySet<number>> {
  const { opensAt, drops, reason } = closed;
  // By the plus, the indexes of what waits and of what expires are left alone, which are many times as long as the list of ids.
  const held = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET ${drops ? endsAs(literal(status.DELETED), now, reason) : putOff(now, opensAt)},
          attempts = attempts - ${literal(from === stage.inFlight ? 1 : 0)}, node_id = NULL
        WHERE ${amongFirst(
          'company_id, id',
          sql`messages WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}
              AND +stage = ${literal(from)} AND batch_id IS NOT NULL AND +expires_at > ${now}`,
        )}
        RETURNING id`,
  );
  if (!drops) {
    const told = { companyId, at: now, kind: 'held', againAt: opensAt, reason } as const;
    await keepEvents(
      transaction,
      held.map(({ id: messageId }) => ({ ...told, messageId })),
    );
  }
  return new Set(held.map(({ id }) => id));
}

/** How long messages of a batch are valid stands with their batch alone. */
function putOff(now: number, opensAt: number) {
  return sql`stage = ${literal(stage.scheduled)}, due_at = ${opensAt}, expires_at = COALESCE((
      SELECT ${opensAt} + 60000 * CAST(batches.validity_minutes AS BIGINT) FROM batches
      WHERE batches.company_id = messages.company_id AND batches.id = messages.batch_id
    ), expires_at + ${opensAt - now})`;
}

interface Claimed {
  readonly company_id: number;
  readonly id: number;
}

export interface Sifted<Row> {
  /** May go now. */
  readonly open: readonly Row[];
  /** Was held or dropped in the same transaction. */
  readonly held: readonly Row[];
  /** Of these; to be refunded. */
  readonly dropped: readonly Row[];
}

/** Of messages just claimed. */
export async function holdClosed<Row extends Claimed>(
  transaction: Transaction,
  claimed: readonly Row[],
  closedHours: readonly ClosedHours[],
  now: number,
): Promise<Sifted<Row>> {
  if (claimed.length === 0 || closedHours.length === 0) return { open: claimed, held: [], dropped: [] };
  // There are far more companies than have messages in one claim.
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
