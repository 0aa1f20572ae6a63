/** The tables of webhooks and callbacks: who is notified of what, what is still to be sent, and the outcome of each try. */

export function webhookTables(clustered: string): readonly string[] {
  return [...endpointTables(), ...queueTables(clustered)];
}

/**
 * What webhooks need because they may also be changed by hand: concurrent changes must not overwrite each other or use
 * the same name twice.
 */
export const changedWebhooks: readonly string[] = [
  'ALTER TABLE webhook_endpoints ADD COLUMN version INTEGER NOT NULL DEFAULT 1',
  'DROP INDEX webhook_endpoints_name',
  'CREATE UNIQUE INDEX webhook_endpoints_name ON webhook_endpoints (company_id, name) WHERE system_user_id IS NULL',
  'DROP INDEX webhook_endpoints_company',
  'CREATE INDEX webhook_endpoints_company ON webhook_endpoints (company_id, id)',
  'DROP INDEX webhook_endpoints_user',
  'CREATE INDEX webhook_endpoints_user ON webhook_endpoints (user_id, id) WHERE user_id IS NOT NULL',
  // JSON lists of event numbers. In an attempt, NULL means that they are consecutive. In a replay, NULL means all.
  'ALTER TABLE webhook_attempts ADD COLUMN seqs TEXT',
  'ALTER TABLE webhook_queues ADD COLUMN replay_only TEXT',
];

/** Distinguishes a post that was under way when the receiver was reported to work again from later posts. */
export const enabledWebhooks =
  'ALTER TABLE webhook_queues ADD COLUMN times_enabled INTEGER NOT NULL DEFAULT 0';

/**
 * Counts each endpoint's attempts by hour, so that a list of webhooks shows the outcome of a day without reading its attempts.
 * `hour_at` is the beginning of the hour.
 */
