/** The tables of the SMPP server for customers: logins, binds, what asks for receipts, parts of texts, and what is to be delivered. */
import type { Dialect } from './sql.ts';

export function esmeTables(dialect: Dialect, clustered: string): readonly string[] {
  return [
    `CREATE TABLE smpp_logins (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      system_id TEXT NOT NULL UNIQUE,
      password_hash TEXT NOT NULL,
      binds INTEGER NOT NULL,
      window_size INTEGER NOT NULL,
      throughput INTEGER NOT NULL,
      networks TEXT
    )${clustered}`,
    // Each bind of a user, at whichever node. Those of nodes that are gone no longer count.
    `CREATE TABLE esme_binds (
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      node_id BIGINT NOT NULL,
      bind INTEGER NOT NULL,
      PRIMARY KEY (user_id, node_id, bind)
    )${clustered}`,
    // Messages whose ends are reported to the client. `shown_id`: the id that the client knows it by. `ends_at`: when the
    // message expires, which may be long after it was accepted.
    `CREATE TABLE esme_messages (
      company_id BIGINT NOT NULL,
      message_id BIGINT NOT NULL,
      shown_id BIGINT NOT NULL,
      wanted SMALLINT NOT NULL,
      reference INTEGER,
      ends_at BIGINT NOT NULL,
      PRIMARY KEY (company_id, message_id, shown_id)
    )${clustered}`,
    'CREATE INDEX esme_messages_end ON esme_messages (ends_at)',
    'CREATE INDEX esme_messages_shown ON esme_messages (company_id, shown_id) WHERE shown_id <> message_id',
    // Parts of texts that clients have split, until all are there or they are due on their own. `text_id`: 0 while a text
    // waits for further parts, so that another text with the same reference can begin after it. `content` is JSON.
    `CREATE TABLE esme_parts (
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      recipient TEXT NOT NULL,
      sender TEXT NOT NULL,
      reference INTEGER NOT NULL,
      parts SMALLINT NOT NULL,
      text_id BIGINT NOT NULL,
      part SMALLINT NOT NULL,
      id BIGINT NOT NULL UNIQUE,
      content TEXT NOT NULL,
      due_at BIGINT NOT NULL,
      PRIMARY KEY (user_id, recipient, sender, reference, parts, text_id, part)
    )${clustered}`,
    'CREATE INDEX esme_parts_due ON esme_parts (due_at, id)',
    // Receipts and incoming SMS that no client has acknowledged yet, in the order of `place`, their place in the journal.
    `CREATE TABLE esme_deliveries (
      user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      place BIGINT NOT NULL,
      shown_id BIGINT NOT NULL,
      company_id BIGINT NOT NULL,
      kind SMALLINT NOT NULL,
      subject_id BIGINT NOT NULL,
      status SMALLINT,
      reference INTEGER,
      at BIGINT NOT NULL,
      queued_at BIGINT NOT NULL,
      PRIMARY KEY (user_id, place, shown_id)
    )${clustered}`,
    'CREATE INDEX esme_deliveries_queued ON esme_deliveries (queued_at)',
    // The node that delivers to a user, as long as it lives.
    `CREATE TABLE esme_deliverers (
      user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      node_id BIGINT NOT NULL
    )${clustered}`,
    ...incomingOfClients(dialect),
  ];
}

/** An SMS for a user with a login is journalled even if nobody listens to the company. */
function incomingOfClients(dialect: Dialect): readonly string[] {
  const columns = 'company_id, kind, subject_id, batch_id, status, changed_at';
  const values = 'NEW.company_id, 1, NEW.id, NULL, NULL, NEW.received_at';
  const isHeard = `EXISTS (SELECT 1 FROM change_listeners WHERE company_id = NEW.company_id)
    OR (NEW.response_to_id IS NOT NULL AND EXISTS (SELECT 1 FROM email_messages
      WHERE company_id = NEW.company_id AND message_id = NEW.response_to_id))
    OR EXISTS (SELECT 1 FROM smpp_logins WHERE user_id = NEW.user_id)`;
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
