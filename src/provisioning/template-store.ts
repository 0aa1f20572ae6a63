/** The SQL of provisioned templates. */
import { oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { Edit, TemplateState } from './state.ts';

export async function templatesOf(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly TemplateState[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<{ company: string; id: number; name: string; text: string }>(
    sql`SELECT companies.name AS company, templates.id, templates.name, text
        FROM templates JOIN companies ON companies.id = templates.company_id
        WHERE companies.name ${oneOf('text', companies)}
        ORDER BY company, templates.id`,
  );
  // Objects like those that they are compared with: rows of SQLite have no prototype.
  return rows.map((row) => ({ ...row }));
}

const templateColumns = { company_id: 'bigint', id: 'bigint', name: 'text', text: 'text' } as const;
const keyColumns = { company_id: 'bigint', id: 'bigint' } as const;

/** To be called while the companies of all of them are there: after new ones are made, before others go. */
export async function writeTemplates(
  transaction: Transaction,
  edits: readonly Edit<TemplateState>[],
): Promise<void> {
  if (edits.length === 0) return;
  const companies = await transaction.all<{ id: number; name: string }>(sql`SELECT id, name FROM companies`);
  const ids = new Map(companies.map(({ id, name }) => [name, id]));
  const idOf = ({ company }: TemplateState) => ids.get(company) ?? null;
  const kept = edits.flatMap(({ after }) => after ?? []);
  await transaction.insert(
    'templates',
    templateColumns,
    kept.map((template) => [idOf(template), template.id, template.name, template.text]),
    'ON CONFLICT (company_id, id) DO UPDATE SET name = excluded.name, text = excluded.text',
  );
  const gone = edits.flatMap(({ before, after }) => (after === undefined ? (before ?? []) : []));
  if (gone.length === 0) return;
  const keys = gone.map((template) => [idOf(template), template.id]);
  await transaction.run(
    sql`DELETE FROM templates WHERE (company_id, id) IN
          (SELECT company_id, id FROM ${rowSet('gone', keyColumns, keys)})`,
  );
}
