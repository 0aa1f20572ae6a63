/** The tables of mail that goes out, and what the messages that came by mail keep for it. */
import type { Dialect } from './sql.ts';

export function outgoingMailTables(dialect: Dialect, clustered: string): readonly string[] {
  return [...outbox(clustered), ...receipts(), ...answersInJournal(dialect)];
}

function outbox(clustered: string): readonly string[] {
  return [
    // `content`: JSON, of which the address in the envelope is a part. `due_at` null: it has failed, for `reason`. What the
    // relay has taken is gone.
    `CREATE TABLE outgoing_mails (
      message_id TEXT NOT NULL PRIMARY KEY,
      company_id BIGINT NOT NULL,
      kind SMALLINT NOT NULL,
      content TEXT NOT NULL,
      queued_at BIGINT NOT NULL,
      due_at BIGINT,
      give_up_at BIGINT NOT NULL,
      tries INTEGER NOT NULL,
      reason TEXT
    )${clustered}`,
    'CREATE INDEX outgoing_mails_due ON outgoing_mails (due_at, message_id) WHERE due_at IS NOT NULL',
    'CREATE INDEX outgoing_mails_give_up ON outgoing_mails (give_up_at) WHERE due_at IS NOT NULL',
    'CREATE INDEX outgoing_mails_failed ON outgoing_mails (queued_at) WHERE due_at IS NULL',
    'CREATE INDEX outgoing_mails_company ON outgoing_mails (company_id)',
  ];
}

/**
 * Receipts gather in the rows of the messages until their mail is due. `mail_id`: the first message of the mail, whose row
 * says when that is, and when the mail before was. `mail_references`: what answers to the mail refer to (RFC 5322 3.6.4).
 */
function receipts(): readonly string[] {
  return [
    'ALTER TABLE email_messages ADD COLUMN mail_id BIGINT NOT NULL DEFAULT 0',
    'UPDATE email_messages SET mail_id = message_id',
    'ALTER TABLE email_messages ADD COLUMN mail_references TEXT',
    'ALTER TABLE email_messages ADD COLUMN untold_status SMALLINT',
    'ALTER TABLE email_messages ADD COLUMN untold_at BIGINT',
    'ALTER TABLE email_messages ADD COLUMN receipts_due_at BIGINT',
    'ALTER TABLE email_messages ADD COLUMN receipts_told_at BIGINT',
    `CREATE INDEX email_messages_receipts ON email_messages (receipts_due_at, company_id, message_id)
      WHERE receipts_due_at IS NOT NULL`,
  ];
}

/** An SMS that answers one that came by mail stands in the journal although nobody listens to its company. */
function answersInJournal(dialect: Dialect): readonly string[] {
  const columns = 'company_id, kind, subject_id, batch_id, status, changed_at';
  const values = 'NEW.company_id, 1, NEW.id, NULL, NULL, NEW.received_at';
  const isHeard = `EXISTS (SELECT 1 FROM change_listeners WHERE company_id = NEW.company_id)
    OR (NEW.response_to_id IS NOT NULL AND EXISTS (SELECT 1 FROM email_messages
      WHERE company_id = NEW.company_id AND message_id = NEW.response_to_id))`;
  if (dialect === 'postgres') {
    return [
      `CREATE OR REPLACE FUNCTION journal_incoming() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO changes (${columns}) SELECT ${values} WHERE ${isHeard};
        RETURN NULL;
      END $$`,
    ];
  }
  return [
    'DROP TRIGGER incoming_journal',
    `CREATE TRIGGER incoming_journal AFTER INSERT ON incoming_messages WHEN ${isHeard} BEGIN
      INSERT INTO changes (place, ${columns})
      VALUES ((SELECT COALESCE(MAX(place), 0) + 1 FROM changes), ${values});
    END`,
  ];
}
