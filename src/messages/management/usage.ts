/** Sums up usage both for users of a company and for the operator's bill, and reads what is left of quotas and limits. */
import type { Visibility } from '../../accounts/visibility.ts';
import { raw, sql } from '../../storage/sql.ts';
import { inTurns, readVerb, theNode } from '../../storage/verb.ts';
import type { RateRow } from '../rate.ts';
import { joinSimulated, simulatedParts } from '../simulated.ts';

export const usageGroups = ['month', 'username', 'costCenter'] as const;
export type UsageGroup = (typeof usageGroups)[number];

export interface UsageSumQuery extends Visibility {
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
  /** `YYYY-MM`, both ends inclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: readonly UsageGroup[];
  readonly limit: number;
}

export interface UsageSum {
  readonly month: string | null;
  readonly username: string | null;
  readonly costCenter: string | null;
  readonly messages: number;
  readonly parts: number;
  /** How many of the parts were taken by simulators. */
  readonly simulated: number;
}

const columnOf: Readonly<Record<UsageGroup, string>> = {
  month: 'month',
  username: 'user_id',
  costCenter: 'cost_center',
};

const columnsOf = (groups: readonly UsageGroup[], table: 'usage_counts' | 'counted' | 'summed') =>
  raw(groups.map((group) => `${table}.${columnOf[group]}`).join(', '));

/** The users of `summed`, including those who are gone. */
const shownName = sql`COALESCE(users.username, gone.name || ' (removed)',
  CASE WHEN summed.user_id IS NOT NULL THEN 'removed user ' || CAST(summed.user_id AS TEXT) END) AS username`;
const namedUsers = sql`LEFT JOIN users ON users.id = summed.user_id
  LEFT JOIN retired_ids AS gone ON gone.kind = 'user' AND gone.id = summed.user_id`;

