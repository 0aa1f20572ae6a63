/** What messages cost: quota in SMS parts, reserved before anything is sent, and the count of use by month. */
import { differ, fromEach, oneOf, raw, sql } from '../storage/sql.ts';
import type { Transaction } from '../storage/verb.ts';

export interface Cost {
  readonly companyId: number;
  readonly userId: number;
  readonly parts: number;
}

interface Quota {
  readonly id: number;
  readonly quota_parts: number | null;
  quota_used: number;
}

// PostgreSQL runs transactions side by side: the rows are locked between reading and reserving.
const forUpdate = differ({ sqlite: '', postgres: 'FOR UPDATE' });

/** Those costs that user and company can afford, each taken whole or not at all, in the order given; now reserved. */
export async function reserveQuota<Item extends Cost>(
  transaction: Transaction,
  items: readonly Item[],
): Promise<ReadonlySet<Item>> {
  const affordable = new Set<Item>();
  if (items.length === 0) return affordable;
  const users = await lockQuotas(transaction, 'users', new Set(items.map(({ userId }) => userId)));
  const companies = await lockQuotas(
    transaction,
    'companies',
    new Set(items.map(({ companyId }) => companyId)),
  );
  for (const item of items) {
    const user = users.get(item.userId);
    const company = companies.get(item.companyId);
    if (user === undefined || company === undefined) continue;
    if (!covers(user, item.parts) || !covers(company, item.parts)) continue;
    user.quota_used += item.parts;
    company.quota_used += item.parts;
    affordable.add(item);
  }
  if (affordable.size > 0) await addUse(transaction, [...affordable], 1);
  return affordable;
}

export interface Refund extends Cost {
  readonly costCenter: string;
  readonly month: string;
}

/** Gives back what messages cost that no carrier ever had. */
export async function refundQuota(transaction: Transaction, refunds: readonly Refund[]): Promise<void> {
  if (refunds.length === 0) return;
  await addUse(transaction, refunds, -1);
  await countUsage(
    transaction,
    refunds.map((refund) => ({ ...refund, parts: -refund.parts, messages: -1 })),
  );
}

function covers(quota: Quota, parts: number): boolean {
  return quota.quota_parts === null || quota.quota_used + parts <= quota.quota_parts;
}

type Holder = 'users' | 'companies';

/** Users before companies, each by ascending id: two nodes never wait for each other crosswise. */
async function lockQuotas(
  transaction: Transaction,
  holder: Holder,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Quota>> {
  const rows = await transaction.all<Quota>(
    sql`SELECT id, quota_parts, quota_used FROM ${raw(holder)} WHERE id ${oneOf('bigint', [...ids])} ORDER BY id ${forUpdate}`,
  );
  return new Map(rows.map((row) => [row.id, { ...row }]));
}

async function addUse(transaction: Transaction, costs: readonly Cost[], sign: 1 | -1): Promise<void> {
  for (const holder of ['users', 'companies'] as const) {
    const sums = new Map<number, number>();
    for (const cost of costs) {
      const id = holder === 'users' ? cost.userId : cost.companyId;
      sums.set(id, (sums.get(id) ?? 0) + sign * cost.parts);
    }
    const rows = [...sums].sort(([a], [b]) => a - b);
    await transaction.each(
      { id: 'bigint', parts: 'bigint' },
      rows,
      sql`UPDATE ${raw(holder)} SET quota_used = quota_used + each.parts ${fromEach} WHERE ${raw(holder)}.id = each.id`,
    );
  }
}

interface Use {
  readonly companyId: number;
  readonly userId: number;
  readonly costCenter: string;
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  readonly messages: number;
  readonly parts: number;
}

const usageColumns = {
  company_id: 'bigint',
  user_id: 'bigint',
  cost_center: 'text',
  month: 'text',
  messages: 'bigint',
  parts: 'bigint',
} as const;

/** Adds to the kept counts that `carillon usage` shows; they outlive the messages themselves. */
export async function countUsage(transaction: Transaction, uses: readonly Use[]): Promise<void> {
  const sums = new Map<string, [number, number, string, string, number, number]>();
  for (const use of uses) {
    const key = `${use.userId}/${use.month}/${use.costCenter}`;
    const sum = sums.get(key);
    if (sum === undefined) {
      sums.set(key, [use.companyId, use.userId, use.costCenter, use.month, use.messages, use.parts]);
    } else {
      sum[4] += use.messages;
      sum[5] += use.parts;
    }
  }
  const rows = [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await transaction.insert(
    'usage_counts',
    usageColumns,
    rows,
    `ON CONFLICT (company_id, user_id, cost_center, month) DO UPDATE
       SET messages = usage_counts.messages + excluded.messages, parts = usage_counts.parts + excluded.parts`,
  );
}

/** Companies that have, or had, messages: those of a removed company stay until they are purged. */
export const everyCompany = raw(
  '(SELECT id FROM companies UNION SELECT company_id FROM usage_counts) AS every_company',
);

/** The month that a time falls into, as usage is counted: `YYYY-MM` in UTC. */
export function monthOf(time: number): string {
  const day = Math.floor(time / dayMs);
  if (day !== lastDay) {
    lastDay = day;
    lastMonth = new Date(time).toISOString().slice(0, 7);
  }
  return lastMonth;
}

// To write a date takes as long as to check a whole request, and hardly any call falls on another day than the last.
const dayMs = 24 * 60 * 60 * 1_000;
let lastDay = Number.NaN;
let lastMonth = '';
