/** Later additions to the account tables: limits, ids of removed accounts, logins, sessions and the audit log. */
import type { Dialect } from './sql.ts';

/** Send limits of companies and users, and what they have sent in the minute and the day being counted. */
export function limitTables(): readonly string[] {
  return ['companies', 'users'].flatMap((holder) =>
    [
      'parts_per_minute BIGINT',
      'parts_per_day BIGINT',
      // A list of ISO 3166 codes. Null allows all countries.
      'allowed_countries TEXT',
      // Minutes and days since the epoch, and numbers of SMS parts.
      'minute_counted BIGINT',
      'minute_parts BIGINT NOT NULL DEFAULT 0',
      'day_counted BIGINT',
      'day_parts BIGINT NOT NULL DEFAULT 0',
    ].map((column) => `ALTER TABLE ${holder} ADD COLUMN ${column}`),
  );
}

/** Older rows still refer to the ids of removed users and companies, so those ids must never be reused. */
export function retiredIdTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE retired_ids (
        kind TEXT NOT NULL,
        id BIGINT NOT NULL,
        PRIMARY KEY (kind, id)
      )${clustered}`,
    // Fills in the ids that were removed earlier, as far as other tables still show them.
    `INSERT INTO retired_ids SELECT 'user', told.id
       FROM (SELECT user_id AS id FROM usage_counts UNION SELECT user_id FROM incoming_messages) AS told
       WHERE told.id IS NOT NULL AND told.id NOT IN (SELECT id FROM users)`,
    `INSERT INTO retired_ids SELECT 'company', told.id
       FROM (SELECT company_id AS id FROM usage_counts UNION SELECT company_id FROM incoming_messages) AS told
       WHERE told.id IS NOT NULL AND told.id NOT IN (SELECT id FROM companies)`,
  ];
}

/**
 * Recent failed logins, and the networks that users have logged in from. Names and addresses are not stored: a stranger may
 * type a password as the user name, and addresses are personal data.
 */
export function loginTables(clustered: string): readonly string[] {
  return [
    // Failures for a subject in a slot of 15 s, as counted by a node between its start and its end. Slots are numbered
    // since 1970.
    `CREATE TABLE login_failures (
        subject TEXT NOT NULL,
        slot BIGINT NOT NULL,
        node TEXT NOT NULL,
        failures INTEGER NOT NULL,
        PRIMARY KEY (subject, slot, node)
      )${clustered}`,
    'CREATE INDEX login_failures_slot ON login_failures (slot)',
    // Each digest covers a user and a network.
    `CREATE TABLE login_networks (
        digest TEXT NOT NULL PRIMARY KEY,
        user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        seen_at BIGINT NOT NULL
      )${clustered}`,
    'CREATE INDEX login_networks_user ON login_networks (user_id, seen_at)',
    'CREATE INDEX login_networks_seen ON login_networks (seen_at)',
  ];
}

/** Sign-in to the portal: sessions, and the links that start one. Only digests of tokens are stored. */
export function sessionTables(clustered: string): readonly string[] {
  return [
    // `standing` reflects the user's password and roles when the session began. `by_link` means that a password is still to
    // be set.
    `CREATE TABLE sessions (
      digest TEXT NOT NULL PRIMARY KEY,
      id TEXT NOT NULL,
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at BIGINT NOT NULL,
      used_at BIGINT NOT NULL,
      network TEXT NOT NULL,
      browser TEXT NOT NULL,
      standing TEXT NOT NULL,
      by_link SMALLINT NOT NULL
    )${clustered}`,
    'CREATE INDEX sessions_user ON sessions (user_id, used_at)',
    'CREATE INDEX sessions_age ON sessions (created_at)',
    // A user has at most one link, the latest.
    `CREATE TABLE login_links (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      digest TEXT NOT NULL UNIQUE,
      standing TEXT NOT NULL,
      expires_at BIGINT NOT NULL
    )${clustered}`,
  ];
}

/** Operators in the portal: their sessions, the networks that they have signed in from, and what they see of nodes. */
export function operatorTables(clustered: string): readonly string[] {
  return [
    // A session ends with the password that it was begun with, of which `password_mark` is a digest.
    `CREATE TABLE operator_sessions (
      digest TEXT NOT NULL PRIMARY KEY,
      id TEXT NOT NULL,
      username TEXT NOT NULL REFERENCES operators (username) ON DELETE CASCADE,
      created_at BIGINT NOT NULL,
      used_at BIGINT NOT NULL,
      network TEXT NOT NULL,
      browser TEXT NOT NULL,
      password_mark TEXT NOT NULL
    )${clustered}`,
    'CREATE INDEX operator_sessions_username ON operator_sessions (username, used_at)',
    'CREATE INDEX operator_sessions_age ON operator_sessions (created_at)',
    `CREATE TABLE operator_networks (
      digest TEXT NOT NULL PRIMARY KEY,
      username TEXT NOT NULL REFERENCES operators (username) ON DELETE CASCADE,
      seen_at BIGINT NOT NULL
    )${clustered}`,
    'CREATE INDEX operator_networks_username ON operator_networks (username, seen_at)',
    'CREATE INDEX operator_networks_seen ON operator_networks (seen_at)',
    // What operators see of a node; NULL for nodes of earlier versions.
    ...['beat_at BIGINT', 'version TEXT', 'roles TEXT'].map(
      (column) => `ALTER TABLE nodes ADD COLUMN ${column}`,
    ),
  ];
}

/** Data for notifying users by mail of a sign-in from a network that is new to them. */
export function signInTables(clustered: string): readonly string[] {
  return [
    'ALTER TABLE users ADD COLUMN email TEXT',
    'ALTER TABLE companies ADD COLUMN sign_in_mails SMALLINT NOT NULL DEFAULT 0',
    `CREATE TABLE sign_in_networks (
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      network TEXT NOT NULL,
      seen_at BIGINT NOT NULL,
      PRIMARY KEY (user_id, network)
    )${clustered}`,
    'CREATE INDEX sign_in_networks_age ON sign_in_networks (seen_at)',
    // A user has a row from the first sign-in on, which distinguishes that sign-in from later ones even after the
    // networks have been purged. `day` is the UTC day of the last sign-in, and `mails` the number of e-mails sent on
    // it.
    `CREATE TABLE sign_in_mails (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      day BIGINT NOT NULL,
      mails INTEGER NOT NULL
    )${clustered}`,
  ];
}

/**
 * Sign-in by identity providers (OpenID Connect): the providers, the users that their subjects are, and by which provider a
 * session was begun. `confirmed_at` is when the user last proved to the provider who they are; 0 if the provider does not say.
 */
export function identityTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE identity_providers (
      name TEXT NOT NULL PRIMARY KEY,
      company_id BIGINT,
      settings TEXT NOT NULL
    )${clustered}`,
    // A provider knows a user by the subject, which never changes, whatever name the user has there.
    `CREATE TABLE user_identities (
      provider TEXT NOT NULL,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      since BIGINT NOT NULL,
      PRIMARY KEY (provider, issuer, subject)
    )${clustered}`,
    'CREATE UNIQUE INDEX user_identities_user ON user_identities (user_id, provider)',
    'ALTER TABLE sessions ADD COLUMN provider TEXT',
    'ALTER TABLE sessions ADD COLUMN confirmed_at BIGINT',
  ];
}

