/**
 * Cancels what of a sending no carrier has yet, or sends what waits for its time at another time. Both may be repeated: the
 * second call finds nothing left to do.
 */
import type { Visibility } from '../../accounts/visibility.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { forUpdate, literal, oneOf, raw, sql } from '../../storage/sql.ts';
import { refusable, singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { keepCallback } from '../callback.ts';
import { refundEnded } from '../charging.ts';
import { stage, status } from '../message.ts';
import { lockPool, moveLeases } from '../pool/leases.ts';
import { endsAs, isSentAt } from '../status-change.ts';
import { keepEvents } from '../timeline-store.ts';
import { findSending } from './sending.ts';

interface SendingAct extends Visibility, ActingUser {
  /** The id of any message of the sending. */
  readonly id: number;
  readonly now: number;
}

/** This many messages are canceled in one transaction. */
export const canceledPerStep = 500;

/**
 * Cancels the next messages and returns how many; null when no such sending is visible. A message that a carrier may have
 * goes on.
 */
export const cancelOfSending = refusable(
  singleWriteVerb(
    'messages.cancelOfSending',
    async (transaction, { id, username, session, now: at, ...of }: SendingAct): Promise<number | null> => {
      const { companyId } = of;
      const sending = await findSending(transaction, { ...of, id });
      if (sending === undefined) return null;
      const stages = [stage.scheduled, stage.waiting, stage.retrying, stage.paused].join(', ');
      const isWaiting = sql`stage IN (${raw(stages)})`;
      // Locked in the order of their key, as all that ends messages does.
      const rows = await transaction.all<{ id: number }>(
        sql`SELECT id FROM messages
            WHERE company_id = ${companyId} AND id >= ${sending.id} AND id < ${sending.id + sending.messages}
              AND ${isWaiting} ORDER BY id LIMIT ${canceledPerStep} ${forUpdate}`,
      );
      if (rows.length === 0) return 0;
      const ids = rows.map((row) => row.id);
      const ended = sql`CASE WHEN status = ${literal(status.SCHEDULED)} THEN ${literal(status.CANCELED)}
        ELSE ${literal(status.DELETED)} END`;
      const reason = storedReason({ sentence: 'cancelled_by', user: username });
      await transaction.run(
        sql`UPDATE messages SET ${endsAs(ended, at, reason)}
            WHERE company_id = ${companyId} AND id ${oneOf('bigint', ids)} AND ${isWaiting}`,
      );
      await refundEnded(
        transaction,
        ids.map((one) => [companyId, one]),
      );
      const by = byUser({ username, session });
      const object = String(sending.id);
      await recordAct(transaction, {
        companyId,
        at,
        by,
        act: 'sending.cancel',
        object,
        details: { sentence: 'sms_count', sms: ids.length },
      });
      return ids.length;
    },
    () => canceledPerStep,
  ),
);

interface Rescheduling extends SendingAct {
  readonly time: number;
}

export type RescheduledSending =
  | 'rescheduled'
  | 'notFound'
  /** The time has come, or nothing of the sending waits for one. */
  | 'tooLate'
  /** At that time, somebody else waits for answers on a number that one of the SMS is sent from. */
  | 'numberTaken';

/** All that waits gets the new time, or nothing does. */
export const rescheduleSending = refusable(
  singleWriteVerb(
    'messages.rescheduleSending',
    async (transaction, { id, time, now, ...by }: Rescheduling): Promise<RescheduledSending> => {
      await lockPool(transaction);
      const { companyId, userId } = by;
      const sending = await findSending(transaction, { companyId, userId, id });
      if (sending === undefined) return 'notFound';
      const isWaiting = sql`company_id = ${companyId} AND id >= ${sending.id} AND id < ${sending.id + sending.messages}
        AND status = ${literal(status.SCHEDULED)} AND stage = ${literal(stage.scheduled)}`;
      const waiting = await transaction.all<WaitingRow>(
        sql`SELECT id, recipient, sender, due_at AS "dueAt", expires_at AS "expiresAt" FROM messages
            WHERE ${isWaiting} ORDER BY id ${forUpdate}`,
      );
      // From its time on, some of the messages may already be under way.
      const { scheduledAt } = sending;
      if (scheduledAt === null || scheduledAt <= now || waiting.length === 0) return 'tooLate';
      if (scheduledAt === time && waiting.every(({ dueAt }) => dueAt === time)) return 'rescheduled';
      const moved = waiting.map(({ dueAt, ...row }) => ({
        ...row,
        startsAt: time,
        expiresAt: row.expiresAt + time - dueAt,
      }));
      if (!(await moveLeases(transaction, moved, now))) return 'numberTaken';
      await transaction.run(sql`UPDATE messages SET ${isSentAt(time)} WHERE ${isWaiting}`);
      const expiresAt = Math.max(...moved.map((row) => row.expiresAt));
      // The first message of the sending may have been cancelled, and purged.
      const [first] = moved as [(typeof moved)[number]];
      await keepCallback(transaction, { companyId, id: first.id, expiresAt });
      await transaction.run(
        sql`UPDATE sendings SET scheduled_at = ${time}, answers_until = answers_until + ${time - scheduledAt}
            WHERE company_id = ${companyId} AND id = ${sending.id}`,
      );
      await noteRescheduled(transaction, { ...by, id: sending.id, time, now }, waiting);
      return 'rescheduled';
    },
    () => canceledPerStep,
  ),
);

interface WaitingRow {
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly dueAt: number;
  readonly expiresAt: number;
}

async function noteRescheduled(
  transaction: Transaction,
  { companyId, id, username, session, time, now: at }: Rescheduling,
  waiting: readonly WaitingRow[],
): Promise<void> {
  const reason = storedReason({ sentence: 'rescheduled_by', user: username });
  await keepEvents(
    transaction,
    waiting.map((row) => ({ companyId, messageId: row.id, at, kind: 'rescheduled', againAt: time, reason })),
  );
  await recordAct(transaction, {
    companyId,
    at,
    by: byUser({ username, session }),
    act: 'sending.reschedule',
    object: String(id),
    details: { sentence: 'to_time', time: new Date(time).toISOString() },
  });
}
