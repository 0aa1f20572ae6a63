/**
 * Fills a store with messages that have ended, as copies of one that the store's own verbs have accepted, sent and delivered. Each
 * copy has its own id, times, recipient and carrier's id.
 */
import { type Fragment, raw, type Sql, sql } from '../src/storage/sql.ts';
import type { CostStore } from './cost-store.ts';
import { type Database, openDirectly } from './database.ts';
import { firstId } from './traffic.ts';

const chunk = 100_000;
/** At 100 million messages a month, one comes every 26 ms. */
const gapMs = 26;

const id = `${firstId} - series.n`;
const older = (column: string) => ({ [column]: `${column} - ${gapMs} * series.n` });

interface Copied {
  readonly table: string;
  readonly id: string;
  readonly instead: Readonly<Record<string, string>>;
}

function copied({ engine }: Database): readonly Copied[] {
  // The last digits of the multiples of this prime come in no order, as those of people's numbers do.
  const recipient = { recipient: 'CAST(46700000000 + (series.n * 2654435761) % 100000000 AS TEXT)' };
  const hexadecimal = engine === 'sqlite' ? `printf('%010X', ${id})` : `lpad(upper(to_hex(${id})), 10, '0')`;
  const times = ['created_at', 'expires_at', 'changed_at', 'claimed_at'].map(older);
  return [
    { table: 'messages', id: 'id', instead: Object.assign({ id, ...recipient }, ...times) },
    { table: 'message_log', id: 'id', instead: { id, ...recipient, ...older('created_at') } },
    {
      table: 'message_parts',
      id: 'message_id',
      instead: Object.assign(
        { message_id: id, carrier_message_id: hexadecimal },
        ...['changed_at', 'submitted_at', 'answered_at'].map(older),
      ),
    },
  ];
}

/** Adds this many messages that have ended, before those that the store has. One of these has the id `firstId` and has ended. */
export async function fillFinished({ place }: Pick<CostStore, 'place'>, messages: number): Promise<void> {
  const database = await openDirectly(place);
  try {
    if (database.engine === 'postgres') await holdVacuumOff(database);
    // The oldest comes first, as if the messages had arrived one after the other.
    for (let last = messages; last > 0; last -= chunk) {
      const first = Math.max(1, last - chunk + 1);
      for (const one of copied(database)) await database.all(await copyOf(database, one, first, last));
    }
    await settle(database);
  } finally {
    await database.close();
  }
}

async function copyOf(
  database: Database,
  { table, id: key, instead }: Copied,
  first: number,
  last: number,
): Promise<Sql> {
  const original: Fragment = sql`${raw(table)} WHERE ${raw(key)} = ${firstId}`;
  const [row] = await database.all<object>(sql`SELECT * FROM ${original}`);
  if (row === undefined) throw new Error(`there is nothing in ${table} to copy`);
  const columns = Object.keys(row);
  const values = columns.map((column) => `${instead[column] ?? `original.${column}`} AS ${column}`);
  return sql`INSERT INTO ${raw(table)} (${raw(columns.join(', '))})
    WITH RECURSIVE series(n) AS (SELECT CAST(${last} AS BIGINT) UNION ALL SELECT n - 1 FROM series WHERE n > ${first})
    SELECT ${raw(values.join(', '))} FROM series CROSS JOIN (SELECT * FROM ${original}) AS original`;
}

const tables = ['messages', 'message_log', 'message_parts'];

/** Autovacuum would come to a small store sooner than to a large one, and what it has cleaned up costs less. */
async function holdVacuumOff(database: Database): Promise<void> {
  for (const table of tables)
    await database.all(sql`ALTER TABLE ${raw(table)} SET (autovacuum_enabled = false)`);
}

/** Finishes what the filling has left to do, as a store that has run for months has. */
async function settle(database: Database): Promise<void> {
  if (database.engine === 'sqlite') await database.all(sql`PRAGMA wal_checkpoint(TRUNCATE)`);
  else {
    for (const table of tables) await database.all(sql`VACUUM (ANALYZE) ${raw(table)}`);
    await database.all(sql`CHECKPOINT`);
  }
}
