/** Messages of batches, for the batch store: created, counted and withdrawn by one statement over a set. */
import { amongUnlocked, type Fragment, literal, raw, type Sql, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';
import { refundEnded } from './charging.ts';
import { charge, lane, stage, status } from './message.ts';
import { endsAs } from './status-change.ts';

/** What a batch knows about each of its messages, as fragments of a SELECT. */
export interface BulkMessage {
  readonly company_id: Fragment;
  readonly id: Fragment;
  readonly user_id: Fragment;
  readonly batch_id: Fragment;
  readonly recipient: Fragment;
  readonly sender: Fragment;
  readonly text: Fragment;
  readonly parts: Fragment;
  readonly conversation: Fragment;
  readonly cost_center: Fragment;
  readonly created_at: Fragment;
  readonly expires_at: Fragment;
  readonly carrier_id: Fragment;
  /** Absent for the standard category. */
  readonly category?: Fragment;
}

interface BulkOptions {
  readonly now: number;
  /** Null if the messages may be sent at once. */
  readonly opensAt: number | null;
  readonly listened: boolean;
}

/** The beginning of the statement, up to its FROM. */
export function insertBulk(message: BulkMessage, { now, opensAt, listened }: BulkOptions): Sql {
  const values = {
    ...message,
    flash: literal(0),
    status: literal(status.QUEUED),
    changed_at: sql`CAST(${now} AS BIGINT)`,
    version: literal(1),
    unread: literal(1),
    expired_by_timer: literal(0),
    lane: literal(lane.bulk),
    stage: literal(opensAt === null ? stage.waiting : stage.scheduled),
    due_at: sql`CAST(${opensAt ?? now} AS BIGINT)`,
    attempts: literal(0),
    charge: literal(charge.reserved),
    in_doubt: literal(0),
    listened: literal(listened ? 1 : 0),
  };
  const selected = Object.values<Fragment>(values).reduce((all, value) => sql`${all}, ${value}`);
  return sql`INSERT INTO messages (${raw(Object.keys(values).join(', '))}) SELECT ${selected}`;
}

/** The ids of a batch are consecutive. */
export interface BulkRange {
  readonly companyId: number;
  readonly firstId: number;
  readonly count: number;
}

const within = ({ companyId, firstId, count }: BulkRange) =>
  sql`company_id = ${companyId} AND id >= ${firstId} AND id < ${firstId + count}`;

export async function partsByCarrier(
  transaction: Transaction,
  range: BulkRange,
): Promise<readonly { readonly carrier_id: number; readonly parts: number }[]> {
  return transaction.all(
    sql`SELECT carrier_id, SUM(parts) AS parts FROM messages WHERE ${within(range)} GROUP BY carrier_id`,
  );
}

const waiting = [stage.waiting, stage.retrying, stage.scheduled];
const notSent = [...waiting, stage.paused];

/** Ends the messages not yet handed to a carrier; returns the id of the first that a carrier may still give back, if any. */
export async function takeBack(
  transaction: Transaction,
  range: BulkRange,
  now: number,
  reason: string,
): Promise<number | undefined> {
  const deleted = await transaction.all<{ id: number }>(
    sql`UPDATE messages SET ${endsAs(literal(status.DELETED), now, reason)}
        WHERE ${within(range)} AND stage IN (${raw(notSent.join(', '))}) RETURNING id`,
  );
  await refundEnded(
    transaction,
    deleted.map(({ id }) => [range.companyId, id]),
  );
  // Queried after the update, so that a message given back in between is not missed.
  const open = await transaction.first<{ id: number | null }>(
    sql`SELECT MIN(id) AS id FROM messages
        WHERE ${within(range)} AND stage IN (${raw([...notSent, stage.inFlight].join(', '))})`,
  );
  return open?.id ?? undefined;
}

/** Waiting messages stay QUEUED until their batch is resumed. Those whose validity is over are left to expire. */
export async function putAside(transaction: Transaction, range: BulkRange, now: number): Promise<void> {
  const those = sql`messages WHERE ${within(range)} AND stage IN (${raw(waiting.join(', '))}) AND +expires_at > ${now}`;
  await transaction.run(
    sql`UPDATE messages SET stage = ${literal(stage.paused)}, due_at = ${now}
        WHERE ${amongUnlocked('company_id, id', those)}`,
  );
}

export interface LetGo {
  /** Carriers that now have messages to send. */
  readonly carrierIds: readonly number[];
  /** A message that was skipped because another transaction has locked it and may leave it unchanged. */
  readonly openId: number | undefined;
}

/** Messages that were set aside go to the end of the queue; their validity period counts from now. */
export async function letGo(
  transaction: Transaction,
  range: BulkRange,
  now: number,
  validityMinutes: number,
): Promise<LetGo> {
  const those = sql`messages WHERE ${within(range)} AND stage = ${literal(stage.paused)}`;
  const rows = await transaction.all<{ carrier_id: number }>(
    sql`UPDATE messages SET stage = ${literal(stage.waiting)}, due_at = ${now}, expires_at = ${now + validityMinutes * 60_000}
        WHERE ${amongUnlocked('company_id, id', those)} RETURNING carrier_id`,
  );
  const open = await transaction.first<{ id: number | null }>(sql`SELECT MIN(id) AS id FROM ${those}`);
  return {
    carrierIds: [...new Set(rows.map(({ carrier_id }) => carrier_id))],
    openId: open?.id ?? undefined,
  };
}
