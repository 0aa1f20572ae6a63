/** Types of jobs as the operator has set them up: all SQL that reads and writes them whole. */
import { companyIds } from '../accounts/company-records.ts';
import { oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { JobTypeSettings } from './job-type.ts';

/** Settings that are not there are undefined, as in a file that leaves them out. */
export interface JobTypeRecord extends JobTypeSettings {
  /** The company's name. */
  readonly company: string;
  readonly name: string;
}

export async function readJobTypes(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly JobTypeRecord[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<{ company: string; name: string; settings: string }>(
    sql`SELECT companies.name AS company, job_types.name, settings
        FROM job_types JOIN companies ON companies.id = job_types.company_id
        WHERE companies.name ${oneOf('text', companies)} ORDER BY company, job_types.name`,
  );
  return rows.map(({ company, name, settings }) => ({
    ...(JSON.parse(settings) as JobTypeSettings),
    company,
    name,
  }));
}

const columns = { company_id: 'bigint', name: 'text', settings: 'text' } as const;
const keyColumns = { company_id: 'bigint', name: 'text' } as const;

/** Makes them, or changes those that are there. */
export async function putJobTypes(transaction: Transaction, types: readonly JobTypeRecord[]): Promise<void> {
  const ids = await companyIds(
    transaction,
    types.map(({ company }) => company),
  );
  await transaction.insert(
    'job_types',
    columns,
    types.map(({ company, name, ...settings }) => [ids.get(company) ?? null, name, JSON.stringify(settings)]),
    'ON CONFLICT (company_id, name) DO UPDATE SET settings = excluded.settings',
  );
}

export async function removeJobTypes(
  transaction: Transaction,
  types: readonly JobTypeRecord[],
): Promise<void> {
  const ids = await companyIds(
    transaction,
    types.map(({ company }) => company),
  );
  const keys = types.map(({ company, name }) => [ids.get(company) ?? null, name]);
  await transaction.run(
    sql`DELETE FROM job_types WHERE (company_id, name) IN
          (SELECT company_id, name FROM ${rowSet('gone', keyColumns, keys)})`,
  );
}