/**
 * Second factors of users. `factor_at` is when a second factor was last given in a session; NULL for never. `second_factor` of
 * a company says who of its users must have one; NULL for nobody.
 */
export function factorTables(clustered: string): readonly string[] {
  return [
    'ALTER TABLE sessions ADD COLUMN factor_at BIGINT',
    'ALTER TABLE companies ADD COLUMN second_factor TEXT',
    // The secret is sealed. A code is valid only if its time step is later than `used_step`.
    `CREATE TABLE totp_secrets (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secret TEXT NOT NULL,
      used_step BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      used_at BIGINT NOT NULL
    )${clustered}`,
    `CREATE TABLE passkeys (
      id TEXT NOT NULL PRIMARY KEY,
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      public_key TEXT NOT NULL,
      counter BIGINT NOT NULL,
      transports TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      used_at BIGINT
    )${clustered}`,
    'CREATE INDEX passkeys_user ON passkeys (user_id, created_at)',
    // Only digests are stored, and a used code is removed.
    `CREATE TABLE recovery_codes (
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      digest TEXT NOT NULL,
      PRIMARY KEY (user_id, digest)
    )${clustered}`,
    // Challenges are signed and not stored until they are used, which each can be only once.
    `CREATE TABLE used_challenges (
      digest TEXT NOT NULL PRIMARY KEY,
      expires_at BIGINT NOT NULL
    )${clustered}`,
    'CREATE INDEX used_challenges_age ON used_challenges (expires_at)',
  ];
}

