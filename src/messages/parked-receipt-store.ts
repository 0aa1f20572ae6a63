/** Receipts that came before the answer to their submission was stored, and wait for it. */
import { amongFirst, rowSet, type Sql, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { idOf, parkedWorthMs, type StoredReceipt } from './stored-receipt.ts';

/**
 * Whoever stores an answer looks for receipts that wait for its very id. Receipts are tried again by themselves as well:
 * for their ids in another form, and because two transactions side by side may miss each other. Few times only, since a
 * carrier whose ids never match would bring all of its receipts here.
 */
const firstTryMs = 500;
const furtherTriesMs = [4_000, 30_000, 240_000] as const;

const key = { carrier_id: 'bigint', carrier_message_id: 'text', id: 'bigint' } as const;
const columns = {
  ...key,
  received_at: 'bigint',
  status: 'smallint',
  error_code: 'text',
  written_id: 'text',
  other_ids: 'text',
  recipient: 'text',
  next_try_at: 'bigint',
} as const;

/**
 * Each for itself, even if one says the same as another: a carrier that uses ids again, or gives all parts of a message
 * one, may mean two parts. A repetition finds its part changed, and changes nothing.
 */
export async function park(transaction: Transaction, receipts: readonly StoredReceipt[]): Promise<void> {
  // Nothing refers to them, so that they need only differ, and rise in the order in which they were told.
  const firstId = Math.floor(Math.random() * 2 ** 52);
  const rows = receipts.map((one, index) => [
    one.carrierId,
    idOf(one),
    firstId + index,
    one.receivedAt,
    one.status,
    one.errorCode,
    one.submittedId === undefined ? null : one.carrierMessageId,
    one.otherIds === undefined ? null : JSON.stringify(one.otherIds),
    one.recipient ?? null,
    one.receivedAt + firstTryMs,
  ]);
  await transaction.insert('parked_receipts', columns, rows);
}

interface ParkedRow {
  readonly carrier_id: number;
  readonly carrier_message_id: string;
  readonly id: number;
  readonly received_at: number;
  readonly status: number;
  readonly error_code: string | null;
  readonly written_id: string | null;
  readonly other_ids: string | null;
  readonly recipient: string | null;
}

export interface ParkedReceipt extends StoredReceipt {
  readonly parkedId: number;
  readonly parkedForMs: number;
}

const keyColumns = 'carrier_id, carrier_message_id, id';
const returned = sql`carrier_id, carrier_message_id, id, received_at, status, error_code, written_id, other_ids, recipient`;

/** The oldest first. */
function toReceipts(rows: readonly ParkedRow[], now: number): readonly ParkedReceipt[] {
  const receipts = rows.map((row) => ({
    parkedId: row.id,
    carrierId: row.carrier_id,
    carrierMessageId: row.written_id ?? row.carrier_message_id,
    ...(row.written_id === null ? {} : { submittedId: row.carrier_message_id }),
    ...(row.other_ids === null ? {} : { otherIds: JSON.parse(row.other_ids) as readonly string[] }),
    ...(row.recipient === null ? {} : { recipient: row.recipient }),
    status: row.status,
    errorCode: row.error_code,
    receivedAt: row.received_at,
    parkedForMs: now - row.received_at,
  }));
  return receipts.sort((a, b) => a.receivedAt - b.receivedAt || a.parkedId - b.parkedId);
}

export interface SubmittedId {
  readonly carrierId: number;
  readonly carrierMessageId: string;
}

/**
 * Receipts that wait for these very ids; they are parked no more. One that is just being tried again is passed over:
 * whoever tries it may wait for the messages that are changed here. It has further turns.
 */
export async function unpark(
  transaction: Transaction,
  ids: readonly SubmittedId[],
  now: number,
): Promise<readonly ParkedReceipt[]> {
  const taken = rowSet(
    'taken',
    { carrier_id: 'bigint', carrier_message_id: 'text' },
    ids.map(({ carrierId, carrierMessageId }) => [carrierId, carrierMessageId]),
  );
  const rows = await transaction.all<ParkedRow>(
    sql`DELETE FROM parked_receipts WHERE ${amongFirst(
      keyColumns,
      sql`parked_receipts WHERE received_at > ${now - parkedWorthMs}
          AND (carrier_id, carrier_message_id) IN (SELECT carrier_id, carrier_message_id FROM ${taken})`,
    )} RETURNING ${returned}`,
  );
  return toReceipts(rows, now);
}

/**
 * Those whose turn it is to be tried again, with the time of their next turn set; nobody else tries them meanwhile.
 * One whose turn lies further ahead than any can was parked before the clock was set back.
 */
export async function takeDue(
  transaction: Transaction,
  now: number,
  limit: number,
): Promise<readonly ParkedReceipt[]> {
  // One range of the index after the other: a look at both at once walks through all that lies between them.
  const due = await takeTurns(transaction, sql`next_try_at <= ${now}`, now, limit);
  if (due.length === limit) return due;
  const ahead = sql`next_try_at > ${now + parkedWorthMs}`;
  return [...due, ...(await takeTurns(transaction, ahead, now, limit - due.length))];
}

async function takeTurns(transaction: Transaction, turn: Sql, now: number, limit: number) {
  const [second, third, fourth] = furtherTriesMs;
  const some = amongFirst(keyColumns, sql`parked_receipts WHERE ${turn} ORDER BY next_try_at LIMIT ${limit}`);
  const rows = await transaction.all<ParkedRow>(
    sql`UPDATE parked_receipts SET next_try_at = CASE
          WHEN received_at > ${now} THEN ${now + parkedWorthMs}
          WHEN received_at > ${now - second} THEN received_at + ${second}
          WHEN received_at > ${now - third} THEN received_at + ${third}
          WHEN received_at > ${now - fourth} THEN received_at + ${fourth}
          ELSE received_at + ${parkedWorthMs} END
        WHERE ${some} RETURNING ${returned}`,
  );
  return toReceipts(rows, now);
}

/** They are parked no more. */
export async function release(transaction: Transaction, receipts: readonly ParkedReceipt[]): Promise<void> {
  if (receipts.length === 0) return;
  const rows = receipts.map((one) => [one.carrierId, idOf(one), one.parkedId]);
  await transaction.run(
    sql`DELETE FROM parked_receipts WHERE (carrier_id, carrier_message_id, id) IN (
          SELECT carrier_id, carrier_message_id, id FROM ${rowSet('done', key, rows)})`,
  );
}
