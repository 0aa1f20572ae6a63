/** Verbs that compare the stored counts of batches with their rows, change statuses at will, and show query plans. */
import { readStatusCounts } from '../../src/batches/reading/counts.ts';
import { readStatusesAskedFor, readUnreadOfBatches } from '../../src/batches/reading/statuses.ts';
import { fromEach, raw, type Sql, sql } from '../../src/storage/sql.ts';
import { type ReadVerb, readVerb, singleWriteVerb } from '../../src/storage/verb.ts';

/**
 * Where the stored counts differ from the rows, and by how much. A single statement takes both from the same moment.
 */
export const miscounted = readVerb('test.miscounted', async (reading, _: null) =>
  reading.all<{ batch_id: number; status: number; surplus: number }>(
    sql`SELECT batch_id, status, SUM(surplus) AS surplus FROM (
          SELECT batch_id, status, messages AS surplus FROM batch_counts
          UNION ALL SELECT batch_id, after_status, messages FROM batch_count_changes
          UNION ALL SELECT batch_id, before_status, -messages FROM batch_count_changes WHERE before_status IS NOT NULL
          UNION ALL SELECT batch_id, status, -1 FROM messages WHERE batch_id IS NOT NULL
        ) AS compared GROUP BY batch_id, status HAVING SUM(surplus) <> 0`,
  ),
);

/** The number of rows in both count tables. */
export const countRows = readVerb('test.countRows', async (reading, _: null) => {
  const row = await reading.first<{ counts: number; changes: number }>(
    sql`SELECT (SELECT COUNT(*) FROM batch_counts) AS counts, (SELECT COUNT(*) FROM batch_count_changes) AS changes`,
  );
  return row ?? { counts: 0, changes: 0 };
});

export interface AnyChange {
  readonly id: number;
  readonly status: number;
  readonly at: number;
}

/** Ignores the transition rules of the statuses. */
export const changeStatuses = singleWriteVerb(
  'test.changeStatuses',
  async (transaction, changes: readonly AnyChange[]) =>
    transaction.each(
      { id: 'bigint', status: 'smallint', at: 'bigint' },
      [...changes].sort((a, b) => a.id - b.id).map(({ id, status, at }) => [id, status, at]),
      sql`UPDATE messages SET status = each.status, changed_at = each.at, version = version + 1, unread = 1
          ${fromEach} WHERE messages.company_id = 1 AND messages.id = each.id`,
    ),
  (changes) => changes.length,
);

export const removeMessages = singleWriteVerb('test.removeMessages', async (transaction, _: null) =>
  transaction.run(sql`DELETE FROM messages`),
);

/** Copies a batch's messages until there are many, and runs ANALYZE on PostgreSQL. On SQLite nothing ever runs ANALYZE. */
export const multiplyMessages = singleWriteVerb(
  'test.multiplyMessages',
  async (transaction, { batchId, times }: { readonly batchId: number; readonly times: number }) => {
    for (let time = 1; time <= times; time++) {
      await transaction.run(
        sql`INSERT INTO messages (company_id, id, user_id, batch_id, recipient, sender,
              text, flash, parts, conversation, cost_center, created_at, expires_at, status, changed_at, version, unread,
              expired_by_timer, carrier_id, lane, stage, due_at, node_id, attempts, charge, in_doubt, reason)
            SELECT company_id, id + ${raw(String(time * 1_000_000))}, user_id, batch_id, recipient, sender,
              text, flash, parts, conversation, cost_center, created_at, expires_at, status, changed_at, version, unread,
              expired_by_timer, carrier_id, lane, stage, due_at, node_id, attempts, charge, in_doubt, reason
            FROM messages WHERE batch_id = ${batchId}
              AND id < (SELECT first_message_id + messages FROM batches WHERE id = ${batchId})`,
      );
    }
    if (transaction.dialect === 'postgres') await transaction.run(sql`ANALYZE`);
  },
);

function explaining<Input, Output>(name: string, verb: ReadVerb<Input, Output>) {
  return readVerb(name, async (reading, input: Input): Promise<readonly string[]> => {
    const plans: string[] = [];
    const explain = raw(reading.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN');
    const all = async <Result>(statement: Sql) => {
      const rows = await reading.all<{ detail?: string; 'QUERY PLAN'?: string }>(
        sql`${explain} ${statement}`,
      );
      plans.push(rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n'));
      return reading.all<Result>(statement);
    };
    const first = async <Result>(statement: Sql) => (await all<Result>(statement))[0];
    await verb.run({ dialect: reading.dialect, all, first }, input);
    return plans;
  });
}

export const explainUnreadOfBatches = explaining('test.explainUnreadOfBatches', readUnreadOfBatches);
export const explainStatusesAskedFor = explaining('test.explainStatusesAskedFor', readStatusesAskedFor);
export const explainStatusCounts = explaining('test.explainStatusCounts', readStatusCounts);
