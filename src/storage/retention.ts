/** Purges rows by age alone. Rooms declare the rows, and one verb removes them, a set at a time. */
import { amongUnlocked, raw, sql } from './sql.ts';
import { singleWriteVerb } from './verb.ts';

/** The texts come from our own code and become part of the statement. */
export interface AgedRows {
  readonly table: string;
  /** The columns of the primary key, or `rowid` if the table has none. */
  readonly key: string;
  /** The column with the time from which the age is measured, in milliseconds since 1970. */
  readonly time: string;
  /** The condition of the index on that column, if the index is partial. */
  readonly where?: string;
  /** Retention in milliseconds. Without it, rows are kept as long as the operator wants messages to be kept. */
  readonly keptMs?: number;
  /** Without `keptMs`: the maximum retention, even if messages are kept longer. */
  readonly atMostMs?: number;
}

export interface PurgeTimes {
  readonly now: number;
  /** Rows older than this time have been kept as long as the operator wants. */
  readonly before: number;
}

const setSize = 1_000;

/** Returns how many rows it removed, or 0 when none is left. Nodes that run it concurrently remove different rows. */
export const purgeAged = singleWriteVerb(
  'storage.purgeAged',
  async (transaction, { rows, now, before }: PurgeTimes & { readonly rows: AgedRows }) => {
    const { table, key, time, where, keptMs, atMostMs = Number.POSITIVE_INFINITY } = rows;
    const oldest = keptMs === undefined ? Math.max(before, now - atMostMs) : now - keptMs;
    const condition = where === undefined ? time : `${where} AND ${time}`;
    const old = sql`${raw(table)} WHERE ${raw(condition)} < ${oldest}
      ORDER BY ${raw(time)} LIMIT ${raw(String(setSize))}`;
    return transaction.run(sql`DELETE FROM ${raw(table)} WHERE ${amongUnlocked(key, old)}`);
  },
  () => setSize,
);

/** Repeats a step, which returns how many rows it removed, until none is left or the signal is aborted. Returns the sum. */
export async function purgeInSets(signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  let purged = 0;
  let removed = 1;
  while (removed > 0 && !signal.aborted) {
    removed = await step();
    purged += removed;
  }
  return purged;
}
