/**
 * The counts of statuses of each batch, kept by the database itself: whatever statement changes the status of a message,
 * its batch is counted again in the same transaction. Measured in docs/decisions/0017-counts-kept-by-triggers.md.
 */
import type { Dialect } from './sql.ts';

/** A message that is of no batch costs the look at its batch and no more; a statement that names no status, nothing. */
const statusChanged = 'NEW.batch_id IS NOT NULL AND NEW.status <> OLD.status';
/** Messages of a batch are made in its steps, which tell how many there are by now. */
const moreExpanded = 'NEW.expanded <> OLD.expanded';
/** What messages begin with. */
const queued = 0;

/** What a batch's counts are is the sum of both tables. The second is short-lived, and has no index to keep. */
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

/** One writer: nobody else can be counting. */
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
 * Transactions side by side would wait for each other at the row of a count, and crosswise at two of them. Rows that are
 * only added meet nobody; now and then they are folded into the counts.
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
