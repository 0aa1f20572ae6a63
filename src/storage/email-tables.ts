/** The tables of mail: who may send by it, what a company sets for all of its senders, what came in, and what goes out. */
import type { Dialect } from './sql.ts';

/** Columns of the settings that an entry has and that a company may have a default of. */
const settings = (rule: string) => `
        sender TEXT${rule},
        cost_center TEXT${rule},
        default_country_code TEXT${rule},
        max_sms SMALLINT${rule},
        check_mobile SMALLINT${rule},
        include_subject SMALLINT${rule},
        only_non_delivery SMALLINT${rule},
        orig_msg SMALLINT${rule},
        split_callback SMALLINT${rule},
        sender_logic SMALLINT${rule}`;

export function emailTables(clustered: string): readonly string[] {
  return [
    // A list: what the domains of the company's senders must end with; null is none.
    'ALTER TABLE companies ADD COLUMN email_domain_endings TEXT',
    // Whether answers and receipts of what the user pays for may go back by mail.
    'ALTER TABLE users ADD COLUMN smtp_split SMALLINT NOT NULL DEFAULT 0',
    `CREATE TABLE email_defaults (
        company_id BIGINT NOT NULL PRIMARY KEY REFERENCES companies (id) ON DELETE CASCADE,
        paying_user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,${settings('')}
      )${clustered}`,
    'CREATE INDEX email_defaults_paying ON email_defaults (paying_user_id)',
    // The key alone is the address, in the form of which there is one, or "@" and a domain: no two companies share it.
    `CREATE TABLE email_senders (
        email TEXT NOT NULL PRIMARY KEY,
        company_id BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
        paying_user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        blocked SMALLINT NOT NULL,${settings(' NOT NULL')}
      )${clustered}`,
    'CREATE INDEX email_senders_company ON email_senders (company_id)',
    'CREATE INDEX email_senders_paying ON email_senders (paying_user_id)',
  ];
}

/** A list: how lines begin that the gateways of the company add to mails; null is none. */
export const cutMailLines = 'ALTER TABLE companies ADD COLUMN mail_cut TEXT';

/** What became of the mails of the last days, in rings of a fixed size: see `email/gateway/recent-mail.ts`. */
export function recentMailTables(clustered: string): readonly string[] {
  return [
    `CREATE TABLE recent_mails (
        ring BIGINT NOT NULL,
        slot INTEGER NOT NULL,
        received_at BIGINT NOT NULL,
        address TEXT NOT NULL,
        sender TEXT NOT NULL,
        is_proven SMALLINT NOT NULL,
        recipients TEXT NOT NULL,
        recipient_count INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        reason TEXT,
        answer TEXT NOT NULL,
        message_ids TEXT NOT NULL,
        PRIMARY KEY (ring, slot)
      )${clustered}`,
    'CREATE INDEX recent_mails_received ON recent_mails (received_at)',
    `CREATE TABLE recent_mail_rings (
        ring BIGINT NOT NULL PRIMARY KEY,
        next BIGINT NOT NULL
      )${clustered}`,
  ];
}

/** What came by mail: by what it is known again, and where answers to it go. */
export function receivedMailTables(clustered: string): readonly string[] {
  return [
    // Digests of what was delivered, and to whom: a mail that is delivered again sends nothing twice.
    `CREATE TABLE email_deliveries (
        delivery_key TEXT NOT NULL PRIMARY KEY,
        expires_at BIGINT NOT NULL
      )${clustered}`,
    'CREATE INDEX email_deliveries_expiry ON email_deliveries (expires_at)',
    // Of messages whose receipts and answers go back by mail: to whom, and as answers to what.
    `CREATE TABLE email_messages (
        company_id BIGINT NOT NULL,
        message_id BIGINT NOT NULL,
        return_address TEXT NOT NULL,
        mail_message_id TEXT,
        subject TEXT NOT NULL,
        only_non_delivery SMALLINT NOT NULL,
        orig_msg SMALLINT NOT NULL,
        received_at BIGINT NOT NULL,
        PRIMARY KEY (company_id, message_id)
      )${clustered}`,
    'CREATE INDEX email_messages_received ON email_messages (received_at)',
    // Which sender id the mail of a domain gets, for entries with `senderLogic`.
    `CREATE TABLE email_sender_rules (
        company_id BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
        domain TEXT NOT NULL,
        sender TEXT NOT NULL,
        PRIMARY KEY (company_id, domain)
      )${clustered}`,
  ];
}

/** Mail that goes out, and what the messages that came by mail keep for it. */
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
