/** The log of messages, by which they are found: see `messages/message-log.ts`. */

export function messageLogTables(clustered: string): readonly string[] {
  return [
    // `id_block`: the id divided by 16,384. `conversation`: its first 100 characters; NULL for none.
    `CREATE TABLE message_log (
      company_id BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      id BIGINT NOT NULL,
      user_id BIGINT NOT NULL,
      id_block BIGINT NOT NULL,
      recipient TEXT NOT NULL,
      conversation TEXT,
      PRIMARY KEY (company_id, created_at, id)
    )${clustered}`,
    `INSERT INTO message_log SELECT company_id, created_at, id, user_id, id / 16384, recipient,
         NULLIF(substr(conversation, 1, 100), '') FROM messages`,
    'CREATE INDEX message_log_user ON message_log (user_id, created_at, id)',
    'CREATE INDEX message_log_recipient ON message_log (company_id, id_block, recipient, id)',
    'CREATE INDEX message_log_conversation ON message_log (company_id, id_block, conversation, id) WHERE conversation IS NOT NULL',
  ];
}
