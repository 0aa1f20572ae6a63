/**
 * Saved jobs (API: saved job): which question goes to which people, as set up by their owner. Calls read the jobs of the
 * system user assigned to the account; the operator reads and writes all jobs.
 */
import { ofCompany } from '../accounts/company-records.ts';
import { ofSystemUser } from '../accounts/system-user-records.ts';
import { firstOf, maxNamed } from '../resources/declaration.ts';
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { RecordTable } from '../storage/record-table.ts';
import { literal, type Sql, sql } from '../storage/sql.ts';
import { bigint, inColumn, json, type Kept, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { findType, type Generic, type JobType } from './job-type.ts';

/** Maximum per job. A step of a run considers each person for each task. */
export const maxTasks = 20;
/** Maximum per task; each is looked up in the address book when the job is started. */
export const maxEscalations = 20;
/** Maximum per list of groups or saved filters. */
export const maxNames = 100;

/**
 * The people that a GMM job asks or leaves out. The store keeps filters in string notation; they are evaluated when the job
 * starts.
 */
export interface SavedRecipients {
  readonly numbers: readonly string[];
  readonly tagFilter?: string;
  readonly savedTagFilters: readonly string[];
  readonly groups: readonly string[];
}

interface SavedEscalation {
  /** Minutes from the start. */
  readonly afterMinutes: number;
  readonly tagFilter: string;
  /** The goal of the task from that time on; absent if unchanged. */
  readonly goal?: number;
}

interface SavedTask {
  readonly tagType: string;
  readonly tagValue: string;
  readonly goal: number;
  readonly escalations: readonly SavedEscalation[];
}

/** `recipients`, `exclude` and `responseGoal` belong to GMM jobs, `tasks` to GMA jobs. */
export interface SavedJobContent {
  readonly message: string;
  readonly recipients?: SavedRecipients;
  readonly exclude?: Pick<SavedRecipients, 'numbers' | 'tagFilter'>;
  readonly responseGoal?: number;
  readonly tasks?: readonly SavedTask[];
}

/** The parts of the content that do not apply to jobs of a type that derives from `generic`. */
export function misplacedIn(
  content: { readonly [Key in keyof SavedJobContent]?: unknown },
  generic: Generic,
): readonly (keyof SavedJobContent)[] {
  const others =
    generic === 'GMM' ? (['tasks'] as const) : (['recipients', 'exclude', 'responseGoal'] as const);
  return others.filter((key) => content[key] !== undefined);
}

const storedJob = new StoredRecord({
  /** The id of the job within its company. */
  id: bigint,
  companyId: bigint,
  /** The system user that owns the job. */
  ownerId: inColumn('system_user_id', bigint),
  name: text,
  type: text,
  content: json<SavedJobContent>(),
});

export type SavedJob = Kept<typeof storedJob>;

/** Null if there is no such job that the user may start. The type is null if no type has that name. */
export const findSavedJob = readVerb(
  'jobs.findSaved',
  async (
    reading,
    { userId, id }: { readonly userId: number; readonly id: number },
  ): Promise<{ readonly job: SavedJob; readonly type: JobType | null } | null> => {
    const job = await storedJob.first(reading, 'saved_jobs')`
      FROM users JOIN saved_jobs ON saved_jobs.company_id = users.company_id
        AND saved_jobs.system_user_id = users.job_owner_id
      WHERE users.id = ${userId} AND saved_jobs.id = ${id}`;
    if (job === undefined) return null;
    return { job, type: (await findType(reading, job.companyId, job.type)) ?? null };
  },
);

interface ListedJob {
  readonly id: number;
  readonly name: string;
  readonly type: string;
}

/**
 * The jobs that the user may start, in order of id. The company is compared in a way that no index serves: without statistics,
 * PostgreSQL would read all jobs of the company where those of one owner suffice.
 */
export const listSavedJobs = readVerb(
  'jobs.listSaved',
  async (
    reading,
    { userId, type }: { readonly userId: number; readonly type: string | undefined },
  ): Promise<readonly ListedJob[]> =>
    reading.all<ListedJob>(
      sql`SELECT saved_jobs.id, name, type FROM users JOIN saved_jobs ON saved_jobs.system_user_id = users.job_owner_id
          WHERE users.id = ${userId} AND saved_jobs.company_id + 0 = users.company_id
            AND (type = ${type ?? ''} OR ${type === undefined ? 1 : 0} = 1) ORDER BY saved_jobs.id`,
    ),
);

const byName = new NameOrder('name', 'id');

/** The jobs that the user may start, by name. The owner is read first, since the index lists the jobs of one owner; the company as above. */
export const listStartableJobs = readVerb(
  'jobs.listStartable',
  async (
    reading,
    { userId, from, limit }: { readonly userId: number; readonly from: NamePlace; readonly limit: number },
  ): Promise<readonly ListedJob[]> => {
    const user = await reading.first<{ owner: number | null; companyId: number }>(
      sql`SELECT job_owner_id AS owner, company_id AS "companyId" FROM users WHERE id = ${userId}`,
    );
    return reading.all<ListedJob>(
      sql`SELECT id, name, type FROM saved_jobs
          WHERE system_user_id = ${user?.owner ?? 0} ${byName.behind(from)} AND company_id + 0 = ${user?.companyId ?? 0}
          ORDER BY ${byName.by(from)} LIMIT ${limit}`,
    );
  },
);

type NamedJob = Pick<ListedJob, 'id' | 'name'>;

/** The first of the company's jobs of a type, and one more than are named. */
export function jobsOfType(reading: Reading, companyId: number, type: string): Promise<readonly NamedJob[]> {
  return firstJobs(reading, sql`company_id = ${companyId} AND type = ${type}`);
}

export function jobsOfOwner(reading: Reading, ownerId: number): Promise<readonly NamedJob[]> {
  return firstJobs(reading, sql`system_user_id = ${ownerId}`);
}

async function firstJobs(reading: Reading, which: Sql): Promise<readonly NamedJob[]> {
  return reading.all<NamedJob>(
    sql`SELECT id, name FROM saved_jobs WHERE ${which} ORDER BY id LIMIT ${literal(maxNamed + 1)}`,
  );
}

/** `71 Night alarm, 72 Extra nurse`; undefined if there are none. */
export function namedJobs(jobs: readonly NamedJob[]): string | undefined {
  return jobs.length === 0 ? undefined : firstOf(jobs.map(({ id, name }) => `${id} ${name}`));
}

interface KnownJob {
  readonly company: string;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly type: string;
}

/** Saved jobs of all companies, in order. */
export const listAllJobs = readVerb(
  'jobs.listAll',
  async (reading, limit: number): Promise<readonly KnownJob[]> =>
    reading.all<KnownJob>(
      sql`SELECT companies.name AS company, saved_jobs.id, system_users.username AS owner, saved_jobs.name, saved_jobs.type
        FROM saved_jobs JOIN companies ON companies.id = saved_jobs.company_id
        JOIN system_users ON system_users.id = saved_jobs.system_user_id
        ORDER BY saved_jobs.company_id, saved_jobs.id LIMIT ${limit}`,
    ),
);

export interface SavedJobRecord extends SavedJobContent {
  /** The company's name. */
  readonly company: string;
  /** The id of the job within its company. */
  readonly id: number;
  /** The user name of the system user that owns the job. */
  readonly owner: string;
  readonly name: string;
  readonly type: string;
}

export const savedJobRecords = new RecordTable<SavedJobRecord, keyof SavedJobContent>({
  table: 'saved_jobs',
  key: ['company', 'id'],
  fields: { company: ofCompany, id: bigint, owner: ofSystemUser, name: text, type: text },
  others: 'content',
});
