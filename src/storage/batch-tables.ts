/** The batch tables: what was received, how far each batch has progressed, and how many messages have each status. */
import type { Dialect } from './sql.ts';

export function batchTables(clustered: string): readonly string[] {
  return [
    // `code` NULL: the batch is still being stored and is not visible yet. `failure_code` is the code it will end with
    // because of problems found on receipt. `reason` explains these, or why the batch ended otherwise. From
    // `started_at`, when its quota was taken, its messages have the ids from `first_message_id` on. `clearing`: the
    // batch has ended and its remaining messages are being taken back: those from place `clear_from` on, and those from
    // `clear_again_from` on a second time.
    `CREATE TABLE batches (
      company_id BIGINT NOT NULL,
      id BIGINT NOT NULL,
      user_id BIGINT NOT NULL,
      code SMALLINT,
      failure_code SMALLINT,
      reason TEXT,
      conversation TEXT NOT NULL,
      sender TEXT NOT NULL,
      cost_center TEXT NOT NULL,
      validity_minutes INTEGER NOT NULL,
      created_at BIGINT NOT NULL,
      changed_at BIGINT NOT NULL,
      messages INTEGER NOT NULL,
      parts BIGINT NOT NULL,
      duplicates INTEGER NOT NULL,
      chunks INTEGER NOT NULL,
      next_chunk INTEGER NOT NULL,
      expanded INTEGER NOT NULL,
      first_message_id BIGINT,
      started_at BIGINT,
      not_before BIGINT NOT NULL,
      clearing SMALLINT NOT NULL,
      clear_from INTEGER NOT NULL,
      clear_again_from INTEGER,
      PRIMARY KEY (company_id, id)
    )${clustered}`,
    'CREATE INDEX batches_conversation ON batches (user_id, conversation, id)',
    // Batches with a next step: those being taken back first, then the least advanced, so a small batch does not wait for a
    // large one to end.
    'CREATE INDEX batches_under_way ON batches (clearing DESC, next_chunk, id) WHERE code IN (1, 2, 3) OR clearing = 1',
    'CREATE INDEX batches_receiving ON batches (created_at) WHERE code IS NULL',
    `CREATE TABLE batch_chunks (
      batch_id BIGINT NOT NULL,
      chunk INTEGER NOT NULL,
      messages INTEGER NOT NULL,
      finished TEXT NOT NULL,
      PRIMARY KEY (batch_id, chunk)
    )${clustered}`,
    'CREATE INDEX messages_batch_unread ON messages (batch_id, changed_at, id) WHERE unread = 1 AND batch_id IS NOT NULL',
    'CREATE INDEX messages_batch_conversation ON messages (user_id, conversation, id) WHERE batch_id IS NOT NULL',
    // Provisioned settings: the hours in which a company sends (JSON), and the maximum batch size of an account.
    'ALTER TABLE companies ADD COLUMN send_hours TEXT',
    'ALTER TABLE users ADD COLUMN max_batch INTEGER',
  ];
}

/**
 * `clearing` 2: the batch is paused and its waiting messages are being set aside. 3: it has resumed and they are being
 * released.
 */
export const namedBatches: readonly string[] = [
  "ALTER TABLE batches ADD COLUMN name TEXT NOT NULL DEFAULT ''",
  // Null means as soon as the batch is received.
  'ALTER TABLE batches ADD COLUMN scheduled_at BIGINT',
  'ALTER TABLE batches ADD COLUMN paused SMALLINT NOT NULL DEFAULT 0',
  'DROP INDEX batches_under_way',
  'CREATE INDEX batches_under_way ON batches (clearing DESC, next_chunk, id) WHERE (code IN (1, 2, 3) AND paused = 0) OR clearing > 0',
  'CREATE INDEX batches_paused ON batches (company_id, id) WHERE paused = 1',
  'CREATE INDEX batches_user ON batches (user_id, id)',
];

/** Batches with a start time, in order of that time. */
export const batchesByTime =
  'CREATE INDEX batches_scheduled ON batches (company_id, scheduled_at, id) WHERE code IN (1, 2, 3) AND scheduled_at IS NOT NULL';

/** For a batch that resends those messages of another batch that had failed by a given time. */
export const resentBatches: readonly string[] = [
  'ALTER TABLE batches ADD COLUMN resent_from BIGINT',
  'ALTER TABLE batches ADD COLUMN resent_until BIGINT',
  'CREATE INDEX batches_resent ON batches (resent_from) WHERE resent_from IS NOT NULL',
];

