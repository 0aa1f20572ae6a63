/** What is left of the quotas that a call of a user is charged to, for those who only want to know. */
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';

/** SMS parts; null: neither the user nor its company has a quota. */
export const readQuotaLeft = readVerb(
  'messages.quotaLeft',
  async (reading, userId: number): Promise<number | null> => {
    const row = await reading.first<{ ofUser: number | null; ofCompany: number | null }>(
      sql`SELECT users.quota_parts - users.quota_used AS "ofUser",
            companies.quota_parts - companies.quota_used AS "ofCompany"
          FROM users JOIN companies ON companies.id = users.company_id WHERE users.id = ${userId}`,
    );
    const quotas = [row?.ofUser ?? null, row?.ofCompany ?? null].filter((left) => left !== null);
    return quotas.length === 0 ? null : Math.max(0, Math.min(...quotas));
  },
);
