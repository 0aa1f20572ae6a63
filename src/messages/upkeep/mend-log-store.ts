/**
 * Finds messages that the log of messages misses, and puts them into it: a server of an earlier version that went on beside
 * a migrated store has stored them in one table only. They would be in no list, and an erasure would not find them.
 */
import { raw, type Sql, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, singleWriteVerb } from '../../storage/verb.ts';
import { everyCompany } from '../every-company.ts';
import { changeOfLog, type LoggedMessage } from '../message-log.ts';

export const listCompaniesWithMessages = readVerb('messages.listCompaniesWithMessages', (reading, _: null) =>
  everyCompany(reading),
);

export interface LogStretch {
  readonly companyId: number;
  readonly afterId: number;
  readonly limit: number;
}

export interface UnloggedStep {
  readonly unlogged: number;
  /** Null: the walk is at its end. */
  readonly nextAfterId: number | null;
}

// A subquery of one row each: of a join PostgreSQL might go through all of the log.
function unlogged({ companyId, afterId, limit }: LogStretch): Sql {
  const columns = raw('company_id, created_at, id, user_id, recipient, conversation');
  return sql`(SELECT ${columns} FROM messages WHERE company_id = ${companyId} AND id > ${afterId}
      ORDER BY id LIMIT ${limit}) AS stretch
    WHERE (SELECT message_log.id FROM message_log WHERE message_log.company_id = stretch.company_id
      AND message_log.created_at = stretch.created_at AND message_log.id = stretch.id) IS NULL`;
}

async function endOf(reading: Reading, { companyId, afterId, limit }: LogStretch): Promise<number | null> {
  const row = await reading.first<{ last: number | null; count: number }>(
    sql`SELECT MAX(id) AS last, COUNT(*) AS count FROM (SELECT id FROM messages
        WHERE company_id = ${companyId} AND id > ${afterId} ORDER BY id LIMIT ${limit}) AS stretch`,
  );
  return row === undefined || row.count < limit ? null : row.last;
}

/** One step through the messages of a company, by id. */
export const findUnlogged = readVerb(
  'messages.findUnlogged',
  async (reading, stretch: LogStretch): Promise<UnloggedStep> => {
    const nextAfterId = await endOf(reading, stretch);
    const row = await reading.first<{ count: number }>(
      sql`SELECT COUNT(*) AS count FROM ${unlogged(stretch)}`,
    );
    return { unlogged: row?.count ?? 0, nextAfterId };
  },
);

// Another node may be at it too.
const unlessThere = 'ON CONFLICT DO NOTHING';

/** Answers how many it has put into the log. */
export const mendLog = singleWriteVerb(
  'messages.mendLog',
  async (transaction, stretch: LogStretch) => {
    const rows = await transaction.all<LoggedMessage>(sql`SELECT * FROM ${unlogged(stretch)}`);
    if (rows.length === 0) return 0;
    const { columns, rows: values } = changeOfLog(rows);
    await transaction.insert('message_log', columns, values, unlessThere);
    return rows.length;
  },
  ({ limit }) => limit,
);