/*
 * The database itself maintains the counts, so any statement that changes a message's status changes them in the same
 * transaction. Measured in docs/decisions/0017-counts-kept-by-triggers.md.
 */

/** A message outside batches costs only this check. A statement that does not set the status costs nothing. */
const statusChanged = 'NEW.batch_id IS NOT NULL AND NEW.status <> OLD.status';
/** The steps of a batch create its messages and record how many there are. */
const moreExpanded = 'NEW.expanded <> OLD.expanded';
/** The first status of a message. */
const queued = 0;

/** A batch's counts are the sum of both tables. Rows of the second table are short-lived, and it has no index to maintain. */
const tables = (clustered: string) => [
  `CREATE TABLE batch_counts (
    batch_id BIGINT NOT NULL,
    status SMALLINT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (batch_id, status)
  )${clustered}`,
  `CREATE TABLE batch_count_changes (
    batch_id BIGINT NOT NULL,
    before_status SMALLINT,
    after_status SMALLINT NOT NULL,
    messages INTEGER NOT NULL
  )`,
];

const more = `ON CONFLICT (batch_id, status) DO UPDATE SET messages = messages + excluded.messages`;

/** SQLite has a single writer, so the counts can be updated in place. */
const sqliteTriggers = [
  `CREATE TRIGGER messages_count_status AFTER UPDATE OF status ON messages WHEN ${statusChanged} BEGIN
    UPDATE batch_counts SET messages = messages - 1 WHERE batch_id = OLD.batch_id AND status = OLD.status;
    INSERT INTO batch_counts (batch_id, status, messages) VALUES (NEW.batch_id, NEW.status, 1) ${more};
  END`,
  `CREATE TRIGGER batches_count_expanded AFTER UPDATE OF expanded ON batches WHEN ${moreExpanded} BEGIN
    INSERT INTO batch_counts (batch_id, status, messages) VALUES (NEW.id, ${queued}, NEW.expanded - OLD.expanded) ${more};
  END`,
];

/**
 * Concurrent transactions would block on a shared count row, and deadlock on two of them. Inserted rows conflict with
 * nothing, and are periodically merged into the counts.
 */
const postgresTriggers = [
  `CREATE FUNCTION count_status() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO batch_count_changes (batch_id, before_status, after_status, messages)
    VALUES (NEW.batch_id, OLD.status, NEW.status, 1);
    RETURN NULL;
  END $$`,
  `CREATE FUNCTION count_expanded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO batch_count_changes (batch_id, before_status, after_status, messages)
    VALUES (NEW.id, NULL, ${queued}, NEW.expanded - OLD.expanded);
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER messages_count_status AFTER UPDATE OF status ON messages FOR EACH ROW
    WHEN (${statusChanged}) EXECUTE FUNCTION count_status()`,
  `CREATE TRIGGER batches_count_expanded AFTER UPDATE OF expanded ON batches FOR EACH ROW
    WHEN (${moreExpanded}) EXECUTE FUNCTION count_expanded()`,
];

export function batchCountTables(dialect: Dialect, clustered: string): readonly string[] {
  return [...tables(clustered), ...(dialect === 'sqlite' ? sqliteTriggers : postgresTriggers)];
}

/** The same counts without an upsert and without functions such as `changes()`, as `orFail` requires. PostgreSQL has no upsert here. */
export function countsWithoutUpsert(dialect: Dialect): readonly string[] {
  if (dialect === 'postgres') return [];
  return [
    'DROP TRIGGER messages_count_status',
    `CREATE TRIGGER messages_count_status AFTER UPDATE OF status ON messages WHEN ${statusChanged} BEGIN
      UPDATE batch_counts SET messages = messages - 1 WHERE batch_id = OLD.batch_id AND status = OLD.status;
      UPDATE batch_counts SET messages = messages + 1 WHERE batch_id = NEW.batch_id AND status = NEW.status;
      INSERT INTO batch_counts (batch_id, status, messages) SELECT NEW.batch_id, NEW.status, 1
        WHERE NOT EXISTS (SELECT 1 FROM batch_counts WHERE batch_id = NEW.batch_id AND status = NEW.status);
    END`,
  ];
}
