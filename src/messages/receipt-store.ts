/** What carriers tell of the parts they took, turned into the statuses of messages. */
import { groupedBy } from '../foundation/grouped.ts';
import { andEach, fromEach, raw, rowSet, sql } from '../storage/sql.ts';
import { type Transaction, writeVerb } from '../storage/verb.ts';
import { combineParts, isFinal, mayBecome, mayBecomeSql, status } from './message.ts';
import { park } from './parked-receipt-store.ts';
import {
  agrees,
  type Leftover,
  lookCloser,
  type Matched,
  matchPlainly,
  type StoredReceipt,
} from './receipt-match-store.ts';
import { keepEvents, type MessageEvent } from './timeline-store.ts';

/**
 * Stores receipts; those whose message is not known (yet) are parked. Answers with the places of receipts that it did
 * nothing with, because their part may have another form of their id: they are to be given again, with these forms.
 */
export const recordReceipts = writeVerb<readonly StoredReceipt[], readonly number[]>(
  'messages.recordReceipts',
  async (transaction, inputs) => {
    const leftovers = await applyReceipts(
      transaction,
      inputs.length === 1 ? (inputs[0] as readonly StoredReceipt[]) : inputs.flat(),
    );
    const wanting = new Set<StoredReceipt>();
    const parked: StoredReceipt[] = [];
    for (const { receipt } of leftovers) {
      if (receipt.mayHaveOtherIds && receipt.otherIds === undefined) wanting.add(receipt);
      else parked.push(receipt);
    }
    if (parked.length > 0) await park(transaction, parked);
    return inputs.map((receipts) =>
      wanting.size === 0 ? [] : receipts.flatMap((receipt, index) => (wanting.has(receipt) ? [index] : [])),
    );
  },
  (receipts) => receipts.length,
);

