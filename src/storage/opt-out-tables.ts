/** The tables of opt-outs: who wants no SMS from a company, and texts that may mean so. */

/**
 * A row of an erased person has the digest of the number in `phone`, and no proof: see
 * docs/decisions/0087-an-opt-out-outlives-its-number.md.
 */
export function optOutTables(clustered: string): readonly string[] {
  return [
    // `number`: ours, to which the SMS came. `added_by` NULL: nobody but the person.
    `CREATE TABLE opt_outs (
      company_id BIGINT NOT NULL,
      id BIGINT NOT NULL,
      phone TEXT NOT NULL,
      category SMALLINT NOT NULL,
      since BIGINT NOT NULL,
      source SMALLINT NOT NULL,
      word TEXT NOT NULL,
      proof TEXT NOT NULL,
      incoming_id BIGINT,
      number TEXT NOT NULL,
      added_by TEXT,
      erased SMALLINT NOT NULL DEFAULT 0,
      PRIMARY KEY (company_id, id)
    )${clustered}`,
    'CREATE UNIQUE INDEX opt_outs_phone ON opt_outs (company_id, phone, category)',
    'CREATE INDEX opt_outs_since ON opt_outs (company_id, since, id)',
    'CREATE INDEX opt_outs_category ON opt_outs (company_id, category, since, id)',
    'CREATE INDEX opt_outs_source ON opt_outs (company_id, source, since, id)',
    'CREATE INDEX opt_outs_erased ON opt_outs (company_id) WHERE erased = 1',
    // `opts_out` and `settled_by` are set when an administrator has decided, at `settled_at`.
    `CREATE TABLE opt_out_near_misses (
      company_id BIGINT NOT NULL,
      incoming_id BIGINT NOT NULL,
      phone TEXT NOT NULL,
      number TEXT NOT NULL,
      text TEXT NOT NULL,
      at BIGINT NOT NULL,
      settled_at BIGINT,
      settled_by TEXT,
      opts_out SMALLINT,
      PRIMARY KEY (company_id, incoming_id)
    )${clustered}`,
    'CREATE INDEX opt_out_near_misses_open ON opt_out_near_misses (company_id, at, incoming_id) WHERE settled_at IS NULL',
    'CREATE INDEX opt_out_near_misses_phone ON opt_out_near_misses (company_id, phone)',
    'CREATE INDEX opt_out_near_misses_age ON opt_out_near_misses (at, company_id, incoming_id)',
  ];
}
