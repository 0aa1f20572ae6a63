/** Saved jobs and types of jobs as calls read them: those of the system user that owns the jobs of the account. */
import { oneOf, sql } from '../storage/sql.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { type JobType, type JobTypeSettings, standardType, standardTypes } from './job-type.ts';
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

export interface JobPage {
  readonly userId: number;
  /** Ids above it. */
  readonly after: number;
  readonly limit: number;
}

/** Those that the user may start, in the order of their ids. The owner is read first, by whom they are found in that order. */
export const listStartableJobs = readVerb(
  'jobs.listStartable',
  async (reading, { userId, after, limit }: JobPage): Promise<readonly ListedJob[]> => {
    const user = await reading.first<{ owner: number | null; companyId: number }>(
      sql`SELECT job_owner_id AS owner, company_id AS "companyId" FROM users WHERE id = ${userId}`,
    );
    return reading.all<ListedJob>(
      sql`SELECT id, name, type FROM saved_jobs
          WHERE system_user_id = ${user?.owner ?? 0} AND id > ${after} AND company_id = ${user?.companyId ?? 0}
          ORDER BY id LIMIT ${limit}`,
    );
  },
);

export interface TypePage {
  readonly companyId: number;
  /** The name of the last of the page before; null: this is the first. */
  readonly after: string | null;
  readonly limit: number;
}

/** Those that the company has of its own, by name. */
export const listJobTypes = readVerb(
  'jobs.listTypes',
  async (reading, { companyId, after, limit }: TypePage): Promise<readonly JobType[]> => {
    const rows = await reading.all<{ name: string; settings: string }>(
      sql`SELECT name, settings FROM job_types WHERE company_id = ${companyId}
            ${after === null ? sql`` : sql`AND name > ${after}`} ORDER BY name LIMIT ${limit}`,
    );
    return rows.map(({ name, settings }) => ({ name, settings: JSON.parse(settings) as JobTypeSettings }));
  },
);

/** Those that every company has, but for what the company has under their names. */
export const listStandardTypes = readVerb('jobs.listStandardTypes', async (reading, companyId: number) => {
  const rows = await reading.all<{ name: string }>(
    sql`SELECT name FROM job_types
        WHERE company_id = ${companyId} AND name ${oneOf(
          'text',
          standardTypes.map(({ name }) => name),
        )}`,
  );
  const own = new Set(rows.map(({ name }) => name));
  return standardTypes.filter(({ name }) => !own.has(name));
});
