/** The tables of sign-in to the portal: sessions, and links that begin one. Of tokens they have digests only. */

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
