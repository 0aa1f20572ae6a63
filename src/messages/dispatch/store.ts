/** Records the outcomes of claimed messages in sets: each message is then with the carrier, waiting again, or ended. */
import { storedReason } from '../../foundation/sentences.ts';
import { andEach, fromEach, literal, orFail, raw, rowSet, sql } from '../../storage/sql.ts';
import { byKeys, packed, type Transaction, writeVerb } from '../../storage/verb.ts';
import { plainId } from '../../wire/smpp/message-id.ts';
import { refundEnded } from '../charging.ts';
import { charge, stage, status } from '../message.ts';
import { type Advance, type OutcomeRecord, outcomeRecords } from '../outcome.ts';
import { park, unpark } from '../receipts/parked-store.ts';
import { applyReceipts, tellLaterParts } from '../receipts/store.ts';
import { countSimulated } from '../simulated.ts';
import { statusBecomesWhere } from '../status-change.ts';
import { type EventKind, keepEvents, type MessageEvent } from '../timeline-store.ts';

const partColumns = {
  company_id: 'bigint',
  message_id: 'bigint',
  part: 'smallint',
  parts: 'smallint',
  carrier_id: 'bigint',
  carrier_message_id: 'text',
  status: 'smallint',
  changed_at: 'bigint',
  submitted_at: 'bigint',
  answered_at: 'bigint',
} as const;

const advanceColumns = {
  company_id: 'bigint',
  id: 'bigint',
  node_id: 'bigint',
  attempts: 'integer',
  status: 'smallint',
  stage: 'smallint',
  due_at: 'bigint',
  charge: 'smallint',
  in_doubt: 'smallint',
  expired_by_timer: 'smallint',
  reason: 'text',
  changed_at: 'bigint',
} as const;

/**
 * Only the node that holds the claim may advance a message. A node that was taken for dead comes too late, and so does
 * a retry of an outcome that was stored the first time, if the message has been claimed again since.
 */
export const recordOutcomes = packed(
  outcomeRecords,
  byKeys(
    writeVerb<OutcomeRecord, null>(
      'messages.recordOutcomes',
      async (transaction, records) => {
        const [moved, isAnyParked] = await Promise.all([
          advanceMessages(transaction, records),
          isParkedAny(transaction),
        ]);
        await insertTaken(transaction, records, moved);
        await countSimulated(transaction, records.flatMap(simulatedIn(moved)));
        await keepOutcomeEvents(transaction, records, moved);
        await refundUnsent(transaction, records);
        await tellLaterParts(transaction, records);
        if (isAnyParked) await applyParked(transaction, records);
        return records.map(() => null);
      },
      ({ advances }) => advances.length,
    ),
  ),
);

const advancing = sql`UPDATE ${orFail} messages SET
    ${statusBecomesWhere(raw('messages.status <> each.status'), raw('each.status'), raw('each.changed_at'))},
    stage = each.stage, claimed_at = messages.due_at,
    due_at = CASE WHEN each.stage = ${literal(stage.waiting)} THEN messages.created_at ELSE each.due_at END,
    charge = CASE WHEN each.charge = ${literal(charge.due)} THEN each.charge ELSE messages.charge END,
    in_doubt = messages.in_doubt + each.in_doubt,
    expired_by_timer = each.expired_by_timer,
    reason = each.reason
  ${fromEach}
  WHERE messages.company_id = each.company_id AND messages.id = each.id
    AND +messages.stage = ${literal(stage.inFlight)}
    AND messages.node_id = each.node_id AND messages.attempts = each.attempts`;

/** Returns the ids of the messages that advanced. */
async function advanceMessages(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
): Promise<ReadonlySet<number>> {
  const rows = records.flatMap(({ nodeId, now, advances }) =>
    advances.map((advance) => [
      advance.companyId,
      advance.id,
      nodeId,
      advance.attempts,
      advance.status,
      advance.stage,
      advance.dueAt,
      advance.handedOver ? charge.due : charge.reserved,
      advance.inDoubt ? 1 : 0,
      advance.expiredByTimer ? 1 : 0,
      advance.reason,
      now,
    ]),
  );
  const moved = await transaction.whichOfEach(advanceColumns, rows, advancing);
  return new Set(moved.map((place) => rows[place]?.[1] as number));
}