/** Largest first. Counts are kept separately from messages and remain when these are purged. */
export const sumUsage = inTurns(
  readVerb('messages.sumUsage', async (reading, query: UsageSumQuery): Promise<UsageSum[]> => {
    const { companyId, userId, from, to, by, limit } = query;
    const column = (group: UsageGroup) => raw(by.includes(group) ? `counted.${columnOf[group]}` : 'NULL');
    const groups = columnsOf(by, 'counted');
    const isTheirs = userId === null ? sql`` : sql`AND counted.user_id = ${userId}`;
    return reading.all<UsageSum>(
      sql`WITH summed AS (
            SELECT CAST(${column('month')} AS TEXT) AS month, CAST(${column('username')} AS BIGINT) AS user_id,
              CAST(${column('costCenter')} AS TEXT) AS cost_center,
              CAST(SUM(counted.messages) AS BIGINT) AS messages, CAST(SUM(counted.parts) AS BIGINT) AS parts,
              CAST(SUM(${simulatedParts}) AS BIGINT) AS simulated
            FROM usage_counts AS counted ${joinSimulated('counted')}
            WHERE counted.company_id = ${companyId} AND counted.month >= ${from} AND counted.month <= ${to} ${isTheirs}
              AND (counted.messages <> 0 OR counted.parts <> 0)
            GROUP BY ${groups} ORDER BY 5 DESC, ${groups} LIMIT ${limit})
          SELECT summed.month, summed.cost_center AS "costCenter", summed.messages, summed.parts, summed.simulated,
            ${shownName}
          FROM summed ${namedUsers}
          ORDER BY summed.parts DESC, summed.month, username, summed.cost_center`,
    );
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

/** A stored count, for one user, cost centre and month. */
export interface UsageCount {
  readonly month: string;
  readonly userId: number;
  readonly username: string;
  readonly costCenter: string;
  readonly messages: number;
  readonly parts: number;
  readonly simulated: number;
}

/** The orders that indexes provide, by their first column. */
const orders = {
  month: ['month', 'username', 'costCenter'],
  username: ['username', 'costCenter', 'month'],
  costCenter: ['costCenter', 'month', 'username'],
} as const;

interface UsagePageQuery extends Visibility {
  readonly callerId: number;
  /** The first column of the order; counts of a single user are in the order of the table. */
  readonly first: UsageGroup;
  readonly after: Pick<UsageCount, 'month' | 'userId' | 'costCenter'>;
  readonly limit: number;
}

/** Reads one page at a time; all pages together walk through the counts once. */
export const listUsage = inTurns(
  readVerb('messages.listUsage', async (reading, query: UsagePageQuery): Promise<UsageCount[]> => {
    const { companyId, userId, first, after, limit } = query;
    const order = userId === null ? orders[first] : (['costCenter', 'month'] as const);
    const isTheirs = userId === null ? sql`` : sql`AND user_id = ${userId}`;
    const values = { month: after.month, username: after.userId, costCenter: after.costCenter };
    const last = order.map((group) => sql`${values[group]}`).reduce((list, value) => sql`${list}, ${value}`);
    const columns = columnsOf(order, 'usage_counts');
    return reading.all<UsageCount>(
      sql`WITH summed AS (
            SELECT company_id, month, user_id, cost_center, messages, parts FROM usage_counts
            WHERE company_id = ${companyId} ${isTheirs} AND (${columns}) > (${last})
            ORDER BY ${columns} LIMIT ${limit})
          SELECT summed.month, summed.user_id AS "userId", summed.cost_center AS "costCenter", summed.messages,
            summed.parts, ${simulatedParts} AS simulated, ${shownName}
          FROM summed ${joinSimulated('summed')} ${namedUsers}
          ORDER BY ${columnsOf(order, 'summed')}`,
    );
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

interface LatestQuery extends Visibility {
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
  readonly since: number;
  /** Where the page begins, as the previous page says; absent for the latest messages. */
  readonly from?: LatestPlace | undefined;
  readonly limit: number;
}

export interface LatestPlace {
  readonly at: number;
  readonly id: number;
}

interface LatestCount {
  readonly status: number;
  readonly messages: number;
  /** When the first of these messages was accepted. */
  readonly first: number;
}

interface LatestPage {
  readonly counts: readonly LatestCount[];
  /** Where the next page begins; undefined when there are no earlier messages. */
  readonly next: LatestPlace | undefined;
}

/**
 * The states of the latest messages, a page at a time: no table counts by day, and nobody waits for a walk through the
 * messages of somebody else's day.
 */
export const countLatest = inTurns(
  readVerb('messages.countLatest', async (reading, query: LatestQuery): Promise<LatestPage> => {
    const { companyId, userId, since, from, limit } = query;
    const whose = userId === null ? sql`company_id = ${companyId}` : sql`user_id = ${userId}`;
    const begin = from === undefined ? sql`` : sql`AND (created_at, id) <= (${from.at}, ${from.id})`;
    const page = sql`FROM message_log WHERE ${whose} AND created_at >= ${since} ${begin}
      ORDER BY created_at DESC, id DESC`;
    // Joins in the order of the walk; a join that began with the messages would read all messages of the company.
    const counts = await reading.all<LatestCount>(
      sql`WITH latest AS (SELECT company_id, id ${page} LIMIT ${limit})
          SELECT status, COUNT(*) AS messages, MIN(created_at) AS first
          FROM latest CROSS JOIN messages
          WHERE messages.company_id = latest.company_id AND messages.id = latest.id GROUP BY status ORDER BY status`,
    );
    const next = await reading.first<LatestPlace>(
      sql`SELECT created_at AS at, id ${page} LIMIT 1 OFFSET ${limit}`,
    );
    return { counts, next };
  }),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

export interface QuotaRow extends RateRow {
  readonly quota: number | null;
  readonly used: number;
}

/** Null when there is no such user. */
export const readQuotas = readVerb(
  'messages.readQuotas',
  async (reading, { companyId, userId }: { readonly companyId: number; readonly userId: number }) => {
    const row = (table: 'users' | 'companies', id: number) =>
      reading.first<QuotaRow>(
        sql`SELECT quota_parts AS quota, quota_used AS used, parts_per_minute, parts_per_day, minute_counted,
              minute_parts, day_counted, day_parts
            FROM ${raw(table)} WHERE id = ${id}`,
      );
    const [user, company] = [await row('users', userId), await row('companies', companyId)];
    return user === undefined || company === undefined ? null : { user, company };
  },
);

interface KeptUsageQuery {
  /** `YYYY-MM`, both ends inclusive; an empty string leaves an end open. */
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
  /** How many of the parts were taken by simulators. */
  readonly simulated: number;
}

/**
 * All counts, for the operator. Users and companies that were removed stay on the bill under their names, or under their ids
 * if an earlier version did not keep the names.
 */
export const readUsage = inTurns(
  readVerb('messages.readUsage', async (reading, { from, to }: KeptUsageQuery) =>
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
