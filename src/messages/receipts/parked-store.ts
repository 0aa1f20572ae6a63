/** Stores receipts that came before the response to their submission was stored and that wait for it. */
import { amongUnlocked, type Fragment, raw, rowSet, type Sql, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Transaction } from '../../storage/verb.ts';
import { idOf, inOrderOfArrival, parkedWorthMs, type StoredReceipt } from './receipt.ts';

/**
 * When a response is stored, receipts waiting for its exact id are looked up. Receipts are also retried on their own, because
 * their id may have another form and because two concurrent transactions may miss each other. They are retried only a few
 * times, since a carrier whose ids never match would bring all of its receipts here.
 */
const firstTryMs = 500;
const furtherTriesMs = [4_000, 30_000, 240_000, parkedWorthMs];

const columns = {
  carrier_id: 'bigint',
  carrier_message_id: 'text',
  id: 'bigint',
  received_at: 'bigint',
  status: 'smallint',
  error_code: 'text',
  written_id: 'text',
  other_ids: 'text',
  recipient: 'text',
  receipt: 'text',
  next_try_at: 'bigint',
} as const;

/** Nothing refers to these ids, so they need only be distinct and rise in the order in which receipts were reported. */
let lastId = Math.floor(Math.random() * 2 ** 52);

/**
 * Each receipt is parked separately, even if it says the same as another: a carrier that reuses ids, or gives all parts of a
 * message the same one, may mean two parts. A repetition finds its part already changed and changes nothing.
 */
export async function park(transaction: Transaction, receipts: readonly StoredReceipt[]): Promise<void> {
  const rows = receipts.map((one) => toRow(one, one.receivedAt + firstTryMs));
  await transaction.insert('parked_receipts', columns, rows);
}

/** Parks receipts after an unsuccessful turn, until the next one. */
export async function parkUntilNextTurn(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
  now: number,
): Promise<void> {
  const rows = receipts.map((one) => toRow(one, nextTurn(one, now)));
  await transaction.insert('parked_receipts', columns, rows);
}

function nextTurn({ receivedAt }: StoredReceipt, now: number): number {
  // The clock was set back.
  if (receivedAt > now) return now + parkedWorthMs;
  return receivedAt + (furtherTriesMs.find((ms) => now - receivedAt < ms) ?? parkedWorthMs);
}

function toRow(one: StoredReceipt, nextTryAt: number): Row {
  if (one.parkedId === undefined) lastId += 1;
  return [
    one.carrierId,
    idOf(one),
    one.parkedId ?? lastId,
    one.receivedAt,
    one.status,
    one.errorCode,
    one.submittedId === undefined ? null : one.carrierMessageId,
    one.otherIds === undefined ? null : JSON.stringify(one.otherIds),
    one.recipient ?? null,
    one.text ?? null,
    nextTryAt,
  ];
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
  readonly receipt: string | null;
}

export interface ParkedReceipt extends StoredReceipt {
  readonly parkedId: number;
  readonly parkedForMs: number;
}

const keyColumns = 'carrier_id, carrier_message_id, id';
const returned = sql`carrier_id, carrier_message_id, id, received_at, status, error_code, written_id, other_ids, recipient, receipt`;

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
    ...(row.receipt === null ? {} : { text: row.receipt }),
    receivedAt: row.received_at,
    parkedForMs: now - row.received_at,
  }));
  return inOrderOfArrival(receipts);
}

/**
 * Takes out receipts that wait for these exact ids. A receipt that is being retried at the moment is skipped, since the
 * transaction that retries it may be waiting for the messages changed here. It has further turns.
 */
