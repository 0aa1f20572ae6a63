/** The operator's limits on what a company or a user may send: how much in a period, and to which countries. */
import type { StoredField } from '../storage/stored-record.ts';

export interface SendingLimits {
  /** SMS parts per minute, from calls and e-mails; undefined means no limit. */
  readonly partsPerMinute: number | undefined;
  /** SMS parts per day, including batches. */
  readonly partsPerDay: number | undefined;
  /** Two-letter upper-case ISO 3166 codes; undefined allows all countries. */
  readonly countries: readonly string[] | undefined;
}

const minutesInDay = 1_440;

/** SMS parts per day. Without a daily limit, the limit per minute is extrapolated; undefined means no limit. */
export function dailyLimit({
  partsPerMinute,
  partsPerDay,
}: Pick<SendingLimits, 'partsPerMinute' | 'partsPerDay'>): number | undefined {
  return partsPerDay ?? (partsPerMinute === undefined ? undefined : minutesInDay * partsPerMinute);
}

/** Items that both the user and its company may use, such as destination countries; undefined allows all. */
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

/** The limit columns, which are the same in `companies` and `users`. */
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
