/** The numbers that phones can write to, as a company sees them: its users', its own pool, and the pool of all. */
import { sql } from '../../storage/sql.ts';
import { readVerb } from '../../storage/verb.ts';

export interface NumberQuery {
  readonly companyId: number;
  /** The last number of the page before; empty: it is the first page. */
  readonly after: string;
  readonly limit: number;
  readonly now: number;
}

export interface ListedNumber {
  readonly number: string;
  /** Who rents it. */
  readonly username: string | null;
  readonly pool: number;
  /** Null: the pool is that of all companies. */
  readonly companyId: number | null;
  readonly conversations: number;
}

/** So far is counted. */
export const mostCounted = 50;
/** Those of other companies among them: a page may be short. */
const looked = 500;

export interface NumberPage {
  readonly numbers: readonly ListedNumber[];
  /** Behind what was looked at; null: there is no more. */
  readonly next: string | null;
}

export const listNumbersOfCompany = readVerb(
  'messages.listNumbersOfCompany',
  async (reading, { companyId, after, limit, now }: NumberQuery): Promise<NumberPage> => {
    const seen = sql`(SELECT number, rented_by, pool, company_id FROM numbers WHERE number > ${after}
        ORDER BY number LIMIT ${looked}) AS seen`;
    const found = await reading.all<ListedNumber>(
      sql`SELECT seen.number, (SELECT username FROM users WHERE users.id = seen.rented_by) AS username, pool, seen.company_id AS "companyId",
            (SELECT COUNT(*) FROM (
               SELECT leases.company_id, leases.ends_at FROM number_leases AS leases
               WHERE leases.number = seen.number ORDER BY leases.turn DESC LIMIT ${mostCounted}) AS latest
             WHERE latest.company_id = ${companyId} AND latest.ends_at > ${now}) AS conversations
          FROM ${seen}
          WHERE seen.company_id = ${companyId}
            OR (SELECT users.company_id FROM users WHERE users.id = seen.rented_by) = ${companyId}
            OR (pool = 1 AND seen.company_id IS NULL)
          ORDER BY seen.number LIMIT ${limit + 1}`,
    );
    if (found.length > limit)
      return { numbers: found.slice(0, limit), next: found[limit - 1]?.number ?? null };
    const end = await reading.first<{ count: number; number: string | null }>(
      sql`SELECT COUNT(*) AS count, MAX(number) AS number FROM ${seen}`,
    );
    return { numbers: found, next: end?.count === looked ? end.number : null };
  },
);
