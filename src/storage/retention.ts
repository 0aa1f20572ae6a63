/** The purge of rows that go by their age alone: rooms declare which, and one verb removes them, a set at a time. */
import { amongUnlocked, raw, sql } from './sql.ts';
import { singleWriteVerb } from './verb.ts';

/** Its texts are ours, and become part of the statement. */
export interface AgedRows {
  readonly table: string;
  /** The columns of the primary key; `rowid`: the table has none. */
  readonly key: string;
  /** The column with the time that the age is counted from, in milliseconds since 1970. */
  readonly time: string;
  /** The condition of the index on that column, where it is partial. */
  readonly where?: string;
  /** Absent: as long as the operator wants messages to be kept. */
  readonly keptMs?: number;
  /** Where `keptMs` is absent: no longer than this, even if messages are. */
  readonly atMostMs?: number;
}

export interface PurgeTimes {
  readonly now: number;
  /** What is older than this has been kept for as long as the operator wants. */
  readonly before: number;
}

const setSize = 1_000;

/** Answers with how many rows it removed: 0 when none is left. Nodes at it side by side remove different ones. */
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

/** Repeats a step, which answers with how many rows it removed, until none is left or the signal is aborted; returns the sum. */
export async function purgeInSets(signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  let purged = 0;
  let removed = 1;
  while (removed > 0 && !signal.aborted) {
    removed = await step();
    purged += removed;
  }
  return purged;
}
