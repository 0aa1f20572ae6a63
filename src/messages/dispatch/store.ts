/** A message's way through a carrier, in sets: claimed by a node, then waiting, with the carrier, or at its end. */
import { fromEach, literal, raw, sql } from '../../storage/sql.ts';
import { type Transaction, writeVerb } from '../../storage/verb.ts';
import { plainId } from '../../wire/smpp/message-id.ts';
import { refundEnded } from '../charging.ts';
import { charge, stage, status } from '../message.ts';
import type { OutcomeRecord } from '../outcome.ts';
import { tellLaterParts } from '../receipts/later-parts-store.ts';
import { park, unpark } from '../receipts/parked-store.ts';
import { applyReceipts } from '../receipts/store.ts';
import { giveReferences, withReferences } from '../sending/references-store.ts';
import { countSimulated } from '../simulated.ts';
import { statusBecomesWhere } from '../status-change.ts';
import { type ClaimAnswer, type ClaimInput, type ClaimWithDropped, claimRoom } from './claim-store.ts';
import { keepOutcomeEvents } from './outcome-events.ts';

/** Marks waiting messages as in flight at a node, longest due first. From here on a crash leaves them in doubt. */
export const claimMessages = writeVerb<ClaimInput, ClaimAnswer>(
  'messages.claim',
  async (transaction, claims) => {
    const claimings: ClaimWithDropped[] = [];
    for (const claim of claims) claimings.push(await claimRoom(transaction, claim));
    const dropped = claimings.flatMap((one) => one.dropped.map((row) => [row.company_id, row.id]));
    if (dropped.length > 0) await refundEnded(transaction, dropped);
    const answers = claimings.map(({ dropped: _, ...answer }): ClaimAnswer => answer);
    const all = answers.flatMap(({ messages }) => messages);
    const lacking = all.filter(({ parts, reference }) => parts > 1 && reference === null);
    if (lacking.length === 0) return answers;
    const given = await giveReferences(transaction, lacking);
    return answers.map((answer) => ({ ...answer, messages: withReferences(answer.messages, given) }));
  },
  ({ room }) => room,
);

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
 * Only the node that holds the claim may move a message on: one that was taken for dead comes too late, and so does a
 * second try of a record that was stored at the first, when the message has been claimed again since.
 */
export const recordOutcomes = writeVerb<OutcomeRecord, null>(
  'messages.recordOutcomes',
  async (transaction, records) => {
    const moved = await advanceMessages(transaction, records);
    await insertTaken(transaction, records, moved);
    await countSimulated(transaction, records.flatMap(simulatedIn(moved)));
    await keepOutcomeEvents(transaction, records, moved);
    await refundUnsent(transaction, records);
    await tellLaterParts(transaction, records);
    await applyParked(transaction, records);
    return records.map(() => null);
  },
  ({ advances }) => advances.length,
);

/** Returns the messages that moved, and when each was claimed. */
async function advanceMessages(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
): Promise<ReadonlyMap<number, number>> {
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
  const moved = await transaction.allOfEach<{ id: number; claimed_at: number }>(
    advanceColumns,
    rows,
    sql`UPDATE messages SET
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
          AND messages.node_id = each.node_id AND messages.attempts = each.attempts
        RETURNING messages.id, messages.claimed_at`,
  );
  return new Map(moved.map(({ id, claimed_at }) => [id, claimed_at]));
}

/** What a node that came too late had handed over stays unknown: it must not take the place of what was sent instead. */
async function insertTaken(
  transaction: Transaction,
  records: readonly OutcomeRecord[],
  moved: ReadonlyMap<number, unknown>,
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

function simulatedIn(moved: ReadonlyMap<number, unknown>) {
  return ({ isSimulator = false, taken }: OutcomeRecord) =>
    isSimulator ? taken.filter(({ messageId }) => moved.has(messageId)) : [];
}

/** Messages that ended without any carrier having had them cost nothing. */
async function refundUnsent(transaction: Transaction, records: readonly OutcomeRecord[]): Promise<void> {
  const ended = records.flatMap(({ advances }) =>
    advances.filter((advance) => advance.stage === null).map((advance) => [advance.companyId, advance.id]),
  );
  if (ended.length > 0) await refundEnded(transaction, ended);
}

/**
 * Receipts that came before their submission was stored find it now. Where the rule of ids converts, they wait without
 * zeros in front and capitals, whatever the answer has.
 */
async function applyParked(transaction: Transaction, records: readonly OutcomeRecord[]): Promise<void> {
  const ids = records.flatMap(({ carrierId, taken }) =>
    taken.flatMap(({ carrierMessageId: id }) =>
      [...new Set([id, plainId(id)])].map((carrierMessageId) => ({ carrierId, carrierMessageId })),
    ),
  );
  if (ids.length === 0) return;
  const any = await transaction.first(sql`SELECT 1 AS found FROM parked_receipts LIMIT 1`);
  if (any === undefined) return;
  const now = Math.min(...records.map((record) => record.now));
  const leftovers = await applyReceipts(transaction, await unpark(transaction, ids, now));
  const receipts = leftovers.map(({ receipt }) => receipt);
  if (receipts.length > 0) await park(transaction, receipts);
}
