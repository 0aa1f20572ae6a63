/** The SQL of provisioned rules from the domain of a mail to a sender id. */
import { fromEach, oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { wanted } from './edit-lists.ts';
import type { Edit, SenderRuleState } from './state.ts';

export async function senderRulesOf(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly SenderRuleState[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<SenderRuleState>(
    sql`SELECT companies.name AS company, domain, sender
        FROM email_sender_rules JOIN companies ON companies.id = company_id
        WHERE companies.name ${oneOf('text', companies)} ORDER BY company, domain`,
  );
  // Objects like those that they are compared with: rows of SQLite have no prototype.
  return rows.map((row) => ({ ...row }));
}

const keyColumns = { company: 'text', domain: 'text' } as const;
const ruleColumns = { company: 'text', domain: 'text', sender: 'text' } as const;

/** To be called while the companies of all of them are there: after new ones are made, before others go. */
export async function writeSenderRules(
  transaction: Transaction,
  edits: readonly Edit<SenderRuleState>[],
): Promise<void> {
  const gone = edits.flatMap(({ before, after }) => (after === undefined && before ? [before] : []));
  if (gone.length > 0) {
    const keys = gone.map(({ company, domain }) => [company, domain]);
    await transaction.run(
      sql`DELETE FROM email_sender_rules WHERE (company_id, domain) IN
            (SELECT companies.id, gone.domain FROM ${rowSet('gone', keyColumns, keys)}
             JOIN companies ON companies.name = gone.company)`,
    );
  }
  await transaction.each(
    ruleColumns,
    wanted(edits).map(({ company, domain, sender }) => [company, domain, sender]),
    sql`INSERT INTO email_sender_rules (company_id, domain, sender)
        SELECT (SELECT id FROM companies WHERE name = each.company), each.domain, each.sender ${fromEach} WHERE 1 = 1
        ON CONFLICT (company_id, domain) DO UPDATE SET sender = excluded.sender`,
  );
}