/** Second factors of operators: the same tables as those of users, with an operator's name in place of a user's id. */
export function operatorFactorTables(clustered: string): readonly string[] {
  const owner = 'username TEXT NOT NULL REFERENCES operators (username) ON DELETE CASCADE';
  return [
    'ALTER TABLE operator_sessions ADD COLUMN factor_at BIGINT',
    `CREATE TABLE operator_totp_secrets (
      ${owner.replace('NOT NULL', 'NOT NULL PRIMARY KEY')},
      secret TEXT NOT NULL,
      used_step BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      used_at BIGINT NOT NULL
    )${clustered}`,
    `CREATE TABLE operator_passkeys (
      id TEXT NOT NULL PRIMARY KEY,
      ${owner},
      name TEXT NOT NULL,
      public_key TEXT NOT NULL,
      counter BIGINT NOT NULL,
      transports TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      used_at BIGINT
    )${clustered}`,
    'CREATE INDEX operator_passkeys_username ON operator_passkeys (username, created_at)',
    `CREATE TABLE operator_recovery_codes (
      ${owner},
      digest TEXT NOT NULL,
      PRIMARY KEY (username, digest)
    )${clustered}`,
  ];
}

/** Replaces a single leading zero of phone numbers, in digits; NULL leaves such numbers without a country. */
export const companyCountryCodes = 'ALTER TABLE companies ADD COLUMN country_code TEXT';

/**
 * The time zone is a name of the IANA database; the cost centres are a list of objects, as JSON. The index finds the sessions
 * that end with their identity provider.
 */
export const zonesAndCostCenters = [
  'ALTER TABLE companies ADD COLUMN time_zone TEXT',
  'ALTER TABLE companies ADD COLUMN cost_centers TEXT',
  'CREATE INDEX sessions_provider ON sessions (provider) WHERE provider IS NOT NULL',
] as const;

/** Lists as JSON; NULL for a key that may do what its user may, from any network. */
export const limitsOfKeys = [
  'ALTER TABLE api_keys ADD COLUMN scopes TEXT',
  'ALTER TABLE api_keys ADD COLUMN networks TEXT',
] as const;

export function auditTables(dialect: Dialect, clustered: string): readonly string[] {
  return [
    // `username` is NULL for an operator at the command line.
    `CREATE TABLE audit_log (
      id BIGINT NOT NULL${dialect === 'postgres' ? ' GENERATED BY DEFAULT AS IDENTITY' : ''} PRIMARY KEY,
      company_id BIGINT NOT NULL,
      at BIGINT NOT NULL,
      channel TEXT NOT NULL,
      username TEXT,
      act TEXT NOT NULL,
      object TEXT NOT NULL,
      details TEXT NOT NULL
    )${clustered}`,
    'CREATE INDEX audit_log_company ON audit_log (company_id, id)',
    'CREATE INDEX audit_log_age ON audit_log (at)',
  ];
}

/** Finds the latest entry for an action on an object, so viewing the same object again is not recorded twice. */
export const auditedObjects = 'CREATE INDEX audit_log_object ON audit_log (company_id, act, object, at)';

/** Finds the entries of a company by time, user, act or object, in any combination. */
export const filteredAudit: readonly string[] = [
  'CREATE INDEX audit_log_company_at ON audit_log (company_id, at, id)',
  'CREATE INDEX audit_log_username ON audit_log (company_id, username, at, id)',
  'CREATE INDEX audit_log_act ON audit_log (company_id, act, at, id)',
  'CREATE INDEX audit_log_object_at ON audit_log (company_id, object, at, id)',
];
