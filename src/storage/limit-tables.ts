/** The columns of what companies and users may send at most, and of what they sent in the minute and the day that count. */

export function limitTables(): readonly string[] {
  return ['companies', 'users'].flatMap((holder) =>
    [
      'parts_per_minute BIGINT',
      'parts_per_day BIGINT',
      // A list of ISO 3166 codes; null is all.
      'allowed_countries TEXT',
      // Minutes and days since the epoch, and SMS parts.
      'minute_counted BIGINT',
      'minute_parts BIGINT NOT NULL DEFAULT 0',
      'day_counted BIGINT',
      'day_parts BIGINT NOT NULL DEFAULT 0',
    ].map((column) => `ALTER TABLE ${holder} ADD COLUMN ${column}`),
  );
}
