/** The operator's limits on what a company or a user may send: how much in a period, and to which countries. */

export interface SendingLimits {
  /** SMS parts in a minute, of calls and mails; undefined is any number of them. */
  readonly partsPerMinute: number | undefined;
  /** SMS parts in a day, batches included. */
  readonly partsPerDay: number | undefined;
  /** ISO 3166 codes of two capital letters; undefined is all countries. */
  readonly countries: readonly string[] | undefined;
}

/** The countries that both a user and its company may send to. */
export function inBoth(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (one === undefined || other === undefined) {
    const given = one ?? other;
    return given && new Set(given);
  }
  return new Set(one.filter((country) => other.includes(country)));
}