/** Answers with those that belong to no message, or to none that they may change. */
export async function applyReceipts(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly Leftover[]> {
  if (receipts.length === 0) return [];
  const plain = receipts.filter(({ otherIds }) => otherIds === undefined);
  const found = await matchPlainly(transaction, plain);
  await keepEvents(transaction, receiptEvents('receipt', found.noNews), 'to be locked');
  const unmoved = await applyMatched(transaction, found.matched, 'to be compared');
  const unknown = found.unknown.map((receipt) => ({ receipt, outdated: false }));
  const others =
    plain.length === receipts.length ? [] : receipts.filter(({ otherIds }) => otherIds !== undefined);
  const unclear = [...unmoved, ...others];
  if (unclear.length === 0) return unknown;
  const closer = await lookCloser(transaction, unclear);
  await applyMatched(transaction, closer.matched, 'agree');
  await keepEvents(transaction, receiptEvents('receipt ignored', closer.ignored), 'to be locked');
  return [...unknown, ...closer.leftovers];
}

/** Answers with the receipts that turned out to change nothing, or to speak of another number, if that is still open. */
async function applyMatched(
  transaction: Transaction,
  matched: readonly Matched[],
  numbers: 'to be compared' | 'agree',
): Promise<readonly StoredReceipt[]> {
  const single = matched.filter(({ parts }) => parts === 1);
  const changes = single.map((one) =>
    toChange(one, one.receipt.status, numbers === 'agree' ? undefined : one.receipt.recipient),
  );
  const multipart = matched.filter(({ parts }) => parts > 1);
  const unmoved: StoredReceipt[] = [];
  if (multipart.length > 0) {
    const combined = await combineMultipart(transaction, multipart);
    changes.push(...combined.changes);
    unmoved.push(...combined.unmoved);
  }
  const changed = await changeStatuses(transaction, changes);
  if (changed < changes.length) unmoved.push(...(await findUnmoved(transaction, single)));
  // The last word stands in the rows, what comes before it nowhere else.
  const further = matched.filter(({ receipt }) => !isFinal(receipt.status) && !unmoved.includes(receipt));
  await keepEvents(transaction, receiptEvents('receipt', further));
  return unmoved;
}

function receiptEvents(
  kind: 'receipt' | 'receipt ignored',
  matched: readonly Matched[],
): readonly MessageEvent[] {
  return matched.map(({ companyId, messageId, part, receipt }) => ({
    ...{ companyId, messageId, part, kind, at: receipt.receivedAt, carrierId: receipt.carrierId },
    ...{ status: receipt.status, errorCode: receipt.errorCode },
  }));
}

/** Company, message, new status, final?, time, reason, the number that it must have gone to. */
type Change = [number, number, number, number, number, string | null, string | null];

const codeReason = "the carrier's code is ";

/** The carrier's code for a message's status, by the reason that its receipt left. */
export function errorCodeOf(reason: string | null): string | null {
  return reason?.startsWith(codeReason) ? reason.slice(codeReason.length) : null;
}

function toChange({ companyId, messageId, receipt }: Matched, code: number, recipient?: string): Change {
  const { receivedAt, errorCode } = receipt;
  const reason = errorCode === null ? null : codeReason + errorCode;
  return [companyId, messageId, code, isFinal(code) ? 1 : 0, receivedAt, reason, recipient ?? null];
}

const changeColumns = {
  company_id: 'bigint',
  id: 'bigint',
  status: 'smallint',
  final: 'smallint',
  changed_at: 'bigint',
  reason: 'text',
  recipient: 'text',
} as const;

/**
 * The rule of the states stands in the statement: a change that comes too late changes nothing. Nor does one for a
 * message to another number. Answers with how many there were.
 */
async function changeStatuses(transaction: Transaction, changes: readonly Change[]): Promise<number> {
  let changed = 0;
  for (const round of rounds(changes)) {
    changed += await transaction.each(
      changeColumns,
      round,
      sql`UPDATE messages SET status = each.status, changed_at = each.changed_at, version = version + 1, unread = 1,
            expired_by_timer = 0, reason = each.reason,
            stage = CASE WHEN each.final = 1 THEN NULL ELSE messages.stage END,
            due_at = CASE WHEN each.final = 1 THEN NULL ELSE messages.due_at END
          ${fromEach}
          WHERE messages.company_id = each.company_id AND messages.id = each.id
            AND (each.recipient IS NULL OR messages.recipient = each.recipient)
            AND ${raw(mayBecomeSql('messages', 'each.status'))}`,
    );
  }
  return changed;
}

/** A statement may change a row once only: a message's further changes go into further rounds, in order. */
function rounds(changes: readonly Change[]): readonly (readonly Change[])[] {
  const result: Change[][] = [];
  const seen = new Map<number, number>();
  for (const change of changes) {
    const round = seen.get(change[1]) ?? 0;
    seen.set(change[1], round + 1);
    const changesOfRound = result[round] ?? [];
    result[round] = changesOfRound;
    changesOfRound.push(change);
  }
  return result;
}

/** Of receipts for messages of one part: those that did not make their message what it is now. */
async function findUnmoved(
  transaction: Transaction,
  matched: readonly Matched[],
): Promise<readonly StoredReceipt[]> {
  const rows = await transaction.allOfEach<{
    n: number;
    status: number;
    changed_at: number;
    recipient: string;
    sender: string;
  }>(
    { n: 'integer', company_id: 'bigint', id: 'bigint' },
    matched.map(({ companyId, messageId }, index) => [index, companyId, messageId]),
    sql`SELECT each.n AS n, messages.status, messages.changed_at, messages.recipient, messages.sender
        FROM messages ${andEach} WHERE messages.company_id = each.company_id AND messages.id = each.id`,
  );
  const moved = new Set<StoredReceipt>();
  for (const row of rows) {
    const { receipt } = matched[row.n] as Matched;
    if (row.status === receipt.status && row.changed_at === receipt.receivedAt && agrees(receipt, row)) {
      moved.add(receipt);
    }
  }
  return matched.map(({ receipt }) => receipt).filter((receipt) => !moved.has(receipt));
}

interface PartRow {
  readonly company_id: number;
  readonly message_id: number;
  readonly part: number;
  readonly recipient: string;
  readonly sender: string;
  status: number;
}

/** The parts of these messages, by message; nobody else changes them until this transaction ends. */
async function lockParts(
  transaction: Transaction,
  receipts: readonly Matched[],
): Promise<ReadonlyMap<number, readonly PartRow[]>> {
  const keys = [...new Map(receipts.map((one) => [one.messageId, [one.companyId, one.messageId]])).values()];
  const told = rowSet('told', { company_id: 'bigint', message_id: 'bigint' }, keys);
  if (transaction.dialect === 'postgres') {
    // Receipts for two parts of a message, in two transactions at once, would each see the other's part as open.
    await transaction.all(
      sql`SELECT messages.id FROM ${told}
          JOIN messages ON messages.company_id = told.company_id AND messages.id = told.message_id
          ORDER BY messages.company_id, messages.id FOR UPDATE OF messages`,
    );
  }
  const rows = await transaction.all<PartRow>(
    sql`SELECT message_parts.company_id, message_parts.message_id, message_parts.part, message_parts.status,
               messages.recipient, messages.sender
        FROM ${told}
        JOIN messages ON messages.company_id = told.company_id AND messages.id = told.message_id
        JOIN message_parts ON message_parts.company_id = told.company_id AND message_parts.message_id = told.message_id`,
  );
  return groupedBy(rows, (row) => row.message_id);
}

/** Parts keep their own status; the message's follows from all of them (a part not yet taken counts as open). */
async function combineMultipart(transaction: Transaction, matched: readonly Matched[]) {
  const parts = await lockParts(transaction, matched);
  const changed: (number | string | null)[][] = [];
  const changes: Change[] = [];
  const unmoved: StoredReceipt[] = [];
  for (const one of matched) {
    const { receipt } = one;
    const siblings = parts.get(one.messageId) as readonly PartRow[];
    const row = siblings.find((sibling) => sibling.part === one.part) as PartRow;
    if (!agrees(receipt, row) || !mayBecome({ status: row.status, expiredByTimer: false }, receipt.status)) {
      unmoved.push(receipt);
      continue;
    }
    row.status = receipt.status;
    const { company_id, message_id, part } = row;
    changed.push([company_id, message_id, part, row.status, receipt.receivedAt, receipt.errorCode]);
    const open: number[] = new Array(Math.max(0, one.parts - siblings.length)).fill(status.SENT);
    const combined = combineParts([...siblings.map((sibling) => sibling.status), ...open]);
    if (combined !== status.SENT) changes.push(toChange(one, combined));
  }
  await changeParts(transaction, changed);
  return { changes, unmoved };
}

const partChangeColumns = {
  company_id: 'bigint',
  message_id: 'bigint',
  part: 'smallint',
  status: 'smallint',
  changed_at: 'bigint',
  error_code: 'text',
} as const;

async function changeParts(
  transaction: Transaction,
  changed: readonly (number | string | null)[][],
): Promise<void> {
  // The last word on each part: of two receipts for one part in one set, the later was allowed to follow the earlier.
  const last = [...new Map(changed.map((row) => [`${row[1]}/${row[2]}`, row])).values()];
  await transaction.each(
    partChangeColumns,
    last,
    sql`UPDATE message_parts SET status = each.status, changed_at = each.changed_at, error_code = each.error_code
        ${fromEach}
        WHERE message_parts.company_id = each.company_id AND message_parts.message_id = each.message_id
          AND message_parts.part = each.part`,
  );
}