export async function unpark(
  transaction: Transaction,
  ids: readonly { readonly carrierId: number; readonly carrierMessageId: string }[],
  now: number,
): Promise<readonly ParkedReceipt[]> {
  const taken = rowSet(
    'taken',
    { carrier_id: 'bigint', carrier_message_id: 'text' },
    ids.map(({ carrierId, carrierMessageId }) => [carrierId, carrierMessageId]),
  );
  const rows = await transaction.all<ParkedRow>(
    sql`DELETE FROM parked_receipts WHERE ${amongUnlocked(
      keyColumns,
      sql`parked_receipts WHERE received_at > ${now - parkedWorthMs}
          AND (carrier_id, carrier_message_id) IN (SELECT carrier_id, carrier_message_id FROM ${taken})`,
    )} RETURNING ${returned}`,
  );
  return toReceipts(rows, now);
}

/**
 * A column for each receipt of the set: 1 if an earlier receipt with the same id is parked, unless it is for another
 * number. The parked receipt may be about the same part, and then counts first.
 */
export function overtakes(idColumn: string): Fragment {
  return raw(`CASE WHEN EXISTS (
    SELECT 1 FROM parked_receipts
    WHERE parked_receipts.carrier_id = each.carrier_id AND parked_receipts.carrier_message_id = each.${idColumn}
      AND parked_receipts.received_at <= each.received_at AND ${mayBeOneNumber('each')}) THEN 1 ELSE 0 END`);
}

function mayBeOneNumber(set: string): string {
  const [parked, reported] = ['parked_receipts.recipient', `${set}.recipient`];
  return `COALESCE(${parked}, ${reported}, '') = COALESCE(${reported}, ${parked}, '')`;
}

/**
 * Takes out the receipts that the given receipts overtake. Receipts that another transaction is retrying are skipped,
 * as are those beyond a limit; the given receipts have to wait for those.
 */
export async function unparkOvertaken(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly ParkedReceipt[]> {
  const now = Math.max(...receipts.map(({ receivedAt, parkedForMs = 0 }) => receivedAt + parkedForMs));
  const reported = rowSet(
    'reported',
    { carrier_id: 'bigint', carrier_message_id: 'text', recipient: 'text' },
    receipts.map((one) => [one.carrierId, idOf(one), one.recipient ?? null]),
  );
  const rows = await transaction.all<ParkedRow>(
    sql`DELETE FROM parked_receipts WHERE ${amongUnlocked(
      keyColumns,
      sql`parked_receipts WHERE received_at > ${now - parkedWorthMs}
          AND (carrier_id, carrier_message_id) IN (SELECT carrier_id, carrier_message_id FROM ${reported})
          AND EXISTS (SELECT 1 FROM ${reported} WHERE reported.carrier_id = parked_receipts.carrier_id
            AND reported.carrier_message_id = parked_receipts.carrier_message_id AND ${raw(mayBeOneNumber('reported'))})
          LIMIT ${100 + 10 * receipts.length}`,
    )} RETURNING ${returned}`,
  );
  return toReceipts(rows, now);
}

/**
 * Takes out the receipts that are due to be retried. A receipt whose turn is further ahead than turns ever are was parked
 * before the clock was set back.
 */
export async function unparkDue(
  transaction: Transaction,
  now: number,
  limit: number,
): Promise<readonly ParkedReceipt[]> {
  // Queries one index range after the other: a query for both at once would walk through everything between them.
  const due = await unparkTurns(transaction, sql`next_try_at <= ${now}`, now, limit);
  if (due.length === limit) return due;
  const ahead = sql`next_try_at > ${now + parkedWorthMs}`;
  const others = await unparkTurns(transaction, ahead, now, limit - due.length);
  return inOrderOfArrival([...due, ...others]);
}

async function unparkTurns(transaction: Transaction, turn: Sql, now: number, limit: number) {
  const some = amongUnlocked(
    keyColumns,
    sql`parked_receipts WHERE ${turn} ORDER BY next_try_at LIMIT ${limit}`,
  );
  const rows = await transaction.all<ParkedRow>(
    sql`DELETE FROM parked_receipts WHERE ${some} RETURNING ${returned}`,
  );
  return toReceipts(rows, now);
}
