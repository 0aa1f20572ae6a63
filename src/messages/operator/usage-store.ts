/** What companies and users have sent, from the kept counts. */
import { sql } from '../../storage/sql.ts';
import { inTurns, readVerb, theNode } from '../../storage/verb.ts';
import { joinSimulated, simulatedParts } from '../simulated.ts';

export interface UsageQuery {
  /** `YYYY-MM`, both included; the empty string leaves an end open. */
  readonly from: string;
  readonly to: string;
}

export interface UsageRow {
  readonly company: string;
  readonly username: string;
  readonly costCenter: string;
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  readonly messages: number;
  readonly parts: number;
  /** How many of the parts simulators took. */
  readonly simulated: number;
}

/** What was removed stays on the bill under its name; where an earlier version has not kept that, under its id. */
export const readUsage = inTurns(
  readVerb('messages.readUsage', async (reading, { from, to }: UsageQuery) =>
    reading.all<UsageRow>(
      sql`SELECT COALESCE(companies.name, gone_companies.name || ' (removed)',
                 'removed company ' || CAST(usage_counts.company_id AS TEXT)) AS company,
               COALESCE(users.username, gone_users.name || ' (removed)',
                 'removed user ' || CAST(usage_counts.user_id AS TEXT)) AS username,
               usage_counts.cost_center AS "costCenter", usage_counts.month,
               usage_counts.messages, usage_counts.parts, ${simulatedParts} AS simulated
        FROM usage_counts ${joinSimulated('usage_counts')}
        LEFT JOIN companies ON companies.id = usage_counts.company_id
        LEFT JOIN users ON users.id = usage_counts.user_id
        LEFT JOIN retired_ids AS gone_companies
          ON gone_companies.kind = 'company' AND gone_companies.id = usage_counts.company_id
        LEFT JOIN retired_ids AS gone_users ON gone_users.kind = 'user' AND gone_users.id = usage_counts.user_id
        WHERE usage_counts.month >= ${from} AND (${to} = '' OR usage_counts.month <= ${to})
          AND (usage_counts.messages <> 0 OR usage_counts.parts <> 0)
        ORDER BY company, username, usage_counts.month, usage_counts.cost_center`,
    ),
  ),
  theNode,
);
