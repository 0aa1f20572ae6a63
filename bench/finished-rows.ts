/** The upper bound for a batch: its finished rows are inserted once more into the same database, and nothing else is done. */
import { sql } from '../src/storage/sql.ts';
import type { Columns } from '../src/storage/storable.ts';
import type { Database } from './database.ts';

const setSize = 1_000;
/** Far from all ids in use. */
const idShift = 1_000_000_000_000;

const texts = new Set(['recipient', 'sender', 'text', 'conversation', 'cost_center', 'reason']);

type FinishedRow = Record<string, string | number | null>;

/** Returns how many milliseconds the insertion takes, in transactions of 1,000 rows. */
export async function insertAgain(database: Database, batchId: string): Promise<number> {
  const rows = await database.all<FinishedRow>(
    sql`SELECT * FROM messages WHERE batch_id = ${Number(batchId)} ORDER BY id`,
  );
  const names = Object.keys(rows[0] ?? {});
  const shifted = rows.map((row) =>
    names.map((name) =>
      // The copies belong to no existing carrier, so they wake no carrier.
      name === 'id' || name === 'batch_id' || name === 'carrier_id'
        ? Number(row[name]) + idShift
        : (row[name] ?? null),
    ),
  );
  const columns = Object.fromEntries(
    names.map((name) => [name, texts.has(name) ? 'text' : 'bigint']),
  ) satisfies Columns;
  const startedAt = performance.now();
  for (let first = 0; first < shifted.length; first += setSize) {
    await database.insert('messages', columns, shifted.slice(first, first + setSize));
  }
  return performance.now() - startedAt;
}
