/** The operator's limits on what a company or a user may send: how much in a period, and to which countries. */
import type { StoredField } from '../storage/stored-record.ts';

export interface SendingLimits {
  /** SMS parts in a minute, of calls and mails; undefined is any number of them. */
  readonly partsPerMinute: number | undefined;
  /** SMS parts in a day, batches included. */
  readonly partsPerDay: number | undefined;
  /** ISO 3166 codes of two capital letters; undefined is all countries. */
  readonly countries: readonly string[] | undefined;
}

const minutesInDay = 1_440;

/** SMS parts in a day: without a limit of its own, that of all its minutes; undefined is any number of them. */
export function dailyLimit({
  partsPerMinute,
  partsPerDay,
}: Pick<SendingLimits, 'partsPerMinute' | 'partsPerDay'>): number | undefined {
  return partsPerDay ?? (partsPerMinute === undefined ? undefined : minutesInDay * partsPerMinute);
}

/** What both a user and its company may use, such as the countries that they may send to; undefined is all. */
export function inBoth(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (one === undefined || other === undefined) {
    const given = one ?? other;
    return given && new Set(given);
  }
  return new Set(one.filter((item) => other.includes(item)));
}

/** Their columns, which `companies` and `users` have alike. */
export const storedLimits: StoredField<SendingLimits | undefined> = {
  columns: () => ({ parts_per_minute: 'bigint', parts_per_day: 'bigint', allowed_countries: 'text' }),
  read(values) {
    if (values.every((value) => value === null)) return undefined;
    const [partsPerMinute, partsPerDay, countries] = values as
      | readonly [number, number, string]
      | readonly null[];
    return {
      partsPerMinute: partsPerMinute ?? undefined,
      partsPerDay: partsPerDay ?? undefined,
      countries: countries ? (JSON.parse(countries) as string[]) : undefined,
    };
  },
  write(limits) {
    const { partsPerMinute = null, partsPerDay = null, countries } = limits ?? {};
    return [partsPerMinute, partsPerDay, countries === undefined ? null : JSON.stringify(countries)];
  },
};
