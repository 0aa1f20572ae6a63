/** Templates as the operator has set them up: all SQL that reads and writes them whole. */
import { companyIds } from '../accounts/company-records.ts';
import { oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';

export interface TemplateRecord {
  /** The company's name. */
  readonly company: string;
  /** Of the template within its company. */
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

export async function readTemplates(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly TemplateRecord[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<TemplateRecord>(
    sql`SELECT companies.name AS company, templates.id, templates.name, text
        FROM templates JOIN companies ON companies.id = templates.company_id
        WHERE companies.name ${oneOf('text', companies)}
        ORDER BY company, templates.id`,
  );
  // Objects like those that they are compared with: rows of SQLite have no prototype.
  return rows.map((row) => ({ ...row }));
}

const columns = { company_id: 'bigint', id: 'bigint', name: 'text', text: 'text' } as const;
const keyColumns = { company_id: 'bigint', id: 'bigint' } as const;

/** Makes them, or changes those that are there. */
export async function putTemplates(
  transaction: Transaction,
  templates: readonly TemplateRecord[],
): Promise<void> {
  const ids = await companyIds(
    transaction,
    templates.map(({ company }) => company),
  );
  await transaction.insert(
    'templates',
    columns,
    templates.map(({ company, id, name, text }) => [ids.get(company) ?? null, id, name, text]),
    'ON CONFLICT (company_id, id) DO UPDATE SET name = excluded.name, text = excluded.text',
  );
}

export async function removeTemplates(
  transaction: Transaction,
  templates: readonly TemplateRecord[],
): Promise<void> {
  const ids = await companyIds(
    transaction,
    templates.map(({ company }) => company),
  );
  const keys = templates.map(({ company, id }) => [ids.get(company) ?? null, id]);
  await transaction.run(
    sql`DELETE FROM templates WHERE (company_id, id) IN
          (SELECT company_id, id FROM ${rowSet('gone', keyColumns, keys)})`,
  );
}
