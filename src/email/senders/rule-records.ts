/** Rules from the domain of a mail to a sender id, as the operator has set them up: all SQL that reads and writes them whole. */
import { fromEach, oneOf, rowSet, sql } from '../../storage/sql.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';

export interface SenderRuleRecord {
  /** The company's name. */
  readonly company: string;
  readonly domain: string;
  readonly sender: string;
}

export async function readSenderRules(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly SenderRuleRecord[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<SenderRuleRecord>(
    sql`SELECT companies.name AS company, domain, sender
        FROM email_sender_rules JOIN companies ON companies.id = company_id
        WHERE companies.name ${oneOf('text', companies)} ORDER BY company, domain`,
  );
  // Objects like those that they are compared with: rows of SQLite have no prototype.
  return rows.map((row) => ({ ...row }));
}

const keyColumns = { company: 'text', domain: 'text' } as const;
const ruleColumns = { company: 'text', domain: 'text', sender: 'text' } as const;

/** Makes them, or changes those that are there. */
export async function putSenderRules(
  transaction: Transaction,
  rules: readonly SenderRuleRecord[],
): Promise<void> {
  await transaction.each(
    ruleColumns,
    rules.map(({ company, domain, sender }) => [company, domain, sender]),
    sql`INSERT INTO email_sender_rules (company_id, domain, sender)
        SELECT (SELECT id FROM companies WHERE name = each.company), each.domain, each.sender ${fromEach} WHERE 1 = 1
        ON CONFLICT (company_id, domain) DO UPDATE SET sender = excluded.sender`,
  );
}

export async function removeSenderRules(
  transaction: Transaction,
  rules: readonly SenderRuleRecord[],
): Promise<void> {
  const keys = rules.map(({ company, domain }) => [company, domain]);
  await transaction.run(
    sql`DELETE FROM email_sender_rules WHERE (company_id, domain) IN
          (SELECT companies.id, gone.domain FROM ${rowSet('gone', keyColumns, keys)}
           JOIN companies ON companies.name = gone.company)`,
  );
}
