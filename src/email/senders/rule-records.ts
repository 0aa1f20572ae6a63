/** Rules from the domain of a mail to a sender id, as the operator has set them up: all SQL that reads and writes them whole. */
import { companyIds } from '../../accounts/company-records.ts';
import { oneOf, raw, rowSet, sql } from '../../storage/sql.ts';
import { bigint, StoredRecord, text } from '../../storage/stored-record.ts';
import type { Reading, Transaction } from '../../storage/verb.ts';

export interface SenderRuleRecord {
  /** The company's name. */
  readonly company: string;
  readonly domain: string;
  readonly sender: string;
}

const stored = new StoredRecord({ companyId: bigint, domain: text, sender: text });

export async function readSenderRules(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly SenderRuleRecord[]> {
  const ids = await companyIds(reading, companies);
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const rows = await reading.all<object>(
    sql`SELECT ${raw(stored.names())} FROM email_sender_rules
        WHERE company_id ${oneOf('bigint', [...ids.values()])} ORDER BY company_id, domain`,
  );
  return rows.map((row) => {
    const { companyId, ...rule } = stored.read(row);
    return { company: names.get(companyId) as string, ...rule };
  });
}

async function rowsOf(transaction: Transaction, rules: readonly SenderRuleRecord[]) {
  const ids = await companyIds(
    transaction,
    rules.map(({ company }) => company),
  );
  return rules.map((rule) => stored.row({ ...rule, companyId: ids.get(rule.company) as number }));
}

/** Makes them, or changes those that are there. */
export async function putSenderRules(
  transaction: Transaction,
  rules: readonly SenderRuleRecord[],
): Promise<void> {
  await transaction.insert(
    'email_sender_rules',
    stored.columns,
    await rowsOf(transaction, rules),
    'ON CONFLICT (company_id, domain) DO UPDATE SET sender = excluded.sender',
  );
}

export async function removeSenderRules(
  transaction: Transaction,
  rules: readonly SenderRuleRecord[],
): Promise<void> {
  const gone = rowSet('gone', stored.columns, await rowsOf(transaction, rules));
  await transaction.run(
    sql`DELETE FROM email_sender_rules WHERE (company_id, domain) IN (SELECT company_id, domain FROM ${gone})`,
  );
}
