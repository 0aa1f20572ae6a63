/** Charges for messages: reserves quota, in SMS parts, before anything is sent, and counts usage by month. */
import { type Change, forUpdate, fromEach, noLock, oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import type { Row } from '../storage/storable.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import { charge } from './message.ts';
import {
  countParts,
  isRateLimited,
  leftOf,
  type OverRate,
  overRate,
  type RateLeft,
  type RateRow,
  rateLeft,
  type SentBy,
  type Span,
} from './rate.ts';

export interface Cost {
  readonly companyId: number;
  readonly userId: number;
  readonly parts: number;
}

interface Quota extends RateRow {
  readonly id: number;
  readonly quota_parts: number | null;
  quota_used: number;
}

export type CostRefused =
  | { readonly kind: 'quotaExceeded' }
  | {
      readonly kind: 'rateExceeded';
      /** Whether the limit is the account's or the company's. */
      readonly holder: 'account' | 'company';
      readonly over: OverRate;
      /** How many SMS parts the account may still send within all its limits, by minute and day. */
      readonly left: Readonly<Partial<Record<Span, number>>>;
    };

/** The remaining quotas of users and companies. If a transaction opens them, they are locked until it ends. */
export class Quotas {
  readonly #users: ReadonlyMap<number, Quota>;
  readonly #companies: ReadonlyMap<number, Quota>;
  readonly #counted = { users: new Set<Quota>(), companies: new Set<Quota>() };

  constructor(users: ReadonlyMap<number, Quota>, companies: ReadonlyMap<number, Quota>) {
    this.#users = users;
    this.#companies = companies;
  }

  /** Charges a cost completely or not at all. The caller then stores `changesOfUse` and `changesOfRate`. */
  take({ userId, companyId, parts }: Cost, now: number, by: SentBy): CostRefused | undefined {
    const user = this.#users.get(userId);
    const company = this.#companies.get(companyId);
    if (user === undefined || company === undefined) return { kind: 'quotaExceeded' };
    if (!covers(user, parts) || !covers(company, parts)) return { kind: 'quotaExceeded' };
    const isLimited = isRateLimited(user) || isRateLimited(company);
    const refused = isLimited ? refusedByRate({ user, company }, parts, now, by) : undefined;
    if (refused !== undefined) return refused;
    user.quota_used += parts;
    company.quota_used += parts;
    if (!isLimited) return undefined;
    for (const [holder, row] of [
      ['users', user],
      ['companies', company],
    ] as const) {
      if (!isRateLimited(row)) continue;
      countParts(row, parts, now, by);
      this.#counted[holder].add(row);
    }
    return undefined;
  }

  /** What is left of the limits of the account and its company; undefined if there are none. */
  rateLeft({ userId, companyId }: Cost, now: number): readonly RateLeft[] | undefined {
    const user = this.#users.get(userId);
    const company = this.#companies.get(companyId);
    if (user === undefined || company === undefined) return undefined;
    return isRateLimited(user) || isRateLimited(company) ? rateLeft([user, company], now) : undefined;
  }

  /** The changed rate counts of users and companies with limits. */
  changesOfRate(): readonly Change[] {
    return (['users', 'companies'] as const)
      .filter((holder) => this.#counted[holder].size > 0)
      .map((holder) => ({
        columns: rateColumns,
        rows: [...this.#counted[holder]].map((row) => [
          row.id,
          row.minute_counted,
          row.minute_parts,
          row.day_counted,
          row.day_parts,
        ]),
        change: sql`UPDATE ${raw(holder)} SET minute_counted = each.minute_counted, minute_parts = each.minute_parts,
                      day_counted = each.day_counted, day_parts = each.day_parts
                    ${fromEach} WHERE ${raw(holder)}.id = each.id`,
      }));
  }
}

const rateColumns = {
  id: 'bigint',
  minute_counted: 'bigint',
  minute_parts: 'bigint',
  day_counted: 'bigint',
  day_parts: 'bigint',
} as const;

function refusedByRate(
  { user, company }: { readonly user: Quota; readonly company: Quota },
  parts: number,
  now: number,
  by: SentBy,
): CostRefused | undefined {
  const found = [
    ...overRate(user, parts, now, by).map((over) => ({ holder: 'account', over }) as const),
    ...overRate(company, parts, now, by).map((over) => ({ holder: 'company', over }) as const),
  ];
  const reported = found.find(({ over }) => over.kind === 'never') ?? latestRetry(found);
  if (reported === undefined) return undefined;
  const [ofUser, ofCompany] = [leftOf(user, now), leftOf(company, now)];
  const left = { ...ofUser, ...ofCompany };
  for (const span of ['minute', 'day'] as const) {
    const smaller = Math.min(
      ofUser[span] ?? Number.POSITIVE_INFINITY,
      ofCompany[span] ?? Number.POSITIVE_INFINITY,
    );
    if (left[span] !== undefined) left[span] = smaller;
  }
  return { kind: 'rateExceeded', ...reported, left };
}

function latestRetry<Found extends { readonly over: OverRate }>(found: readonly Found[]): Found | undefined {
  return [...found].sort((a, b) => b.over.retryAt - a.over.retryAt)[0];
}

/** Locks the quotas, since other transactions read and reserve at the same time. */
export async function openQuotas(transaction: Transaction, costs: readonly Cost[]): Promise<Quotas> {
  const { users, companies } = await readQuotas(transaction, costs, forUpdate);
  return new Quotas(users, companies);
}

/** For callers that only ask what would happen: nothing is locked, and nothing taken here may be stored. */
export async function lookAtQuotas(reading: Reading, costs: readonly Cost[]): Promise<Quotas> {
  const { users, companies } = await readQuotas(reading, costs);
  return new Quotas(users, companies);
}

export interface Refund extends Cost {
  readonly costCenter: string;
  /** The month in which the message was counted. */
  readonly month: string;
  readonly messages: number;
}

/** Refunds messages that were never handed to a carrier. */
export async function refundQuota(transaction: Transaction, refunds: readonly Refund[]): Promise<void> {
  if (refunds.length === 0) return;
  // Concurrent acceptances for the same users and companies wait here, and take their locks in the same order.
  await readQuotas(transaction, refunds, forUpdate);
  await transaction.together(
    changesOfUse(refunds.map((refund) => ({ ...refund, parts: -refund.parts, messages: -refund.messages }))),
  );
}

/** Refunds those of the given ended messages that were never handed over. */
export async function refundEnded(transaction: Transaction, keys: readonly Row[]): Promise<void> {
  const rows = await transaction.all<{
    company_id: number;
    user_id: number;
    parts: number;
    cost_center: string;
    created_at: number;
  }>(
    sql`UPDATE messages SET charge = ${charge.refunded}
        FROM ${rowSet('ended', { company_id: 'bigint', id: 'bigint' }, keys)}
        WHERE messages.company_id = ended.company_id AND messages.id = ended.id
          AND messages.stage IS NULL AND messages.charge = ${charge.reserved}
        RETURNING messages.company_id, messages.user_id, messages.parts, messages.cost_center, messages.created_at`,
  );
  await refundQuota(
    transaction,
    rows.map((row) => ({
      companyId: row.company_id,
      userId: row.user_id,
      parts: row.parts,
      costCenter: row.cost_center,
      month: monthOf(row.created_at),
      messages: 1,
    })),
  );
}

/** The changes that usage causes, both to quotas, which must be locked already, and to the counts for billing. */
export function changesOfUse(uses: readonly Use[]): readonly Change[] {
  return [changeOfQuota('users', uses), changeOfQuota('companies', uses), changeOfCounts(uses)];
}

function covers(quota: Quota, parts: number): boolean {
  return quota.quota_parts === null || quota.quota_used + parts <= quota.quota_parts;
}

type Holder = 'users' | 'companies';

/** Users come before companies, each by ascending id, so that no two nodes deadlock. */
async function readQuotas(reading: Reading, costs: readonly Cost[], lock = noLock) {
  const quotasOf = (holder: Holder, ids: ReadonlySet<number>) =>
    sql`SELECT '${raw(holder)}' AS holder, id, quota_parts, quota_used, parts_per_minute, parts_per_day,
          minute_counted, minute_parts, day_counted, day_parts FROM ${raw(holder)}
        WHERE id ${oneOf('bigint', [...ids])} ORDER BY id ${lock}`;
  const rows = await reading.all<Quota & { holder: Holder }>(
    sql`SELECT * FROM (${quotasOf('users', new Set(costs.map(({ userId }) => userId)))}) AS users_held
        UNION ALL
        SELECT * FROM (${quotasOf('companies', new Set(costs.map(({ companyId }) => companyId)))}) AS companies_held`,
  );
  const held = (wanted: Holder) =>
    new Map(rows.filter(({ holder }) => holder === wanted).map((row) => [row.id, { ...row }]));
  return { users: held('users'), companies: held('companies') };
}

function changeOfQuota(holder: Holder, uses: readonly Use[]): Change {
  const sums = new Map<number, number>();
  for (const use of uses) {
    const id = holder === 'users' ? use.userId : use.companyId;
    sums.set(id, (sums.get(id) ?? 0) + use.parts);
  }
  return {
    columns: quotaColumns,
    rows: [...sums],
    change: usingQuota[holder],
  };
}

const quotaColumns = { id: 'bigint', parts: 'bigint' } as const;
const usingQuotaOf = (holder: Holder) =>
  sql`UPDATE ${raw(holder)} SET quota_used = quota_used + each.parts ${fromEach} WHERE ${raw(holder)}.id = each.id`;
/** Made once, so that their texts are written once. */
const usingQuota = { users: usingQuotaOf('users'), companies: usingQuotaOf('companies') };

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

/** Adds to the permanent counts that `carillon usage` shows; they outlive the messages themselves. */
function changeOfCounts(uses: readonly Use[]): Change {
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
  return {
    columns: usageColumns,
    rows: [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    change: {
      into: 'usage_counts',
      onConflict: `ON CONFLICT (company_id, user_id, cost_center, month) DO UPDATE
        SET messages = usage_counts.messages + excluded.messages, parts = usage_counts.parts + excluded.parts`,
    },
  };
}

/** The month, `YYYY-MM` in UTC, in which usage at the given time is counted. */
export function monthOf(time: number): string {
  const day = Math.floor(time / dayMs);
  if (day !== lastDay) {
    lastDay = day;
    lastMonth = new Date(time).toISOString().slice(0, 7);
  }
  return lastMonth;
}

// Formatting a date takes as long as checking a whole request, and almost every call falls on the same day as the call
// before.
const dayMs = 24 * 60 * 60 * 1_000;
let lastDay = Number.NaN;
let lastMonth = '';

/** SMS parts that the user has left, for information only; null when there is no quota. */
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
