/** Presents usage as text for people and as a CSV file. */
import type { Language } from '../../foundation/language.ts';
import { csvInSlices } from '../../http/answers/sliced-answer.ts';
import type { Store } from '../../storage/store.ts';
import type { CsvRow } from '../../wire/csv.ts';
import { headIn } from '../../wire/csv-columns.ts';
import {
  listUsage,
  sumUsage,
  type UsageCount,
  type UsageGroup,
  type UsageSum,
  type UsageSumQuery,
} from './usage.ts';

const pageLength = 1_000;
/** From 2000-01 to 2099-12. */
const maxMonths = 1_200;

/**
 * Exports all usage sums as a CSV file. The counts are read page by page in the requested order, so that those of one sum
 * follow each other and only one sum is held at a time.
 */
export function exportUsage(store: Store, query: Omit<UsageSumQuery, 'limit'>, language: Language) {
  const { from, to, by } = query;
  async function* pages(): AsyncGenerator<readonly CsvRow[]> {
    for await (const sums of sumsOf(store, query)) {
      yield sums.map((sum) => {
        const shown = shownSum(sum);
        const figures = [sum.messages, sum.parts, sum.simulated].map(String);
        return [...by.map((one) => shown[one] ?? ''), ...figures];
      });
    }
  }
  return csvInSlices(
    `usage ${from} to ${to}.csv`,
    headIn(language, [...by.map((one) => one.toLowerCase()), 'messages', 'parts', 'simulated']),
    pages(),
  );
}

async function* sumsOf(
  store: Store,
  query: Omit<UsageSumQuery, 'limit'>,
): AsyncGenerator<readonly UsageSum[]> {
  const { by, from, to, companyId, userId, callerId } = query;
  // The counts of one user are ordered by cost centre; without cost centres there are no more sums than months.
  if (userId !== null && !by.includes('costCenter')) {
    yield await store.read(sumUsage, { ...query, limit: maxMonths });
    return;
  }
  const first = firstOf(by);
  const isOf = (one: UsageCount, other: UsageCount) =>
    (!by.includes('month') || one.month === other.month) &&
    (!by.includes('username') || one.userId === other.userId) &&
    (!by.includes('costCenter') || one.costCenter === other.costCenter);
  let after = { month: first === 'month' ? from : '', userId: 0, costCenter: '' };
  let open: UsageCount | undefined;
  for (;;) {
    const whose = { companyId, userId, callerId };
    const page: readonly UsageCount[] = await store.read(listUsage, {
      ...whose,
      first,
      after,
      limit: pageLength,
    });
    const sums: UsageCount[] = [];
    for (const count of page) {
      if (count.month < from || count.month > to || (count.messages === 0 && count.parts === 0)) continue;
      if (open !== undefined && isOf(open, count)) {
        const { messages, parts, simulated } = open;
        open = {
          ...count,
          messages: messages + count.messages,
          parts: parts + count.parts,
          simulated: simulated + count.simulated,
        };
        continue;
      }
      if (open !== undefined) sums.push(open);
      open = count;
    }
    after = page.at(-1) ?? after;
    const isLast = page.length < pageLength || (first === 'month' && after.month > to);
    if (isLast && open !== undefined) sums.push(open);
    yield sums;
    if (isLast) return;
  }
}

/** The order in which the counts are read, chosen so that those of one sum follow each other. */
function firstOf(by: readonly UsageGroup[]): UsageGroup {
  if (!by.includes('costCenter')) return by.includes('month') ? 'month' : 'username';
  return by.includes('username') ? 'username' : 'costCenter';
}

export function shownSum({ month, username, costCenter, messages, parts, simulated }: UsageSum) {
  return {
    month: month ?? undefined,
    username: username ?? undefined,
    costCenter: costCenter ?? undefined,
    messages,
    parts,
    simulated: simulated === 0 ? undefined : simulated,
  };
}
