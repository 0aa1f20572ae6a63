/** Receipts that came before the answer to their submission was stored, and wait for it. */
import { amongFirst, rowSet, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { idOf, parkedWorthMs, type StoredReceipt } from './receipt-match-store.ts';

/**
 * Whoever stores an answer looks for receipts that wait for it. Two transactions side by side may miss each other, so
 * that a receipt is tried again by itself: soon, once more in case that one of the two took long, and at its end.
 */
const firstTryMs = 500;
const secondTryMs = 30_000;

const columns = {
  carrier_id: 'bigint',
  carrier_message_id: 'text',
  received_at: 'bigint',
  status: 'smallint',
  error_code: 'text',
  written_id: 'text',
  other_ids: 'text',
  recipient: 'text',
  next_try_at: 'bigint',
} as const;

const formColumns = {
  carrier_id: 'bigint',
  form: 'text',
  carrier_message_id: 'text',
  received_at: 'bigint',
} as const;

export async function park(transaction: Transaction, receipts: readonly StoredReceipt[]): Promise<void> {
  const rows = receipts.map((one) => [
    one.carrierId,
    idOf(one),
    one.receivedAt,
    one.status,
    one.errorCode,
    one.submittedId === undefined ? null : one.carrierMessageId,
    one.otherIds === undefined ? null : JSON.stringify(one.otherIds),
    one.recipient ?? null,
    one.receivedAt + firstTryMs,
  ]);
  await transaction.insert('parked_receipts', columns, rows, 'ON CONFLICT DO NOTHING');
  const forms = receipts.flatMap((one) =>
    (one.otherIds ?? []).map((form) => [one.carrierId, form, idOf(one), one.receivedAt]),
  );
  await transaction.insert('parked_receipt_forms', formColumns, forms, 'ON CONFLICT DO NOTHING');
}

interface ParkedRow {
  readonly carrier_id: number;
  readonly carrier_message_id: string;
  readonly received_at: number;
  readonly status: number;
  readonly error_code: string | null;
  readonly written_id: string | null;
  readonly other_ids: string | null;
  readonly recipient: string | null;
}

const returned = sql`carrier_id, carrier_message_id, received_at, status, error_code, written_id, other_ids, recipient`;

/** The oldest first. */
function toReceipts(rows: readonly ParkedRow[]): readonly StoredReceipt[] {
  const receipts = rows.map((row) => ({
    carrierId: row.carrier_id,
    carrierMessageId: row.written_id ?? row.carrier_message_id,
    ...(row.written_id === null ? {} : { submittedId: row.carrier_message_id }),
    ...(row.other_ids === null ? {} : { otherIds: JSON.parse(row.other_ids) as readonly string[] }),
    ...(row.recipient === null ? {} : { recipient: row.recipient }),
    status: row.status,
    errorCode: row.error_code,
    receivedAt: row.received_at,
  }));
  return receipts.sort((a, b) => a.receivedAt - b.receivedAt);
}

export interface SubmittedId {
  readonly carrierId: number;
  readonly carrierMessageId: string;
}

/** Receipts that wait for these ids, in whatever form; they are parked no more. */
export async function unpark(
  transaction: Transaction,
  ids: readonly SubmittedId[],
  now: number,
): Promise<readonly StoredReceipt[]> {
  const taken = rowSet(
    'taken',
    { carrier_id: 'bigint', carrier_message_id: 'text' },
    ids.map(({ carrierId, carrierMessageId }) => [carrierId, carrierMessageId]),
  );
  const rows = await transaction.all<ParkedRow>(
    sql`DELETE FROM parked_receipts
        WHERE received_at > ${now - parkedWorthMs} AND (carrier_id, carrier_message_id) IN (
          SELECT carrier_id, carrier_message_id FROM ${taken}
          UNION
          SELECT parked_receipt_forms.carrier_id, parked_receipt_forms.carrier_message_id FROM ${taken}
          JOIN parked_receipt_forms ON parked_receipt_forms.carrier_id = taken.carrier_id
           AND parked_receipt_forms.form = taken.carrier_message_id)
        RETURNING ${returned}`,
  );
  return toReceipts(rows);
}

/**
 * Those whose turn it is to be tried again, with the time of their next turn set; nobody else tries them meanwhile.
 * One whose turn lies further ahead than any can was parked before the clock was set back.
 */
export async function takeDue(
  transaction: Transaction,
  now: number,
  limit: number,
): Promise<readonly StoredReceipt[]> {
  const due = amongFirst(
    'carrier_id, carrier_message_id, received_at, status',
    sql`parked_receipts WHERE next_try_at <= ${now} OR next_try_at > ${now + parkedWorthMs}
        ORDER BY next_try_at LIMIT ${limit}`,
  );
  const rows = await transaction.all<ParkedRow>(
    sql`UPDATE parked_receipts SET next_try_at = CASE
          WHEN received_at > ${now} THEN ${now + parkedWorthMs}
          WHEN received_at > ${now - secondTryMs} THEN received_at + ${secondTryMs}
          ELSE received_at + ${parkedWorthMs} END
        WHERE ${due} RETURNING ${returned}`,
  );
  return toReceipts(rows);
}

/** They are parked no more. */
export async function release(transaction: Transaction, receipts: readonly StoredReceipt[]): Promise<void> {
  if (receipts.length === 0) return;
  const key = {
    carrier_id: 'bigint',
    carrier_message_id: 'text',
    received_at: 'bigint',
    status: 'smallint',
  } as const;
  const rows = receipts.map((one) => [one.carrierId, idOf(one), one.receivedAt, one.status]);
  await transaction.run(
    sql`DELETE FROM parked_receipts WHERE (carrier_id, carrier_message_id, received_at, status) IN (
          SELECT carrier_id, carrier_message_id, received_at, status FROM ${rowSet('done', key, rows)})`,
  );
}

/** Forms of ids whose receipts cannot be parked any more. */
export async function forgetForms(transaction: Transaction, now: number, limit: number): Promise<void> {
  const old = amongFirst(
    'carrier_id, form, carrier_message_id',
    sql`parked_receipt_forms WHERE received_at < ${now - 2 * parkedWorthMs} ORDER BY received_at LIMIT ${limit}`,
  );
  await transaction.run(sql`DELETE FROM parked_receipt_forms WHERE ${old}`);
}
