/**
 * Examines all messages once and adds those missing from the message log: a server of an earlier version that continued
 * beside a migrated store has stored them in one table only. They would otherwise be in no list, and an erasure would not
 * find them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { raw, type Sql, sql } from '../../storage/sql.ts';
import type { Store } from '../../storage/store.ts';
import { type Reading, readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { everyCompany } from '../every-company.ts';
import { changeOfLog, type LoggedMessage } from '../message-log.ts';

const rangeSize = 1_000;

interface MendOptions {
  /** While a node is serving, each pause between two steps is this many times as long as the step took. */
  readonly rest?: number;
  readonly signal?: AbortSignal;
  /** Whether missing messages are only counted. */
  readonly dryRun?: boolean;
}

interface MendedLog {
  /** Messages that were missing from the log. */
  readonly unlogged: number;
  /** How many were missing in each company that had any. */
  readonly companies: ReadonlyMap<number, number>;
}

export async function mendMessageLog(store: Store, options: MendOptions = {}): Promise<MendedLog> {
  const { rest = 0, signal, dryRun = false } = options;
  const companies = new Map<number, number>();
  for (const companyId of await store.read(listCompaniesWithMessages, null)) {
    let afterId: number | null = 0;
    while (afterId !== null && !signal?.aborted) {
      const begun = performance.now();
      const range: LogRange = { companyId, afterId, limit: rangeSize };
      const { unlogged, nextAfterId } = await store.read(findUnlogged, range);
      const found = unlogged > 0 && !dryRun ? await store.write(mendLog, range) : unlogged;
      if (found > 0) companies.set(companyId, (companies.get(companyId) ?? 0) + found);
      afterId = nextAfterId;
      if (rest > 0) await delay((performance.now() - begun) * rest);
    }
  }
  return { unlogged: [...companies.values()].reduce((sum, count) => sum + count, 0), companies };
}

export const listCompaniesWithMessages = readVerb('messages.listCompaniesWithMessages', (reading, _: null) =>
  everyCompany(reading),
);

interface LogRange {
  readonly companyId: number;
  readonly afterId: number;
  readonly limit: number;
}

interface UnloggedStep {
  readonly unlogged: number;
  /** Null at the end of the walk. */
  readonly nextAfterId: number | null;
}

// Uses a subquery of one row for each message, because PostgreSQL might read the whole log for a join.
function unlogged({ companyId, afterId, limit }: LogRange): Sql {
  const columns = raw('company_id, created_at, id, user_id, recipient, conversation');
  return sql`(SELECT ${columns} FROM messages WHERE company_id = ${companyId} AND id > ${afterId}
      ORDER BY id LIMIT ${limit}) AS range
    WHERE (SELECT message_log.id FROM message_log WHERE message_log.company_id = range.company_id
      AND message_log.created_at = range.created_at AND message_log.id = range.id) IS NULL`;
}

async function endOf(reading: Reading, { companyId, afterId, limit }: LogRange): Promise<number | null> {
  const row = await reading.first<{ last: number | null; count: number }>(
    sql`SELECT MAX(id) AS last, COUNT(*) AS count FROM (SELECT id FROM messages
        WHERE company_id = ${companyId} AND id > ${afterId} ORDER BY id LIMIT ${limit}) AS range`,
  );
  return row === undefined || row.count < limit ? null : row.last;
}

/** One step through the messages of a company, by id. */
export const findUnlogged = readVerb(
  'messages.findUnlogged',
  async (reading, range: LogRange): Promise<UnloggedStep> => {
    const nextAfterId = await endOf(reading, range);
    const row = await reading.first<{ count: number }>(sql`SELECT COUNT(*) AS count FROM ${unlogged(range)}`);
    return { unlogged: row?.count ?? 0, nextAfterId };
  },
);

// Another node may be doing the same.
const unlessThere = 'ON CONFLICT DO NOTHING';

/** Returns how many it has added to the log. */
export const mendLog = singleWriteVerb(
  'messages.mendLog',
  async (transaction, range: LogRange) => {
    const rows = await transaction.all<LoggedMessage>(sql`SELECT * FROM ${unlogged(range)}`);
    if (rows.length === 0) return 0;
    const { columns, rows: values } = changeOfLog(rows);
    await transaction.insert('message_log', columns, values, unlessThere);
    return rows.length;
  },
  ({ limit }) => limit,
);