/** Parts that a late node handed over are not recorded, since they must not replace what was sent instead. */
async function insertTaken(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
  moved: ReadonlySet<number>,
): Promise<void> {
  const rows = records.flatMap(({ carrierId, now, taken }) =>
    taken
      .filter(({ messageId }) => moved.has(messageId))
      .map(({ companyId, messageId, part, parts, carrierMessageId, submittedAt, answeredAt }) => [
        companyId,
        messageId,
        part,
        parts,
        carrierId,
        carrierMessageId,
        status.SENT,
        now,
        submittedAt,
        answeredAt,
      ]),
  );
  await transaction.insert('message_parts', partColumns, rows, 'ON CONFLICT DO NOTHING');
}

function simulatedIn(moved: ReadonlySet<number>) {
  return ({ isSimulator = false, taken }: OutcomeRecord) =>
    isSimulator ? taken.filter(({ messageId }) => moved.has(messageId)) : [];
}

/**
 * Adds the carriers' responses to the timelines of messages. If the carrier took all parts, nothing is added, since the rows
 * themselves show it. `moved` holds the ids of the messages that advanced.
 */
async function keepOutcomeEvents(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
  moved: ReadonlySet<number>,
): Promise<void> {
  const events: MessageEvent[] = [];
  const unusual = records.flatMap(({ advances }) =>
    advances.filter((advance) => advance.status !== status.SENT && moved.has(advance.id)),
  );
  const claimTimes = await claimTimesOf(transaction, unusual);
  for (const { nodeId, carrierId, now, advances } of records) {
    for (const advance of advances) {
      const claimedAt = claimTimes.get(advance.id);
      if (claimedAt === undefined) continue;
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
  const isAnyLate = records.some(({ advances }) => advances.some(({ id }) => !moved.has(id)));
  if (isAnyLate) await keepLateAnswers(transaction, records, moved);
}

async function claimTimesOf(
  transaction: Transaction,
  advances: readonly Advance[],
): Promise<ReadonlyMap<number, number>> {
  const claimed = await transaction.allOfEach<{ id: number; claimed_at: number }>(
    { company_id: 'bigint', id: 'bigint' },
    advances.map(({ companyId, id }) => [companyId, id]),
    sql`SELECT messages.id, messages.claimed_at FROM messages ${andEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id`,
  );
  return new Map(claimed.map(({ id, claimed_at }) => [id, claimed_at]));
}

function kindOf(advance: Advance): EventKind {
  if (advance.expiredByTimer) return 'expired';
  if (advance.stage === stage.waiting) return 'given back';
  if (advance.stage === stage.retrying) return advance.inDoubt ? 'in doubt' : 'retry';
  return advance.status === status.UNKNOWN ? 'in doubt' : 'refused';
}

/**
 * Parts that a carrier took for a node that had lost its claim meanwhile, so that they may have been sent twice. The
 * parts of a record that arrives a second time, because the first response was lost, are already stored.
 */
async function keepLateAnswers(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
  moved: ReadonlySet<number>,
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
        reason: storedReason({ sentence: 'late_answer' }),
      })),
    'to be locked',
  );
}

/** Messages that ended without being handed to any carrier are free of charge. */
async function refundUnsent(transaction: Transaction, records: readonly OutcomeRecord[]): Promise<void> {
  const ended = records.flatMap(({ advances }) =>
    advances.filter((advance) => advance.stage === null).map((advance) => [advance.companyId, advance.id]),
  );
  if (ended.length > 0) await refundEnded(transaction, ended);
}

/**
 * Asked together with the first change, which saves PostgreSQL a round trip. A receipt that another transaction parks meanwhile
 * is retried on its own.
 */
async function isParkedAny(transaction: Transaction): Promise<boolean> {
  return (await transaction.first(sql`SELECT 1 AS found FROM parked_receipts LIMIT 1`)) !== undefined;
}

/**
 * Applies receipts that arrived before their submission was stored. If the id rule converts ids, they wait without leading
 * zeros or capitals, whatever the response contains.
 */
async function applyParked(transaction: Transaction, records: readonly OutcomeRecord[]): Promise<void> {
  const ids = records.flatMap(({ carrierId, taken }) =>
    taken.flatMap(({ carrierMessageId: id }) =>
      [...new Set([id, plainId(id)])].map((carrierMessageId) => ({ carrierId, carrierMessageId })),
    ),
  );
  if (ids.length === 0) return;
  const now = Math.min(...records.map((record) => record.now));
  const leftovers = await applyReceipts(transaction, await unpark(transaction, ids, now));
  const receipts = leftovers.map(({ receipt }) => receipt);
  if (receipts.length > 0) await park(transaction, receipts);
}
