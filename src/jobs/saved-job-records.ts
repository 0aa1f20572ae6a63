/** Saved jobs as the operator has set them up: all SQL that reads and writes them whole. */
import { companyIds } from '../accounts/company-records.ts';
import { systemUserIds } from '../accounts/system-user-records.ts';
import { oneOf, rowSet, sql } from '../storage/sql.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { SavedJobContent } from './saved-job.ts';

export interface SavedJobRecord extends SavedJobContent {
  /** The company's name. */
  readonly company: string;
  /** Of the job within its company. */
  readonly id: number;
  /** The name of its system user. */
  readonly owner: string;
  readonly name: string;
  readonly type: string;
}

export async function readSavedJobs(
  reading: Reading,
  companies: readonly string[],
): Promise<readonly SavedJobRecord[]> {
  if (companies.length === 0) return [];
  const rows = await reading.all<Omit<SavedJobRecord, keyof SavedJobContent> & { readonly content: string }>(
    sql`SELECT companies.name AS company, saved_jobs.id, system_users.username AS owner, saved_jobs.name, type, content
        FROM saved_jobs JOIN companies ON companies.id = saved_jobs.company_id
        JOIN system_users ON system_users.id = saved_jobs.system_user_id
        WHERE companies.name ${oneOf('text', companies)} ORDER BY company, saved_jobs.id`,
  );
  return rows.map(({ content, ...row }) => ({ ...(JSON.parse(content) as SavedJobContent), ...row }));
}

const columns = {
  company_id: 'bigint',
  id: 'bigint',
  system_user_id: 'bigint',
  name: 'text',
  type: 'text',
  content: 'text',
} as const;
const keyColumns = { company_id: 'bigint', id: 'bigint' } as const;

/** Makes them, or changes those that are there. */
export async function putSavedJobs(transaction: Transaction, jobs: readonly SavedJobRecord[]): Promise<void> {
  const companies = await companyIds(
    transaction,
    jobs.map(({ company }) => company),
  );
  const owners = await systemUserIds(
    transaction,
    jobs.map(({ owner }) => owner),
  );
  await transaction.insert(
    'saved_jobs',
    columns,
    jobs.map(({ company, id, owner, name, type, ...content }) => [
      ...[companies.get(company) ?? null, id, owners.get(owner) ?? null, name, type],
      JSON.stringify(content),
    ]),
    `ON CONFLICT (company_id, id) DO UPDATE SET system_user_id = excluded.system_user_id, name = excluded.name,
       type = excluded.type, content = excluded.content`,
  );
}

export async function removeSavedJobs(
  transaction: Transaction,
  jobs: readonly SavedJobRecord[],
): Promise<void> {
  const ids = await companyIds(
    transaction,
    jobs.map(({ company }) => company),
  );
  const keys = jobs.map(({ company, id }) => [ids.get(company) ?? null, id]);
  await transaction.run(
    sql`DELETE FROM saved_jobs WHERE (company_id, id) IN
          (SELECT company_id, id FROM ${rowSet('gone', keyColumns, keys)})`,
  );
}
