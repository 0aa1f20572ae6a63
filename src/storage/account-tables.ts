/** What was added to the tables of accounts: limits, ids of those who were removed, and logins. */

/** What companies and users may send at most, and what they sent in the minute and the day that count. */
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

/** Rows of the time of what was removed still say these ids, so that nobody else may ever have them. */
export function retiredIdTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE retired_ids (
        kind TEXT NOT NULL,
        id BIGINT NOT NULL,
        PRIMARY KEY (kind, id)
      )${clustered}`,
    // Those of earlier removals, where anything tells them.
    `INSERT INTO retired_ids SELECT 'user', told.id
       FROM (SELECT user_id AS id FROM usage_counts UNION SELECT user_id FROM incoming_messages) AS told
       WHERE told.id IS NOT NULL AND told.id NOT IN (SELECT id FROM users)`,
    `INSERT INTO retired_ids SELECT 'company', told.id
       FROM (SELECT company_id AS id FROM usage_counts UNION SELECT company_id FROM incoming_messages) AS told
       WHERE told.id IS NOT NULL AND told.id NOT IN (SELECT id FROM companies)`,
  ];
}

/**
 * Failed attempts of late, and from which networks users get in. No names and no addresses: what a stranger gives as a
 * user name may be a password, and addresses are people's own.
 */
export function loginTables(clustered: string): readonly string[] {
  return [
    // What a node (a life of it) counted of a subject in a slot of 15 s, numbered since 1970.
    `CREATE TABLE login_failures (
        subject TEXT NOT NULL,
        slot BIGINT NOT NULL,
        node TEXT NOT NULL,
        failures INTEGER NOT NULL,
        PRIMARY KEY (subject, slot, node)
      )${clustered}`,
    'CREATE INDEX login_failures_slot ON login_failures (slot)',
    // Digests of user and network.
    `CREATE TABLE login_networks (
        digest TEXT NOT NULL PRIMARY KEY,
        user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        seen_at BIGINT NOT NULL
      )${clustered}`,
    'CREATE INDEX login_networks_user ON login_networks (user_id, seen_at)',
    'CREATE INDEX login_networks_seen ON login_networks (seen_at)',
  ];
}
