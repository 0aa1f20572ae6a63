/**
 * The status counts of each batch, kept by the database itself: whatever statement changes the status of a message, the
 * counts change in the same transaction. Measured in docs/decisions/0017-counts-kept-by-triggers.md.
 */
import type { Dialect } from './sql.ts';

/** A message outside of batches costs only this check; a statement that does not set the status costs nothing. */
const statusChanged = 'NEW.batch_id IS NOT NULL AND NEW.status <> OLD.status';
/** The steps of a batch make its messages, and record how many there are. */
const moreExpanded = 'NEW.expanded <> OLD.expanded';
/** The first status of a message. */
const queued = 0;

/** The counts of a batch are the sum of both tables. Rows of the second are short-lived, and it has no index to maintain. */
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

/** SQLite has one writer, so the counts can be changed in place. */
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
 * Concurrent transactions would wait for each other at the row of a count, and deadlock at two of them. Rows that are
 * only added conflict with nothing; now and then they are folded into the counts.
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
