/** Receipts that came before the answer to their submission was stored, and wait for it. */
import { amongUnlocked, type Fragment, raw, rowSet, type Sql, sql } from '../../storage/sql.ts';
import type { Row } from '../../storage/storable.ts';
import type { Transaction } from '../../storage/verb.ts';
import { idOf, inOrderOfArrival, parkedWorthMs, type StoredReceipt } from './receipt.ts';

/**
 * When an answer is stored, receipts are looked for that wait for its very id. Receipts are tried again by themselves as
 * well: for their ids in another form, and because two transactions side by side may miss each other. Few times only, since
 * a carrier whose ids never match would bring all of its receipts here.
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

/** Nothing refers to them, so that they need only differ, and rise in the order in which receipts were told. */
let lastId = Math.floor(Math.random() * 2 ** 52);

/**
 * Each for itself, even if one says the same as another: a carrier that uses ids again, or gives all parts of a message
 * one, may mean two parts. A repetition finds its part changed, and changes nothing.
 */
export async function park(transaction: Transaction, receipts: readonly StoredReceipt[]): Promise<void> {
  const rows = receipts.map((one) => toRow(one, one.receivedAt + firstTryMs));
  await transaction.insert('parked_receipts', columns, rows);
}

/** After a turn in vain, until the next one. */
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
 * Receipts that wait for these very ids; they are parked no more. One that is just being tried again is passed over:
 * the transaction that tries it may wait for the messages that are changed here. It has further turns.
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
 * A column beside the part that is found for a row of the set: is a receipt parked that came before, for the same id and
 * not for another number? It may be about the same part, and then counts first.
 */
export function overtakes(idColumn: string): Fragment {
  return raw(`CASE WHEN EXISTS (
    SELECT 1 FROM parked_receipts
    WHERE parked_receipts.carrier_id = each.carrier_id AND parked_receipts.carrier_message_id = each.${idColumn}
      AND parked_receipts.received_at <= each.received_at AND ${mayBeOneNumber('each')}) THEN 1 ELSE 0 END`);
}

function mayBeOneNumber(set: string): string {
  const [parked, told] = ['parked_receipts.recipient', `${set}.recipient`];
  return `COALESCE(${parked}, ${told}, '') = COALESCE(${told}, ${parked}, '')`;
}

/**
 * Those that these overtake; they are parked no more. What somebody else is just trying is passed over, and what there is
 * beyond a bound: these have to wait for it.
 */
export async function unparkOvertaken(
  transaction: Transaction,
  receipts: readonly StoredReceipt[],
): Promise<readonly ParkedReceipt[]> {
  const now = Math.max(...receipts.map(({ receivedAt, parkedForMs = 0 }) => receivedAt + parkedForMs));
  const told = rowSet(
    'told',
    { carrier_id: 'bigint', carrier_message_id: 'text', recipient: 'text' },
    receipts.map((one) => [one.carrierId, idOf(one), one.recipient ?? null]),
  );
  const rows = await transaction.all<ParkedRow>(
    sql`DELETE FROM parked_receipts WHERE ${amongUnlocked(
      keyColumns,
      sql`parked_receipts WHERE received_at > ${now - parkedWorthMs}
          AND (carrier_id, carrier_message_id) IN (SELECT carrier_id, carrier_message_id FROM ${told})
          AND EXISTS (SELECT 1 FROM ${told} WHERE told.carrier_id = parked_receipts.carrier_id
            AND told.carrier_message_id = parked_receipts.carrier_message_id AND ${raw(mayBeOneNumber('told'))})
          LIMIT ${100 + 10 * receipts.length}`,
    )} RETURNING ${returned}`,
  );
  return toReceipts(rows, now);
}

/**
 * Those whose turn it is to be tried again; they are parked no more. One whose turn lies further ahead than any can was
 * parked before the clock was set back.
 */
export async function unparkDue(
  transaction: Transaction,
  now: number,
  limit: number,
): Promise<readonly ParkedReceipt[]> {
  // One range of the index after the other: a look at both at once walks through all that lies between them.
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
