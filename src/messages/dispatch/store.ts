/** A message's way through a carrier, in sets: claimed by a node, then waiting, with the carrier, or at its end. */
import { fromEach, literally, sql } from '../../storage/sql.ts';
import { type Transaction, writeVerb } from '../../storage/verb.ts';
import { plainId } from '../../wire/smpp/message-id.ts';
import { refundEnded } from '../charging.ts';
import { charge, stage, status } from '../message.ts';
import { park, unpark } from '../receipts/parked-store.ts';
import { applyReceipts } from '../receipts/store.ts';
import { giveReferences, withReferences } from '../sending/references-store.ts';
import { type Claiming, claimRoom } from './claim-store.ts';
import type { ClosedHours } from './hold.ts';
import { keepOutcomeEvents } from './outcome-events.ts';

export interface Claim {
  readonly carrierId: number;
  readonly nodeId: number;
  /** SMS parts: messages are taken until theirs come to this, the last one with all it has. */
  readonly room: number;
  /** All that is said of SMS parts here is meant of messages, but for `mostParts`. */
  readonly countsMessages?: boolean;
  /** Where messages are counted: they are taken until theirs come to so many, over both lanes. */
  readonly mostParts?: number;
  /** Of these parts, so many are bulk when so much bulk waits, however many interactive messages do. */
  readonly bulkFloor: number;
  /** Bulk of their companies is held instead of claimed; absent: none. */
  readonly closedHours?: readonly ClosedHours[];
  readonly now: number;
}

/** A message as dispatch needs it. */
export interface Claimed {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly flash: number;
  readonly parts: number;
  readonly expires_at: number;
  readonly attempts: number;
  /** How often it was in doubt. */
  readonly in_doubt: number;
  /** Null where there is one part. */
  readonly reference: number | null;
}

export interface ClaimAnswer {
  readonly messages: readonly Claimed[];
  /** Parts that bulk has by its floor: more than that when its last message has many. */
  readonly floorParts: number;
  /** Messages that were held instead: others may wait behind them, so that the next claim is due at once. */
  readonly held: number;
}

/** Marks waiting messages as in flight at a node, longest due first. From here on a crash leaves them in doubt. */
export const claimMessages = writeVerb<Claim, ClaimAnswer>(
  'messages.claim',
  async (transaction, claims) => {
    const claimings: Claiming[] = [];
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

/** A part that a carrier took, with the id it gave. */
export interface TakenPart {
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
  readonly carrierMessageId: string;
  /** When it was written to the carrier, where the carrier knows. */
  readonly submittedAt: number | null;
  readonly answeredAt: number;
}

/** Where a message goes after its carrier answered. */
export interface Advance {
  readonly companyId: number;
  readonly id: number;
  /** The claim that this is the end of, by its number. */
  readonly attempts: number;
  readonly status: number;
  readonly stage: number | null;
  /** Null where it has ended, and where it waits again: then its place is by its age. */
  readonly dueAt: number | null;
  /** A carrier has it, or may have it: it is paid for. */
  readonly handedOver: boolean;
  readonly inDoubt: boolean;
  readonly expiredByTimer: boolean;
  readonly reason: string | null;
}

export interface OutcomeRecord {
  readonly nodeId: number;
  readonly carrierId: number;
  readonly now: number;
  readonly taken: readonly TakenPart[];
  readonly advances: readonly Advance[];
}

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
 * second try of a record that was stored at the first, when the message has been claimed anew since.
 */
export const recordOutcomes = writeVerb<OutcomeRecord, null>(
  'messages.recordOutcomes',
  async (transaction, records) => {
    const moved = await advanceMessages(transaction, records);
    await insertTaken(transaction, records, moved);
    await keepOutcomeEvents(transaction, records, moved);
    await refundUnsent(transaction, records);
    await applyParked(transaction, records);
    return records.map(() => null);
  },
  ({ advances }) => advances.length,
);

/** Answers with the messages that moved, and when each was claimed. */
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
          version = version + CASE WHEN messages.status <> each.status THEN 1 ELSE 0 END,
          unread = CASE WHEN messages.status <> each.status THEN 1 ELSE unread END,
          changed_at = CASE WHEN messages.status <> each.status THEN each.changed_at ELSE messages.changed_at END,
          status = each.status, stage = each.stage, claimed_at = messages.due_at,
          due_at = CASE WHEN each.stage = ${literally(stage.waiting)} THEN messages.created_at ELSE each.due_at END,
          charge = CASE WHEN each.charge = ${literally(charge.due)} THEN each.charge ELSE messages.charge END,
          in_doubt = messages.in_doubt + each.in_doubt,
          expired_by_timer = each.expired_by_timer,
          reason = each.reason
        ${fromEach}
        WHERE messages.company_id = each.company_id AND messages.id = each.id
          AND +messages.stage = ${literally(stage.inFlight)}
          AND messages.node_id = each.node_id AND messages.attempts = each.attempts
        RETURNING messages.id, messages.claimed_at`,
  );
  return new Map(moved.map(({ id, claimed_at }) => [id, claimed_at]));
}

/** What a node that came too late had handed over stays unknown, lest it take the place of what was sent instead. */
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
