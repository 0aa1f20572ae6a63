/** Which companies there are, or were: a message or a batch that is known by its id alone is found by way of them. */
import { type Fragment, oneOf, sql } from '../storage/sql.ts';
import type { Reading } from '../storage/verb.ts';

/**
 * The ids of companies that have, or had, messages: those of a removed company stay until they are purged. What was billed
 * has many rows for each of them, so that it is stepped through from company to company.
 */
export async function everyCompany(reading: Reading): Promise<readonly number[]> {
  const rows = await reading.all<{ id: number }>(
    sql`WITH RECURSIVE billed (id) AS (
          SELECT MIN(company_id) FROM usage_counts
          UNION ALL SELECT (SELECT MIN(company_id) FROM usage_counts WHERE company_id > billed.id) FROM billed
            WHERE billed.id IS NOT NULL
        ) SELECT id FROM billed WHERE id IS NOT NULL UNION SELECT id FROM companies ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** For what is known by its id alone, since the keys of its table begin with the company. */
export async function ofAnyCompany(reading: Reading): Promise<Fragment> {
  return oneOf('bigint', await everyCompany(reading));
}
