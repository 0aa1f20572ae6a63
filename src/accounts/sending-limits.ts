/** What the operator allows a company or a user at most to send: how much in a time, and where. */

export interface SendingLimits {
  /** SMS parts in a minute, of calls and mails; undefined is any number of them. */
  readonly partsPerMinute: number | undefined;
  /** SMS parts in a day, batches included. */
  readonly partsPerDay: number | undefined;
  /** ISO 3166 codes of two capital letters; undefined is all countries. */
  readonly countries: readonly string[] | undefined;
}

/** Where both may send to, a user and the company. */
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
