/**
 * Applies the effects of time to messages: postponed ones become due, waiting ones expire, and missing receipts are given up.
 */
import { storedReason } from '../../foundation/sentences.ts';
import { amongUnlocked, type Fragment, literal, raw, type Sql, sql } from '../../storage/sql.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { refundEnded } from '../charging.ts';
import { lane, maxRetryMs, stage, status } from '../message.ts';
import { endsAs, statusBecomesWhere } from '../status-change.ts';
import { type EventKind, keepEvents } from '../timeline-store.ts';

interface Moved {
  readonly company_id: number;
  readonly id: number;
}

function eventsOf(rows: readonly Moved[], kind: EventKind, at: number, reason: string | null = null) {
  return rows.map(({ company_id: companyId, id: messageId }) => ({ companyId, messageId, at, kind, reason }));
}

export interface Sweep {
  readonly now: number;
  readonly limit: number;
}

/**
 * The stages that may become due, in this order, so that interactive messages never wait behind batches: all batch messages
 * of a night may become due at one moment.
 */
const dues = [lane.interactive, lane.bulk].flatMap((of) => [
  { of, from: stage.scheduled, wasSetBack: false },
  { of, from: stage.retrying, wasSetBack: false },
  { of, from: stage.retrying, wasSetBack: true },
]);

/**
 * The due messages of one queue for each carrier that has any, as one index range per carrier, read in index order. If
 * PostgreSQL expects many due messages, it would otherwise read all messages to find a few of any carrier.
 */
async function dueLines(
  transaction: Transaction,
  { at, of, isDue }: { readonly at: number; readonly of: number; readonly isDue: Sql },
): Promise<readonly Sql[]> {
  const line = (carrier: Fragment | number) => sql`messages WHERE messages.carrier_id = ${carrier}
    AND stage = ${literal(at)} AND lane = ${literal(of)} AND ${isDue} ORDER BY due_at, company_id, id`;
  const carriers = await transaction.all<{ id: number }>(
    sql`SELECT id FROM carriers WHERE (SELECT 1 FROM ${line(raw('carriers.id'))} LIMIT 1) = 1 ORDER BY id`,
  );
  return carriers.map(({ id }) => line(id));
}

/** SCHEDULED becomes QUEUED when its time has come, and messages to be retried wait again. Returns how many were released. */
export const releaseDue = singleWriteVerb(
  'messages.releaseDue',
  async (transaction, { now, limit }: Sweep) => {
    let released = 0;
    for (const { of, from, wasSetBack } of dues) {
      if (released >= limit) break;
      const isDue = wasSetBack ? sql`due_at > ${now + maxRetryMs}` : sql`due_at <= ${now}`;
      for (const line of await dueLines(transaction, { at: from, of, isDue })) {
        if (released >= limit) break;
        const due = await release(transaction, sql`${line} LIMIT ${limit - released}`, now);
        released += due.length;
        // No event is needed for a retried message that waits again, since the next claim shows it.
        if (from === stage.scheduled) await keepEvents(transaction, eventsOf(due, 'due', now));
      }
    }
    return released;
  },
  ({ limit }) => limit,
);

async function release(transaction: Transaction, those: Sql, now: number): Promise<readonly Moved[]> {
  const isScheduled = sql`status = ${literal(status.SCHEDULED)}`;
  return transaction.all<Moved>(
    sql`UPDATE messages SET stage = ${stage.waiting},
          ${statusBecomesWhere(isScheduled, literal(status.QUEUED), now)}
        WHERE ${amongUnlocked('company_id, id', those)} RETURNING company_id, id`,
  );
}

/** A message that no carrier took in time becomes EXPIRED. */
export const expireWaiting = singleWriteVerb(
  'messages.expireWaiting',
  async (transaction, { now, limit }: Sweep) => {
    const reason = storedReason({ sentence: 'validity_over' });
    const rows = await transaction.all<Moved>(
      sql`UPDATE messages SET ${endsAs(status.EXPIRED, now, reason)}, expired_by_timer = 1
        WHERE ${amongUnlocked(
          'company_id, id',
          sql`messages WHERE stage = ${literal(stage.waiting)} AND expires_at <= ${now}
              ORDER BY expires_at LIMIT ${limit}`,
        )}
        RETURNING company_id, id`,
    );
    await refundEnded(
      transaction,
      rows.map((row) => [row.company_id, row.id]),
    );
    await keepEvents(transaction, eventsOf(rows, 'expired', now, reason));
    return rows.length;
  },
  ({ limit }) => limit,
);

/**
 * Long after its validity, SENT without a receipt becomes EXPIRED; an unclear status stays as it is, but is no longer waited
 * for.
 */
export const giveUpReceipts = singleWriteVerb(
  'messages.giveUpReceipts',
  async (transaction, { now, limit }: Sweep) => {
    const isSent = sql`status = ${literal(status.SENT)}`;
    const noReceipt = storedReason({ sentence: 'no_receipt' });
    const rows: (Moved & { expired_by_timer: number })[] = [];
    for (const from of [lane.interactive, lane.bulk]) {
      const overdue = { at: stage.awaitingReceipt, of: from, isDue: sql`due_at <= ${now}` };
      for (const line of await dueLines(transaction, overdue)) {
        if (rows.length >= limit) break;
        rows.push(
          ...(await transaction.all<Moved & { expired_by_timer: number }>(
            sql`UPDATE messages SET stage = NULL, due_at = NULL,
                  ${statusBecomesWhere(isSent, literal(status.EXPIRED), now)},
                  expired_by_timer = CASE WHEN ${isSent} THEN 1 ELSE 0 END,
                  reason = CASE WHEN ${isSent} THEN ${noReceipt} ELSE reason END
                WHERE ${amongUnlocked('company_id, id', sql`${line} LIMIT ${limit - rows.length}`)}
                RETURNING company_id, id, expired_by_timer`,
          )),
        );
      }
    }
    const [expired, unclear] = [1, 0].map((by) => rows.filter((row) => row.expired_by_timer === by));
    await keepEvents(transaction, [
      ...eventsOf(expired ?? [], 'expired', now, noReceipt),
      ...eventsOf(unclear ?? [], 'given up', now, storedReason({ sentence: 'no_further_receipt' })),
    ]);
    return rows.length;
  },
  ({ limit }) => limit,
);
