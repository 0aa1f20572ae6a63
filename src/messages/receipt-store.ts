/** What carriers tell of the parts they took: matched by the carrier's id, and turned into a message's status. */
import { andEach, fromEach, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import { singleWriteVerb, type Transaction, writeVerb } from '../storage/verb.ts';
import { combineParts, isFinal, mayBecome, mayBecomeSql, status } from './message.ts';

export interface StoredReceipt {
  readonly carrierId: number;
  readonly carrierMessageId: string;
  /** A status code. */
  readonly status: number;
  readonly errorCode: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/**
 * A receipt may come before the answer to its submission is stored, by seconds mostly. One that has waited longer than
 * this belongs to none that is still to come: its carrier uses ids again.
 */
const parkedWorthMs = 15 * 60 * 1_000;

/** Stores receipts; those whose message is not known (yet) are parked. */
export const recordReceipts = writeVerb<readonly StoredReceipt[], null>(
  'messages.recordReceipts',
  async (transaction, inputs) => {
    await applyReceipts(
      transaction,
      inputs.length === 1 ? (inputs[0] as readonly StoredReceipt[]) : inputs.flat(),
    );
    return inputs.map(() => null);
  },
  (receipts) => receipts.length,
);

interface Matched extends StoredReceipt {
  readonly companyId: number;
  readonly messageId: number;
  readonly part: number;
  readonly parts: number;
}

export async function applyReceipts(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  const { matched, unmatched } = await matchReceipts(transaction, receipts);
  await parkReceipts(transaction, unmatched);
  const single = matched.filter(({ parts }) => parts === 1);
  const changes = single.map((receipt) => toChange(receipt, receipt.status));
  const multipart = matched.filter(({ parts }) => parts > 1);
  if (multipart.length > 0) changes.push(...(await combineMultipart(transaction, multipart)));
  await changeStatuses(transaction, changes);
}

/** Carriers use ids again: of several parts with the same id, the newest message is meant. */
async function matchReceipts(transaction: Transaction, receipts: readonly StoredReceipt[]) {
  const keys = receipts.map(({ carrierId, carrierMessageId }, index) => [index, carrierId, carrierMessageId]);
  const found = await transaction.allOfEach<{
    n: number;
    company_id: number;
    message_id: number;
    part: number;
    parts: number;
  }>(
    { n: 'integer', carrier_id: 'bigint', carrier_message_id: 'text' },
    keys,
    sql`SELECT each.n AS n, message_parts.company_id, message_parts.message_id, message_parts.part, message_parts.parts
        FROM message_parts ${andEach}
        WHERE message_parts.carrier_id = each.carrier_id
          AND message_parts.carrier_message_id = each.carrier_message_id`,
  );
  const matches = new Map<number, (typeof found)[number]>();
  for (const row of found) {
    const other = matches.get(row.n);
    if (other === undefined || other.message_id < row.message_id) matches.set(row.n, row);
  }
  const matched: Matched[] = [];
  const unmatched: StoredReceipt[] = [];
  receipts.forEach((receipt, index) => {
    const row = matches.get(index);
    if (row === undefined) unmatched.push(receipt);
    else
      matched.push({
        ...receipt,
        companyId: row.company_id,
        messageId: row.message_id,
        part: row.part,
        parts: row.parts,
      });
  });
  return { matched, unmatched };
}

const parkedColumns = {
  carrier_id: 'bigint',
  carrier_message_id: 'text',
  received_at: 'bigint',
  status: 'smallint',
  error_code: 'text',
} as const;

async function parkReceipts(transaction: Transaction, receipts: readonly StoredReceipt[]): Promise<void> {
  const rows = receipts.map((one) => [
    one.carrierId,
    one.carrierMessageId,
    one.receivedAt,
    one.status,
    one.errorCode,
  ]);
  await transaction.insert('parked_receipts', parkedColumns, rows, 'ON CONFLICT DO NOTHING');
}

/** Company, message, new status, final?, time, reason. */
type Change = [number, number, number, number, number, string | null];

const codeReason = "the carrier's code is ";

/** The carrier's code for a message's status, by the reason that its receipt left. */
export function errorCodeOf(reason: string | null): string | null {
  return reason?.startsWith(codeReason) ? reason.slice(codeReason.length) : null;
}

function toChange(receipt: Matched, code: number): Change {
  const { companyId, messageId, receivedAt, errorCode } = receipt;
  const reason = errorCode === null ? null : codeReason + errorCode;
  return [companyId, messageId, code, isFinal(code) ? 1 : 0, receivedAt, reason];
}

const changeColumns = {
  company_id: 'bigint',
  id: 'bigint',
  status: 'smallint',
  final: 'smallint',
  changed_at: 'bigint',
  reason: 'text',
} as const;

/** The rule of the states stands in the statement: a change that comes too late changes nothing. */
async function changeStatuses(transaction: Transaction, changes: readonly Change[]): Promise<void> {
  for (const round of rounds(changes)) {
    await transaction.each(
      changeColumns,
      round,
      sql`UPDATE messages SET status = each.status, changed_at = each.changed_at, version = version + 1, unread = 1,
            expired_by_timer = 0, reason = each.reason,
            stage = CASE WHEN each.final = 1 THEN NULL ELSE messages.stage END,
            due_at = CASE WHEN each.final = 1 THEN NULL ELSE messages.due_at END
          ${fromEach}
          WHERE messages.company_id = each.company_id AND messages.id = each.id
            AND ${raw(mayBecomeSql('messages', 'each.status'))}`,
    );
  }
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

interface PartRow {
  readonly company_id: number;
  readonly message_id: number;
  readonly part: number;
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
    sql`SELECT message_parts.company_id, message_parts.message_id, message_parts.part, message_parts.status
        FROM ${told}
        JOIN message_parts ON message_parts.company_id = told.company_id AND message_parts.message_id = told.message_id`,
  );
  const parts = new Map<number, PartRow[]>();
  for (const row of rows) {
    const siblings = parts.get(row.message_id);
    if (siblings === undefined) parts.set(row.message_id, [row]);
    else siblings.push(row);
  }
  return parts;
}

/** Parts keep their own status; the message's follows from all of them (a part not yet taken counts as open). */
async function combineMultipart(transaction: Transaction, receipts: readonly Matched[]): Promise<Change[]> {
  const parts = await lockParts(transaction, receipts);
  const changed: (number | string | null)[][] = [];
  const changes: Change[] = [];
  for (const receipt of receipts) {
    const siblings = parts.get(receipt.messageId) as readonly PartRow[];
    const row = siblings.find((sibling) => sibling.part === receipt.part) as PartRow;
    if (!mayBecome({ status: row.status, expiredByTimer: false }, receipt.status)) continue;
    row.status = receipt.status;
    changed.push([
      row.company_id,
      row.message_id,
      row.part,
      row.status,
      receipt.receivedAt,
      receipt.errorCode,
    ]);
    const open: number[] = new Array(Math.max(0, receipt.parts - siblings.length)).fill(status.SENT);
    const combined = combineParts([...siblings.map((sibling) => sibling.status), ...open]);
    if (combined !== status.SENT) changes.push(toChange(receipt, combined));
  }
  await changeParts(transaction, changed);
  return changes;
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

/** Parked receipts of these ids, oldest first; they are parked no more. */
export async function unpark(
  transaction: Transaction,
  ids: Sql,
  now: number,
): Promise<readonly StoredReceipt[]> {
  const parked = await transaction.all<StoredReceipt>(
    sql`DELETE FROM parked_receipts
        WHERE received_at > ${now - parkedWorthMs} AND (carrier_id, carrier_message_id) IN (${ids})
        RETURNING carrier_id AS "carrierId", carrier_message_id AS "carrierMessageId", status,
                  error_code AS "errorCode", received_at AS "receivedAt"`,
  );
  return parked.sort((a, b) => a.receivedAt - b.receivedAt);
}

export interface ParkedSweep {
  readonly now: number;
  readonly limit: number;
}

/** Tries parked receipts again, whose submission was stored by another transaction in the same moment. */
export const retryParkedReceipts = singleWriteVerb(
  'messages.retryParkedReceipts',
  async (transaction, { now, limit }: ParkedSweep) => {
    const matching = sql`SELECT parked.carrier_id, parked.carrier_message_id FROM parked_receipts AS parked
        JOIN message_parts ON message_parts.carrier_id = parked.carrier_id
         AND message_parts.carrier_message_id = parked.carrier_message_id
        WHERE parked.received_at > ${now - parkedWorthMs} LIMIT ${limit}`;
    const receipts = await unpark(transaction, matching, now);
    await applyReceipts(transaction, receipts);
    return receipts.length;
  },
  ({ limit }) => limit,
);
