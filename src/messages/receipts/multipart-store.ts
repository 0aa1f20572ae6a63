/** Applies carriers' reports on the parts of multipart messages: the message's status follows from all its parts. */
import { groupedBy } from '../../foundation/grouped.ts';
import { byDialect, fromEach, rowSet, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Transaction } from '../../storage/verb.ts';
import { combineParts, mayBecome, status } from '../message.ts';
import type { Matched } from './match-store.ts';
import { agrees, type StoredReceipt } from './receipt.ts';

const setting = byDialect({
  sqlite: "settings->>'receiptsPerMessage'",
  postgres: "settings::json->>'receiptsPerMessage'",
});

/**
 * Ids of the carriers that send one receipt for all parts of a message rather than one for each part, for `carrier_id IN
 * ${…}`. They are read from the current settings, so that a changed setting applies to parked receipts too. There are
 * few carriers, and the engine examines them once per statement.
 */
export const carriersWithOneReceipt = sql`(SELECT carriers.id FROM carriers WHERE ${setting} = 'one')`;

interface PartRow {
  readonly company_id: number;
  readonly message_id: number;
  readonly part: number;
  readonly carrier_id: number;
  /** 1 when the carrier sends one receipt per message. */
  readonly has_one_receipt: number;
  readonly recipient: string;
  readonly sender: string;
  status: number;
}

/** Locks the parts of these messages, by message; nobody else changes them until this transaction ends. */
async function lockParts(
  transaction: Transaction,
  receipts: readonly Matched[],
): Promise<ReadonlyMap<number, readonly PartRow[]>> {
  const keys = [...new Map(receipts.map((one) => [one.messageId, [one.companyId, one.messageId]])).values()];
  const reported = rowSet('reported', { company_id: 'bigint', message_id: 'bigint' }, keys);
  if (transaction.dialect === 'postgres') {
    // Receipts for two parts of a message in two concurrent transactions would each see the other's part as open.
    await transaction.all(
      sql`SELECT messages.id FROM ${reported}
          JOIN messages ON messages.company_id = reported.company_id AND messages.id = reported.message_id
          ORDER BY messages.company_id, messages.id FOR UPDATE OF messages`,
    );
  }
  const rows = await transaction.all<PartRow>(
    sql`SELECT message_parts.company_id, message_parts.message_id, message_parts.part, message_parts.status,
               message_parts.carrier_id,
               CASE WHEN message_parts.carrier_id IN ${carriersWithOneReceipt} THEN 1 ELSE 0 END AS has_one_receipt,
               messages.recipient, messages.sender
        FROM ${reported}
        JOIN messages ON messages.company_id = reported.company_id AND messages.id = reported.message_id
        JOIN message_parts ON message_parts.company_id = reported.company_id AND message_parts.message_id = reported.message_id`,
  );
  return groupedBy(rows, (row) => row.message_id);
}

interface Combination {
  readonly one: Matched;
  /** The status of the message that results from the receipt. */
  readonly combined: number;
}

/** Parts keep their own status; that of the message follows from all of them (a part not yet taken counts as open). */
export async function combineMultipart(transaction: Transaction, matched: readonly Matched[]) {
  const parts = await lockParts(transaction, matched);
  const changed: Row[] = [];
  const combinations: Combination[] = [];
  const unmoved: StoredReceipt[] = [];
  for (const one of matched) {
    const { receipt } = one;
    const siblings = parts.get(one.messageId) as readonly PartRow[];
    const row = siblings.find((sibling) => sibling.part === one.part) as PartRow;
    if (!agrees(receipt, row) || !isOpenTo(row, receipt)) {
      unmoved.push(receipt);
      continue;
    }
    for (const part of partsReportedBy(row, siblings, receipt)) {
      part.status = receipt.status;
      changed.push(toPartChange(part, receipt, part === row ? receipt.text : undefined));
    }
    const open: number[] = new Array(Math.max(0, one.parts - siblings.length)).fill(status.SENT);
    const combined = combineParts([...siblings.map((sibling) => sibling.status), ...open]);
    if (combined !== status.SENT) combinations.push({ one, combined });
  }
  await changeParts(transaction, changed);
  return { combinations, unmoved };
}

function isOpenTo({ status: code }: PartRow, receipt: StoredReceipt): boolean {
  return mayBecome({ status: code, expiredByTimer: false }, receipt.status);
}

/** The part that has the receipt's id, or all parts of its message that the carrier took. */
function partsReportedBy(
  row: PartRow,
  siblings: readonly PartRow[],
  receipt: StoredReceipt,
): readonly PartRow[] {
  if (row.has_one_receipt === 0) return [row];
  return siblings.filter((one) => one.carrier_id === row.carrier_id && isOpenTo(one, receipt));
}

/** The text is stored once, with the part that has the id. */
function toPartChange(
  { company_id, message_id, part }: PartRow,
  { status: code, receivedAt, errorCode }: StoredReceipt,
  text: string | undefined,
): Row {
  return [company_id, message_id, part, code, receivedAt, errorCode, text ?? null];
}

const partChangeColumns = {
  company_id: 'bigint',
  message_id: 'bigint',
  part: 'smallint',
  status: 'smallint',
  changed_at: 'bigint',
  error_code: 'text',
  receipt: 'text',
} as const;

async function changeParts(transaction: Transaction, changed: readonly Row[]): Promise<void> {
  // The final change of each part: of two receipts for one part in a set, the later counts, since it was allowed to
  // follow the earlier.
  const last = [...new Map(changed.map((row) => [`${row[1]}/${row[2]}`, row])).values()];
  await transaction.each(
    partChangeColumns,
    last,
    sql`UPDATE message_parts SET status = each.status, changed_at = each.changed_at, error_code = each.error_code,
          receipt = each.receipt
        ${fromEach}
        WHERE message_parts.company_id = each.company_id AND message_parts.message_id = each.message_id
          AND message_parts.part = each.part`,
  );
}
