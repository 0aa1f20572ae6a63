/** The tables of logins: failed attempts of late, and from which networks users get in. */

/** No names and no addresses: what a stranger gives as a user name may be a password, and addresses are people's own. */
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
