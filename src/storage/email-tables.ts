/** The tables of e-mail to SMS: who may send by mail, and what a company sets for all of its senders. */

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
