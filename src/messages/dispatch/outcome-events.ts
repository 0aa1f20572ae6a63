/** What carriers' answers add to the timelines of messages: nothing where they took all, which the rows tell themselves. */
import { rowSet, sql } from '../../storage/sql.ts';
import type { Transaction } from '../../storage/verb.ts';
import { stage, status } from '../message.ts';
import type { Advance, OutcomeRecord } from '../outcome.ts';
import { type EventKind, keepEvents, type MessageEvent } from '../timeline-store.ts';

/** `moved` has the times of the claims of the messages that moved on, by their ids. */
export async function keepOutcomeEvents(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
  moved: ReadonlyMap<number, number>,
): Promise<void> {
  const events: MessageEvent[] = [];
  let isAnyLate = false;
  for (const { nodeId, carrierId, now, advances } of records) {
    for (const advance of advances) {
      const claimedAt = moved.get(advance.id);
      if (claimedAt === undefined) isAnyLate = true;
      if (claimedAt === undefined || advance.status === status.SENT) continue;
      const { companyId, id: messageId, attempts: attempt, reason } = advance;
      events.push({
        companyId,
        messageId,
        at: now,
        kind: kindOf(advance),
        carrierId,
        reason,
        attempt,
        nodeId,
        claimedAt,
        againAt: advance.dueAt,
        status: advance.stage === null && !advance.expiredByTimer ? advance.status : null,
      });
    }
  }
  await keepEvents(transaction, events);
  if (isAnyLate) await keepLateAnswers(transaction, records, moved);
}

function kindOf(advance: Advance): EventKind {
  if (advance.expiredByTimer) return 'expired';
  if (advance.stage === stage.waiting) return 'given back';
  if (advance.stage === stage.retrying) return advance.inDoubt ? 'in doubt' : 'retry';
  return advance.status === status.UNKNOWN ? 'in doubt' : 'refused';
}

/**
 * Parts that a carrier took for a node which had lost its claim by then, so that they may have been sent twice. A record
 * that comes a second time, since the answer to the first was lost, has its parts in the store already.
 */
async function keepLateAnswers(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
  moved: ReadonlyMap<number, number>,
): Promise<void> {
  const late = records.flatMap(({ nodeId, carrierId, taken, advances }) => {
    const attempts = new Map(advances.map((advance) => [advance.id, advance.attempts]));
    return taken
      .filter(({ messageId }) => !moved.has(messageId))
      .map((part) => ({ ...part, nodeId, carrierId, attempt: attempts.get(part.messageId) ?? 0 }));
  });
  if (late.length === 0) return;
  const keys = late.map(({ companyId, messageId, part }) => [companyId, messageId, part]);
  const known = await transaction.all<{ message_id: number; part: number; carrier_message_id: string }>(
    sql`SELECT message_parts.message_id, message_parts.part, message_parts.carrier_message_id
        FROM ${rowSet('late', { company_id: 'bigint', id: 'bigint', part: 'smallint' }, keys)}
        JOIN message_parts ON message_parts.company_id = late.company_id AND message_parts.message_id = late.id
          AND message_parts.part = late.part`,
  );
  const stored = new Set(known.map((row) => `${row.message_id}/${row.part}/${row.carrier_message_id}`));
  await keepEvents(
    transaction,
    late
      .filter((one) => !stored.has(`${one.messageId}/${one.part}/${one.carrierMessageId}`))
      .map(({ companyId, messageId, part, carrierId, carrierMessageId, nodeId, attempt, answeredAt }) => ({
        companyId,
        messageId,
        part,
        at: answeredAt,
        kind: 'late answer' as const,
        nodeId,
        attempt,
        carrierId,
        carrierMessageId,
        reason: 'others had the message by then: it may have been sent twice',
      })),
    'to be locked',
  );
}
