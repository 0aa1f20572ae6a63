/** The tables of sign-in to the portal: sessions, links that begin one, networks. Of tokens they have digests only. */

export function sessionTables(clustered: string): readonly string[] {
  return [
    // `standing`: of password and roles when it began. `by_link`: a password is still to be set.
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
    // A user has one at most: the latest.
    `CREATE TABLE login_links (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      digest TEXT NOT NULL UNIQUE,
      standing TEXT NOT NULL,
      expires_at BIGINT NOT NULL
    )${clustered}`,
  ];
}

/** What it takes to tell users by mail of a sign-in from a network that is new to them. */
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
    // A user has a row from the first sign-in on, which tells it from all later ones when the networks are long purged.
    // `day`: of UTC, that of the last sign-in; `mails`: how many have gone out on it.
    `CREATE TABLE sign_in_mails (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      day BIGINT NOT NULL,
      mails INTEGER NOT NULL
    )${clustered}`,
  ];
}
