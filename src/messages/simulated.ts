/** Identifies messages that went to a simulator, which no phone gets, and how many SMS parts of the bill they are. */
import { byDialect, raw, rowSet, type Sql, sql } from '../storage/sql.ts';
import { bigint, expression } from '../storage/stored-record.ts';
import type { Transaction } from '../storage/verb.ts';
import type { TakenPart } from './outcome.ts';

/**
 * 1 for a message that went to a simulator, otherwise 0. The row of a removed carrier stays, so this is known even for
 * old messages.
 */
export const simulated = expression(
  `CASE WHEN EXISTS (
    SELECT 1 FROM carriers WHERE carriers.id = messages.carrier_id AND type = 'simulator') THEN 1 ELSE 0 END`,
  bigint,
);

/** The month, `YYYY-MM` in UTC, on whose bill a row of `messages` counts. */
const monthCounted = byDialect({
  sqlite: "strftime('%Y-%m', messages.created_at / 1000, 'unixepoch')",
  postgres: "to_char(to_timestamp(messages.created_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM')",
});

/**
 * Counts parts taken by simulators the way `usage_counts` counts all parts, but in a separate table, since acceptances lock
 * the rows of that table.
 */
export async function countSimulated(transaction: Transaction, taken: readonly TakenPart[]): Promise<void> {
  if (taken.length === 0) return;
  const columns = { company_id: 'bigint', message_id: 'bigint' } as const;
  const parts = taken.map(({ companyId, messageId }) => [companyId, messageId]);
  await transaction.run(
    sql`INSERT INTO simulated_counts (company_id, user_id, cost_center, month, parts)
        SELECT messages.company_id, messages.user_id, messages.cost_center, ${monthCounted} AS month, COUNT(*)
        FROM ${rowSet('taken', columns, parts)}
        JOIN messages ON messages.company_id = taken.company_id AND messages.id = taken.message_id
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        ON CONFLICT (company_id, user_id, cost_center, month)
          DO UPDATE SET parts = simulated_counts.parts + excluded.parts`,
  );
}

const key = ['company_id', 'user_id', 'cost_center', 'month'] as const;

/** For a table with the key of `usage_counts`, given by name: how many of each row's parts were simulated. */
export function joinSimulated(counts: string): Sql {
  const ofTheSame = key.map((column) => `simulated_counts.${column} = ${counts}.${column}`);
  return sql`LEFT JOIN simulated_counts ON ${raw(ofTheSame.join(' AND '))}`;
}

export const simulatedParts = sql`COALESCE(simulated_counts.parts, 0)`;
