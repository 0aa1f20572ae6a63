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
