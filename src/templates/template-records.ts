/** Templates as the operator has set them up: all SQL that reads and writes them whole, and what is kept of former versions. */
import { companyIds } from '../accounts/company-records.ts';
import { oneOf, raw, rowSet, sql } from '../storage/sql.ts';
import { bigint, StoredRecord, text } from '../storage/stored-record.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import { maxFormerVersions } from './template.ts';

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

async function withCompanies(transaction: Transaction, templates: readonly TemplateRecord[]) {
  const ids = await companyIds(
    transaction,
    templates.map(({ company }) => company),
  );
  return templates.map((template) => ({ ...template, companyId: ids.get(template.company) as number }));
}

const keyColumns = { company_id: 'bigint', id: 'bigint' } as const;

function keySet(
  templates: readonly { readonly companyId: number; readonly id: number }[],
): ReturnType<typeof rowSet> {
  return rowSet(
    'keys',
    keyColumns,
    templates.map(({ companyId, id }) => [companyId, id]),
  );
}

/** Of templates that are about to be changed, each of which gets the next version. */
export async function keepFormer(
  transaction: Transaction,
  templates: readonly { readonly companyId: number; readonly id: number }[],
): Promise<void> {
  const keys = keySet(templates);
  await transaction.run(
    sql`INSERT INTO template_versions (company_id, id, version, name, text, changed_at, changed_by)
        SELECT company_id, id, version, name, text, changed_at, changed_by FROM templates
        WHERE (company_id, id) IN (SELECT company_id, id FROM ${keys})`,
  );
  await transaction.run(
    sql`DELETE FROM template_versions WHERE (company_id, id, version) IN
          (SELECT company_id, id, version - ${maxFormerVersions} FROM templates
           WHERE (company_id, id) IN (SELECT company_id, id FROM ${keys}))`,
  );
}

/** Makes them, or changes those that are there. */
export async function putTemplates(
  transaction: Transaction,
  templates: readonly TemplateRecord[],
): Promise<void> {
  const rows = await withCompanies(transaction, templates);
  await keepFormer(transaction, rows);
  await transaction.insert(
    'templates',
    stored.columns,
    rows.map((row) => stored.row(row)),
    `ON CONFLICT (company_id, id) DO UPDATE SET ${stored.assignments('excluded', ['company_id', 'id'])},
       version = templates.version + 1, changed_at = NULL, changed_by = NULL`,
  );
}

export async function removeTemplates(
  transaction: Transaction,
  templates: readonly TemplateRecord[],
): Promise<void> {
  await removeByKeys(transaction, await withCompanies(transaction, templates));
}

export async function removeByKeys(
  transaction: Transaction,
  templates: readonly { readonly companyId: number; readonly id: number }[],
): Promise<void> {
  const keys = keySet(templates);
  const areThey = sql`(company_id, id) IN (SELECT company_id, id FROM ${keys})`;
  await transaction.run(sql`DELETE FROM template_versions WHERE ${areThey}`);
  await transaction.run(sql`DELETE FROM templates WHERE ${areThey}`);
}
