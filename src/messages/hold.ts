/**
 * Holds back messages of batches outside of the hours in which their company sends: they wait for these, or are dropped.
 * Single SMS go at any hour.
 */
import { amongFirst, literally, oneOf, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { refundEnded } from './charging.ts';
import { stage, status } from './message.ts';
import { keepEvents } from './timeline-store.ts';

/** A company whose batches must not be sent just now. */
export interface ClosedCompany {
  readonly companyId: number;
  /** When they may be; null: what waits until then is dropped. */
  readonly opensAt: number | null;
  readonly reason: string;
}

/** Where a node is told of them. */
export interface KeepsHours {
  /** Absent: every company sends at any hour. */
  readonly closedCompanies?: (now: number) => readonly ClosedCompany[];
}

export interface Holding {
  readonly company: ClosedCompany;
  readonly ids: readonly number[];
  readonly now: number;
  /** Only what waits there is held; absent: for a carrier. */
  readonly from?: number;
}

/**
 * Answers with those that were held. They stay QUEUED, and their validity counts from the opening on, as that of a message
 * with a send time does. What has expired by now is left to expire.
 */
export async function hold(
  transaction: Transaction,
  { company, ids, now, from = stage.waiting }: Holding,
): Promise<ReadonlySet<number>> {
  const { companyId, opensAt, reason } = company;
  const held = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET ${opensAt === null ? dropped(now, reason) : putOff(now, opensAt)},
          attempts = attempts - ${literally(from === stage.inFlight ? 1 : 0)}, node_id = NULL
        WHERE ${amongFirst(
          'company_id, id',
          sql`messages WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)}
              AND stage = ${literally(from)} AND batch_id IS NOT NULL AND expires_at > ${now}`,
        )}
        RETURNING id`,
  );
  if (opensAt === null) {
    await refundEnded(
      transaction,
      held.map(({ id }) => [companyId, id]),
    );
  } else {
    const told = { companyId, at: now, kind: 'held', againAt: opensAt, reason } as const;
    await keepEvents(
      transaction,
      held.map(({ id: messageId }) => ({ ...told, messageId })),
    );
  }
  return new Set(held.map(({ id }) => id));
}

function dropped(now: number, reason: string) {
  return sql`status = ${literally(status.DELETED)}, stage = NULL, due_at = NULL, changed_at = ${now},
    version = version + 1, unread = 1, reason = ${reason}`;
}

function putOff(now: number, opensAt: number) {
  return sql`stage = ${literally(stage.scheduled)}, due_at = ${opensAt}, expires_at = COALESCE((
      SELECT ${opensAt} + 60000 * CAST(batches.validity_minutes AS BIGINT) FROM batches
      WHERE batches.company_id = messages.company_id AND batches.id = messages.batch_id
    ), expires_at + ${opensAt - now})`;
}

/** Those of the messages just claimed that may go now; the others are held in the same transaction. */
export async function holdClosed<Row extends { readonly company_id: number; readonly id: number }>(
  transaction: Transaction,
  claimed: readonly Row[],
  closedCompanies: readonly ClosedCompany[],
  now: number,
): Promise<readonly Row[]> {
  let open = claimed;
  for (const company of closedCompanies) {
    const ids = open.flatMap((row) => (row.company_id === company.companyId ? [row.id] : []));
    if (ids.length === 0) continue;
    const held = await hold(transaction, { company, ids, now, from: stage.inFlight });
    open = open.filter(({ id }) => !held.has(id));
  }
  return open;
}
