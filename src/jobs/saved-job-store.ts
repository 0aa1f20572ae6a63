/** Saved jobs and types of jobs as calls read them: those of the system user that owns the jobs of the account. */
import { sql } from '../storage/sql.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { type JobType, type JobTypeSettings, standardType } from './job-type.ts';
import type { SavedJob, SavedJobContent } from './saved-job.ts';

/** The one that is provisioned, else the standard one of that name. */
export async function findType(
  reading: Reading,
  companyId: number,
  name: string,
): Promise<JobType | undefined> {
  const row = await reading.first<{ settings: string }>(
    sql`SELECT settings FROM job_types WHERE company_id = ${companyId} AND name = ${name}`,
  );
  return row === undefined
    ? standardType(name)
    : { name, settings: JSON.parse(row.settings) as JobTypeSettings };
}

export interface JobQuery {
  readonly userId: number;
  readonly id: number;
}

/** Null: there is none that the user may start. The type is null where there is none of that name. */
export const findSavedJob = readVerb(
  'jobs.findSaved',
  async (
    reading,
    { userId, id }: JobQuery,
  ): Promise<{ readonly job: SavedJob; readonly type: JobType | null } | null> => {
    const row = await reading.first<Omit<SavedJob, 'content'> & { readonly content: string }>(
      sql`SELECT saved_jobs.id, saved_jobs.company_id AS "companyId", saved_jobs.system_user_id AS "ownerId", name, type, content
          FROM users JOIN saved_jobs ON saved_jobs.company_id = users.company_id
            AND saved_jobs.system_user_id = users.job_owner_id
          WHERE users.id = ${userId} AND saved_jobs.id = ${id}`,
    );
    if (row === undefined) return null;
    const job = { ...row, content: JSON.parse(row.content) as SavedJobContent };
    return { job, type: (await findType(reading, job.companyId, job.type)) ?? null };
  },
);

export interface ListedJob {
  readonly id: number;
  readonly name: string;
  readonly type: string;
}

/** Those that the user may start, in the order of their ids. */
export const listSavedJobs = readVerb(
  'jobs.listSaved',
  async (
    reading,
    { userId, type }: { readonly userId: number; readonly type: string | undefined },
  ): Promise<readonly ListedJob[]> => {
    const rows = await reading.all<ListedJob>(
      sql`SELECT saved_jobs.id, name, type FROM users JOIN saved_jobs ON saved_jobs.system_user_id = users.job_owner_id
          WHERE users.id = ${userId} AND saved_jobs.company_id = users.company_id
            AND (type = ${type ?? ''} OR ${type === undefined ? 1 : 0} = 1) ORDER BY saved_jobs.id`,
    );
    return rows.map(({ id, name, type: of }) => ({ id, name, type: of }));
  },
);