export function attemptCountTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE webhook_attempt_counts (
      endpoint_id BIGINT NOT NULL,
      hour_at BIGINT NOT NULL,
      ok BIGINT NOT NULL,
      failed BIGINT NOT NULL,
      PRIMARY KEY (endpoint_id, hour_at)
    )${clustered}`,
    'CREATE INDEX webhook_attempt_counts_age ON webhook_attempt_counts (hour_at)',
    `INSERT INTO webhook_attempt_counts (endpoint_id, hour_at, ok, failed)
      SELECT endpoint_id, at / 3600000 * 3600000, SUM(CASE WHEN status BETWEEN 200 AND 299 THEN 1 ELSE 0 END),
        SUM(CASE WHEN status BETWEEN 200 AND 299 THEN 0 ELSE 1 END)
      FROM webhook_attempts GROUP BY endpoint_id, at / 3600000`,
  ];
}

/**
 * Callback URLs of calls, which are endpoints too. `calls_until`: until when messages can change whose calls named the URL;
 * NULL for all other endpoints. The secrets of a user's callback URLs outlive these.
 */
export function callbackUrlTables(clustered: string): readonly string[] {
  return [
    'ALTER TABLE webhook_endpoints ADD COLUMN calls_until BIGINT',
    'DROP INDEX webhook_endpoints_name',
    `CREATE UNIQUE INDEX webhook_endpoints_name ON webhook_endpoints (company_id, name)
      WHERE system_user_id IS NULL AND calls_until IS NULL`,
    'ALTER TABLE messages ADD COLUMN callback_id BIGINT',
    `CREATE TABLE webhook_callback_secrets (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      secrets TEXT NOT NULL
    )${clustered}`,
  ];
}

function endpointTables(): readonly string[] {
  return [
    // Owners of jobs.
    `CREATE TABLE system_users (
      id BIGINT NOT NULL PRIMARY KEY,
      company_id BIGINT NOT NULL REFERENCES companies (id),
      username TEXT NOT NULL UNIQUE
    )`,
    'CREATE INDEX system_users_company ON system_users (company_id)',
    // A webhook of a company or of a single user, or the callback of a system user, in which case it has that user's name.
    // `events` and `statuses` have one bit per code. `secrets` is a JSON list of sealed secrets.
    `CREATE TABLE webhook_endpoints (
      id BIGINT NOT NULL PRIMARY KEY,
      company_id BIGINT NOT NULL REFERENCES companies (id),
      name TEXT NOT NULL,
      user_id BIGINT REFERENCES users (id),
      system_user_id BIGINT UNIQUE REFERENCES system_users (id),
      url TEXT NOT NULL,
      secrets TEXT NOT NULL,
      events INTEGER NOT NULL,
      statuses INTEGER NOT NULL,
      cost_center TEXT,
      conversation_prefix TEXT,
      batch_id BIGINT,
      batch SMALLINT NOT NULL,
      full_text SMALLINT NOT NULL,
      active SMALLINT NOT NULL
    )`,
    'CREATE INDEX webhook_endpoints_name ON webhook_endpoints (company_id, name) WHERE system_user_id IS NULL',
    'CREATE INDEX webhook_endpoints_company ON webhook_endpoints (company_id)',
    'CREATE INDEX webhook_endpoints_user ON webhook_endpoints (user_id) WHERE user_id IS NOT NULL',
  ];
}

function queueTables(clustered: string): readonly string[] {
  return [
    // The progress of each endpoint. `last_seq`: the newest event. Events up to `done_seq` have been accepted by the
    // receiver or given up, or are in `webhook_retries`. `failures`: consecutive failed tries since `failing_since`,
    // with no further try before `next_at`. Events from `replay_next` to `replay_to` are being sent again. `begun` 0:
    // messages that were under way when the endpoint was created have yet to be listened to. The row of a removed
    // endpoint stays until its events are gone.
    `CREATE TABLE webhook_queues (
      endpoint_id BIGINT NOT NULL PRIMARY KEY,
      last_seq BIGINT NOT NULL DEFAULT 0,
      done_seq BIGINT NOT NULL DEFAULT 0,
      last_attempt BIGINT NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      failing_since BIGINT,
      next_at BIGINT NOT NULL DEFAULT 0,
      disabled_at BIGINT,
      disabled_reason TEXT,
      lost BIGINT NOT NULL DEFAULT 0,
      replay_next BIGINT,
      replay_to BIGINT,
      begun SMALLINT NOT NULL DEFAULT 0
    )${clustered}`,
    // The events for each endpoint, in order. Events of one subject (a message, a batch, a job) are sent one after the other.
    `CREATE TABLE webhook_events (
      endpoint_id BIGINT NOT NULL,
      seq BIGINT NOT NULL,
      subject_id BIGINT NOT NULL,
      type SMALLINT NOT NULL,
      at BIGINT NOT NULL,
      queued_at BIGINT NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (endpoint_id, seq)
    )${clustered}`,
    // Failed posts, each with the numbers of its events (a JSON list). `due_at` NULL: given up.
    `CREATE TABLE webhook_retries (
      endpoint_id BIGINT NOT NULL,
      first_seq BIGINT NOT NULL,
      seqs TEXT NOT NULL,
      tries INTEGER NOT NULL,
      due_at BIGINT,
      PRIMARY KEY (endpoint_id, first_seq)
    )${clustered}`,
    `CREATE TABLE webhook_attempts (
      endpoint_id BIGINT NOT NULL,
      number BIGINT NOT NULL,
      at BIGINT NOT NULL,
      first_seq BIGINT NOT NULL,
      events INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      address TEXT,
      status SMALLINT,
      duration_ms INTEGER NOT NULL,
      error TEXT,
      answer TEXT NOT NULL,
      PRIMARY KEY (endpoint_id, number)
    )${clustered}`,
    // The node that reads for a reader name that several nodes share.
    'ALTER TABLE change_readers ADD COLUMN holder BIGINT',
  ];
}
