/** Lists all present and former companies, through which a message or batch is found when only its id is known. */
import { type Fragment, oneOf, sql } from '../storage/sql.ts';
import type { Reading } from '../storage/verb.ts';

/**
 * The ids of companies that have, or had, messages; a removed company's id stays until its messages are purged. The billing
 * counts have many rows per company, so the query steps from company to company.
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

/** For lookups by id alone, since the keys of the table begin with the company. */
export async function ofAnyCompany(reading: Reading): Promise<Fragment> {
  return oneOf('bigint', await everyCompany(reading));
}
