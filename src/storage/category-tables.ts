/** What companies do about opt-outs, the categories of messages, and the replies to STOP, START and HELP. */

/** A category is null where it is the standard one. */
export function categoryTables(clustered: string): readonly string[] {
  return [
    'ALTER TABLE companies ADD COLUMN opt_outs TEXT',
    'ALTER TABLE users ADD COLUMN category TEXT',
    'ALTER TABLE messages ADD COLUMN category SMALLINT',
    'ALTER TABLE batches ADD COLUMN category SMALLINT',
    'ALTER TABLE job_answers ADD COLUMN opted_out SMALLINT NOT NULL DEFAULT 0',
    // `due_at` NULL: sent, or given up.
    `CREATE TABLE opt_out_replies (
      company_id BIGINT NOT NULL,
      phone TEXT NOT NULL,
      kind SMALLINT NOT NULL,
      word SMALLINT NOT NULL,
      number TEXT NOT NULL,
      user_id BIGINT NOT NULL,
      way SMALLINT NOT NULL,
      conversation TEXT NOT NULL,
      asked_at BIGINT NOT NULL,
      due_at BIGINT,
      PRIMARY KEY (company_id, phone, kind)
    )${clustered}`,
    'CREATE INDEX opt_out_replies_due ON opt_out_replies (due_at) WHERE due_at IS NOT NULL',
    'CREATE INDEX opt_out_replies_age ON opt_out_replies (asked_at)',
  ];
}
