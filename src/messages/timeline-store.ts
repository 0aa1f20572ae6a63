/** Stores the unusual events of a message; the rows of the message and of its parts show all other events. */
import { isSentence } from '../foundation/sentences.ts';
import { andEach, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export type EventKind =
  /** The message's send time has come. */
  | 'due'
  /** The message is held until its company's next send hours. */
  | 'held'
  /** The message's send time was changed. */
  | 'rescheduled'
  | 'retry'
  | 'in doubt'
  | 'refused'
  | 'passed on'
  /** A claim that the carrier was too slow for, or of which nothing was handed over. */
  | 'given back'
  /** A part that a carrier took for a node that had lost the claim meanwhile. */
  | 'late answer'
  | 'moved'
  | 'receipt'
  | 'receipt ignored'
  | 'given up'
  | 'expired';

/** The claim that an event ends; one row records both. */
interface EndedAttempt {
  readonly attempt: number;
  readonly nodeId: number;
  readonly claimedAt: number;
}

export interface MessageEvent extends Partial<EndedAttempt> {
  readonly companyId: number;
  readonly messageId: number;
  readonly at: number;
  readonly kind: EventKind;
  readonly part?: number;
  readonly carrierId?: number;
  readonly toCarrierId?: number;
  readonly carrierMessageId?: string;
  /** When the message will be tried again. */
  readonly againAt?: number | null;
  readonly status?: number | null;
  /** The carrier's own code, as reported in a receipt. */
  readonly errorCode?: string | null;
  readonly reason?: string | null;
  /** As received. */
  readonly receipt?: string | null;
}

/** Only the first and the latest events of each message are kept, however often it is tried. */
export const firstKept = 10;
export const latestKept = 40;
const maxTextLength = 300;

const columns = {
  company_id: 'bigint',
  message_id: 'bigint',
  seq: 'integer',
  at: 'bigint',
  kind: 'text',
  part: 'smallint',
  carrier_id: 'bigint',
  to_carrier_id: 'bigint',
  node_id: 'bigint',
  attempt: 'integer',
  claimed_at: 'bigint',
  again_at: 'bigint',
  status: 'smallint',
  carrier_message_id: 'text',
  error_code: 'text',
  reason: 'text',
  receipt: 'text',
} as const;

const keyColumns = { company_id: 'bigint', message_id: 'bigint' } as const;

/**
 * Stores events in the transaction that causes them. A message's events are numbered, so of two concurrent transactions the
 * second has to wait for the first: a transaction that has itself changed the rows already holds them (`held`), any other
 * locks them here.
 */
export async function keepEvents(
  transaction: Transaction,
  events: readonly MessageEvent[],
  messages: 'held' | 'to be locked' = 'held',
): Promise<void> {
  if (events.length === 0) return;
  const keys = [
    ...new Map(events.map(({ companyId, messageId: id }) => [id, [companyId, id]] as const)).values(),
  ];
  if (messages === 'to be locked') await lockMessages(transaction, keys);
  const last = await readLast(transaction, keys);
  const rows: Row[] = [];
  const overflowing: Row[] = [];
  for (const event of events) {
    const { companyId, messageId } = event;
    const seq = (last.get(messageId) ?? 0) + 1;
    last.set(messageId, seq);
    rows.push(toRow(event, seq));
    if (seq - latestKept > firstKept) overflowing.push([companyId, messageId, seq - latestKept]);
  }
  // No conflict is expected, but a delivery must never fail because of its timeline.
  await transaction.insert('message_events', columns, rows, 'ON CONFLICT DO NOTHING');
  if (overflowing.length === 0) return;
  const places = rowSet('overflowing', { ...keyColumns, seq: 'integer' }, overflowing);
  await transaction.run(
    sql`DELETE FROM message_events WHERE (company_id, message_id, seq) IN (
          SELECT company_id, message_id, seq FROM ${places})`,
  );
}

function toRow(event: MessageEvent, seq: number): Row {
  return [
    event.companyId,
    event.messageId,
    seq,
    event.at,
    event.kind,
    event.part ?? null,
    event.carrierId ?? null,
    event.toCarrierId ?? null,
    event.nodeId ?? null,
    event.attempt ?? null,
    event.claimedAt ?? null,
    event.againAt ?? null,
    event.status ?? null,
    event.carrierMessageId ?? null,
    event.errorCode ?? null,
    keptReason(event.reason),
    event.receipt ?? null,
  ];
}

/** The variable parts of our own sentences are already limited in length, and half a sentence would be unreadable. */
function keptReason(reason: string | null | undefined): string | null {
  if (reason == null) return null;
  return isSentence(reason) ? reason : reason.slice(0, maxTextLength);
}

async function lockMessages(transaction: Transaction, keys: readonly Row[]): Promise<void> {
  // SQLite has a single writer.
  if (transaction.dialect === 'sqlite') return;
  const keyed = rowSet('keyed', keyColumns, keys);
  await transaction.all(
    sql`SELECT messages.id FROM ${keyed}
        JOIN messages ON messages.company_id = keyed.company_id AND messages.id = keyed.message_id
        ORDER BY messages.company_id, messages.id FOR UPDATE OF messages`,
  );
}

/** The number of each message's latest event, for messages that have any. */
async function readLast(transaction: Transaction, keys: readonly Row[]): Promise<Map<number, number>> {
  const rows = await transaction.allOfEach<{ id: number; last: number }>(
    keyColumns,
    keys,
    sql`SELECT message_events.message_id AS id, MAX(message_events.seq) AS last FROM message_events ${andEach}
        WHERE message_events.company_id = each.company_id AND message_events.message_id = each.message_id
        GROUP BY message_events.company_id, message_events.message_id`,
  );
  return new Map(rows.map(({ id, last }) => [id, last]));
}

export interface StoredEvent {
  /** Numbers the events of a message from 1; missing numbers were left out. */
  readonly seq: number;
  readonly at: number;
  readonly kind: EventKind;
  readonly part: number | null;
  readonly carrier: string | null;
  readonly toCarrier: string | null;
  readonly nodeId: number | null;
  readonly attempt: number | null;
  readonly claimedAt: number | null;
  readonly againAt: number | null;
  readonly status: number | null;
  readonly carrierMessageId: string | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
  readonly receipt: string | null;
}

export async function readEvents(reading: Reading, companyId: number, id: number): Promise<StoredEvent[]> {
  return reading.all<StoredEvent>(
    sql`SELECT seq, at, kind, part, COALESCE(carriers.name, CAST(carrier_id AS TEXT)) AS carrier,
               COALESCE(next.name, CAST(to_carrier_id AS TEXT)) AS "toCarrier",
               node_id AS "nodeId", attempt, claimed_at AS "claimedAt", again_at AS "againAt", status,
               carrier_message_id AS "carrierMessageId", error_code AS "errorCode", reason, receipt
        FROM message_events LEFT JOIN carriers ON carriers.id = carrier_id
        LEFT JOIN carriers AS next ON next.id = to_carrier_id
        WHERE company_id = ${companyId} AND message_id = ${id} ORDER BY seq`,
  );
}
