/**
 * Fills a store with copies of rows that the product itself has written: for each user one message that was sent and
 * DELIVERED, and one incoming SMS. The copies differ only in ids and times, and are older than the originals.
 */
import { raw, type Sql, sql } from '../src/storage/sql.ts';
import { countDelivered, type Database } from './database.ts';
import { pause } from './measure.ts';
import { basic, rentedNumbers, type Server, usernames } from './server.ts';

/** Where the product's own ids begin; copies come before it. */
const firstOriginalId = 1_000_000_001;
/** The distance between the ids of copies, which keeps those of different originals apart. */
const stride = 10;
const chunk = 20_000;
const originalsLimitMs = 20_000;

interface Copied {
  readonly table: string;
  readonly id: string;
  /** The values of the n-th copy that replace those of the original. */
  readonly instead: Readonly<Record<string, string>>;
}

const older = (column: string) => ({ [column]: `${column} - series.n` });
const copiedId = (column: string) => ({ [column]: `${column} - ${stride} * series.n` });

const copied: readonly Copied[] = [
  {
    table: 'messages',
    id: 'id',
    instead: { ...copiedId('id'), ...older('created_at'), ...older('expires_at'), ...older('changed_at') },
  },
  {
    table: 'message_parts',
    id: 'message_id',
    instead: {
      ...copiedId('message_id'),
      ...older('changed_at'),
      carrier_message_id: "carrier_message_id || '-' || series.n",
    },
  },
  { table: 'incoming_messages', id: 'id', instead: { ...copiedId('id'), ...older('received_at') } },
];

/** Makes the originals, through the API and the simulator's phones like any other message. */
export async function makeOriginals(server: Server, database: Database): Promise<void> {
  for (const username of usernames) {
    const answer = await fetch(`${server.url}/restsms/svcrest/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: basic(username) },
      body: JSON.stringify({ to: ['46701740699'], message: 'Your appointment is tomorrow at 9:30.' }),
    });
    if (!answer.ok) throw new Error(`/send answered ${answer.status}: ${await answer.text()}`);
    const incoming = [
      '--to',
      rentedNumbers[username],
      '--from',
      '46701740699',
      '--text',
      'Yes, I will come.',
    ];
    await server.run('simulate', 'incoming', ...incoming);
  }
  const deadline = performance.now() + originalsLimitMs;
  while ((await countDelivered(database)) < usernames.length) {
    if (performance.now() > deadline) throw new Error('the messages to copy were not delivered');
    await pause(50);
  }
}

/** Leaves this many messages in the store and as many incoming SMS, in equal parts for each user, all unread. */
export async function stock(database: Database, messages: number): Promise<void> {
  const each = messages / usernames.length - 1;
  // The youngest copy is inserted last, as if the messages had arrived one after the other.
  for (let last = each; last > 0; last -= chunk) {
    for (const one of copied)
      await run(
        database,
        copy(one, Math.max(1, last - chunk + 1), last, await columnsOf(database, one.table)),
      );
  }
}

/** Removes the copies. */
export async function clear(database: Database): Promise<void> {
  for (const { table, id } of copied) {
    await run(database, sql`DELETE FROM ${raw(table)} WHERE ${raw(id)} < ${firstOriginalId}`);
    if (database.engine === 'postgres') await run(database, sql`VACUUM ${raw(table)}`);
  }
}

async function columnsOf(database: Database, table: string): Promise<readonly string[]> {
  const [row] = await database.all<object>(sql`SELECT * FROM ${raw(table)} LIMIT 1`);
  if (row === undefined) throw new Error(`there is nothing in ${table} to copy`);
  return Object.keys(row);
}

function copy({ table, id, instead }: Copied, first: number, last: number, columns: readonly string[]): Sql {
  const values = columns.map((column) => `${instead[column] ?? column} AS ${column}`);
  return sql`INSERT INTO ${raw(table)} (${raw(columns.join(', '))})
    WITH RECURSIVE series(n) AS (SELECT CAST(${first} AS BIGINT) UNION ALL SELECT n + 1 FROM series WHERE n < ${last})
    SELECT ${raw(values.join(', '))} FROM ${raw(table)} CROSS JOIN series
    WHERE ${raw(id)} >= ${firstOriginalId} ORDER BY ${raw(id)}`;
}

async function run(database: Database, statement: Sql): Promise<void> {
  await database.all(statement);
}
