/** Templates as the operator has set them up: all SQL that reads and writes them whole. */
import { companyIds } from '../accounts/company-records.ts';
import { oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import { bigint, StoredRecord, text } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export interface TemplateRecord {
  /** The company's name. */
  readonly company: string;
  /** Of the template within its company. */
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

const stored = new StoredRecord({ companyId: bigint, id: bigint, name: text, text });

export async function readTemplates(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly TemplateRecord[]> {
  const ids = await companyIds(reading, companies);
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const rows = await reading.all<object>(
    sql`SELECT ${raw(stored.names())} FROM templates WHERE company_id ${oneOf('bigint', [...ids.values()])}
        ORDER BY company_id, id`,
  );
  return rows.map((row) => {
    const { companyId, ...template } = stored.read(row);
    return { company: names.get(companyId) as string, ...template };
  });
}

async function rowsOf(transaction: Transaction, templates: readonly TemplateRecord[]) {
  const ids = await companyIds(
    transaction,
    templates.map(({ company }) => company),
  );
  return templates.map((template) =>
    stored.row({ ...template, companyId: ids.get(template.company) as number }),
  );
}

/** Makes them, or changes those that are there. */
export async function putTemplates(
  transaction: Transaction,
  templates: readonly TemplateRecord[],
): Promise<void> {
  await transaction.insert(
    'templates',
    stored.columns,
    await rowsOf(transaction, templates),
    `ON CONFLICT (company_id, id) DO UPDATE SET ${stored.assignments('excluded', ['company_id', 'id'])}`,
  );
}

export async function removeTemplates(
  transaction: Transaction,
  templates: readonly TemplateRecord[],
): Promise<void> {
  const gone = rowSet('gone', stored.columns, await rowsOf(transaction, templates));
  await transaction.run(
    sql`DELETE FROM templates WHERE (company_id, id) IN (SELECT company_id, id FROM ${gone})`,
  );
}
