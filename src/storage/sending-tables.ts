/** The tables of sendings: what one call sent to several people, and what these people answered. */

/**
 * A sending needs no column in `messages`: the ids of a call's messages are consecutive, so they are those from the
 * sending's own id on. See docs/decisions/0085-a-sending-is-a-range-of-ids.md.
 */
export function sendingTables(clustered: string): readonly string[] {
  return [
    // `id`: the id of the first message. `name`: that of the template, or empty. `text`: before anything in it was
    // replaced, cut to a bound. `whom`: groups, filters and how many single numbers (JSON). `sender` is empty for SMS from
    // the reply pool. `answers_until` NULL: nobody can answer. `scheduled_at` NULL: sent at once.
    `CREATE TABLE sendings (
      company_id BIGINT NOT NULL,
      id BIGINT NOT NULL,
      user_id BIGINT NOT NULL,
      messages INTEGER NOT NULL,
      parts INTEGER NOT NULL,
      name TEXT NOT NULL,
      text TEXT NOT NULL,
      whom TEXT NOT NULL,
      sender TEXT NOT NULL,
      answers_until BIGINT,
      created_at BIGINT NOT NULL,
      scheduled_at BIGINT,
      PRIMARY KEY (company_id, id)
    )${clustered}`,
    'CREATE INDEX sendings_company ON sendings (company_id, created_at, id)',
    'CREATE INDEX sendings_user ON sendings (user_id, created_at, id)',
    'CREATE INDEX sendings_answerable ON sendings (user_id, created_at, id) WHERE answers_until IS NOT NULL',
    'CREATE INDEX sendings_age ON sendings (created_at, company_id, id)',
    // One row for each incoming SMS that answers. `meaning`: 0 NO, 1 YES, 2 anything else.
    `CREATE TABLE sending_answers (
      company_id BIGINT NOT NULL,
      message_id BIGINT NOT NULL,
      incoming_id BIGINT NOT NULL,
      meaning SMALLINT NOT NULL,
      received_at BIGINT NOT NULL,
      PRIMARY KEY (company_id, message_id, incoming_id)
    )${clustered}`,
  ];
}
