/** The mail tables: who may send by mail, a company's settings for all of its senders, incoming mail, and outgoing mail. */
import type { Dialect } from './sql.ts';

/** Columns of the settings that an entry has and for which a company may set a default. */
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
    // A list of the endings allowed for the domains of the company's senders. Null means none are set.
    'ALTER TABLE companies ADD COLUMN email_domain_endings TEXT',
    // Whether answers and receipts for messages that the user pays for may go back by mail.
    'ALTER TABLE users ADD COLUMN smtp_split SMALLINT NOT NULL DEFAULT 0',
    `CREATE TABLE email_defaults (
        company_id BIGINT NOT NULL PRIMARY KEY REFERENCES companies (id) ON DELETE CASCADE,
        paying_user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,${settings('')}
      )${clustered}`,
    'CREATE INDEX email_defaults_paying ON email_defaults (paying_user_id)',
    // The key is only the address in its canonical form, or "@" and a domain, so no two companies share it.
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

/** A list of the beginnings of lines that the company's gateways add to e-mails. Null means none. */
export const cutMailLines = 'ALTER TABLE companies ADD COLUMN mail_cut TEXT';

/** The outcomes of recent days' e-mails, in rings of a fixed size. See `email/gateway/recent-mail.ts`. */
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

/** For messages that came by mail: how a repeated e-mail is recognised, and where answers go. */
export function receivedMailTables(clustered: string): readonly string[] {
  return [
    // Digests of each delivered e-mail and its recipients, so an e-mail that is delivered again sends nothing twice.
    `CREATE TABLE email_deliveries (
        delivery_key TEXT NOT NULL PRIMARY KEY,
        expires_at BIGINT NOT NULL
      )${clustered}`,
    'CREATE INDEX email_deliveries_expiry ON email_deliveries (expires_at)',
    // For messages whose receipts and answers go back by mail: the address they go to and the e-mail they refer to.
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
    // The sender id for mail from a domain, for entries with `senderLogic`.
    `CREATE TABLE email_sender_rules (
        company_id BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
        domain TEXT NOT NULL,
        sender TEXT NOT NULL,
        PRIMARY KEY (company_id, domain)
      )${clustered}`,
  ];
}

/** Outgoing mail, and the data it needs from messages that came by mail. */
export function outgoingMailTables(dialect: Dialect, clustered: string): readonly string[] {
  return [...outbox(clustered), ...receipts(), ...answersInJournal(dialect)];
}

function outbox(clustered: string): readonly string[] {
  return [
    // `content` is JSON and includes the envelope address. `due_at` null: the e-mail has failed for `reason`. E-mails that the
    // relay has accepted are removed.
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
 * Receipts collect in the rows of the messages until their e-mail is due. `mail_id`: the first message of the e-mail, whose row
 * holds its due time and the time of the previous e-mail. `mail_references`: the references that answers to the e-mail
 * carry (RFC 5322, section 3.6.4).
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

/** An SMS that answers a message that came by mail is journalled even if nobody listens to its company. */
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
