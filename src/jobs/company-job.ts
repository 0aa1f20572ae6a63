/** A saved job as the administrators of its company list, make, change and remove it. A run under way is not touched. */
import { findSystemUserId, systemUserNames } from '../accounts/system-user-records.ts';
import { quoted } from '../foundation/result.ts';
import {
  inLockedCompany,
  objectName,
  type Refused,
  type Row,
  refusal,
  refusedField,
  type Values,
} from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import { NameOrder, type NamePlace } from '../storage/name-order.ts';
import { literal, sql } from '../storage/sql.ts';
import { bigint, inColumn, json } from '../storage/stored-record.ts';
import { type Reading, readVerb, snapshotVerb } from '../storage/verb.ts';
import { findType, type JobType } from './job-type.ts';
import { misplacedIn, type SavedJobContent } from './saved-job.ts';

/** Calls can make no more; a provisioning file can. */
export const maxJobsOfCompany = 500;

/** What is undefined is unchanged, and null is no longer there. */
export type GivenContent = {
  readonly [Key in keyof SavedJobContent]?: SavedJobContent[Key] | null | undefined;
};

export interface GivenJob extends GivenContent {
  /** The user name of a system user. */
  readonly owner?: string | undefined;
}

const fields = {
  name: {
    description: 'Name for people; runs have it too, unless a start gives another.',
    minLength: 1,
    maxLength: 100,
    rule: objectName,
  },
  type: {
    description: 'Name of a job type, such as `QuickAssign`; it decides how runs proceed.',
    minLength: 1,
    maxLength: 100,
  },
  ownerId: inColumn('system_user_id', bigint),
  content: json<SavedJobContent>(),
} as const;

interface Owned {
  /** The user name of the system user that owns the job. */
  readonly owner: string;
}

export type CompanyJob = Row<typeof fields, number, Owned>;

export const companyJobs = new Resource<typeof fields, number, GivenJob, Owned>({
  noun: 'saved job',
  plural: 'savedJobs',
  table: 'saved_jobs',
  scope: inLockedCompany,
  ids: { name: 'savedJob', first: 1_001 },
  fields,
  acts: { make: 'job.make', change: 'job.change', remove: 'job.remove' },
  hint: 'savedjobs',
  isManagedByField: true,
  // A new job counts the existing ones, and its content may name thousands of numbers.
  weight: () => 20,
  auditedAs: ({ key, name }) => `${key} ${name}`,
  details: (after, before) => (before === undefined ? '' : changedIn(before, after).join(', ')),
  async become(transaction, { by: { companyId }, before, values, more = {} }) {
    if (before === undefined && (await isFull(transaction, companyId)))
      return refusal('too_many_jobs', { sentence: 'too_many_jobs', most: maxJobsOfCompany });
    const { name = before?.name ?? '', type = before?.type ?? '' } = values;
    const content = contentAfter(before?.content, more);
    const found = await typeFor(transaction, { companyId, type, content });
    if ('refused' in found) return found;
    const { owner } = more;
    const ownerId =
      owner === undefined ? before?.ownerId : await findSystemUserId(transaction, companyId, owner);
    if (ownerId === undefined)
      return refusedField('owner', 'invalid_value', {
        sentence: 'unknown_owner',
        owner: quoted(owner ?? ''),
      });
    return { name, type, ownerId, content };
  },
  async extra(reading, rows) {
    const names = await systemUserNames(
      reading,
      rows.map(({ ownerId }) => ownerId),
    );
    return rows.map(({ ownerId }) => ({ owner: names.get(ownerId) ?? '' }));
  },
});

async function isFull(reading: Reading, companyId: number): Promise<boolean> {
  const last = literal(maxJobsOfCompany - 1);
  const found = await reading.first(
    sql`SELECT id FROM saved_jobs WHERE company_id = ${companyId} ORDER BY id LIMIT 1 OFFSET ${last}`,
  );
  return found !== undefined;
}

const parts = ['message', 'recipients', 'exclude', 'responseGoal', 'tasks'] as const;

export function contentAfter(before: SavedJobContent | undefined, given: GivenContent): SavedJobContent {
  const after = parts.map(
    (part) => [part, given[part] === undefined ? before?.[part] : given[part]] as const,
  );
  return Object.fromEntries(after.filter(([, value]) => value != null)) as unknown as SavedJobContent;
}

export interface JudgedContent {
  readonly companyId: number;
  readonly type: string;
  readonly content: SavedJobContent;
}

/** The type of a job of the company, or why a job with this content can't be of that type. */
async function typeFor(
  reading: Reading,
  { companyId, type, content }: JudgedContent,
): Promise<JobType | Refused> {
  const found = await findType(reading, companyId, type);
  if (found === undefined)
    return refusedField('type', 'invalid_value', { sentence: 'unknown_job_type', type: quoted(type) });
  const { generic } = found.settings;
  const [misplaced] = misplacedIn(content, generic);
  if (misplaced === undefined) return found;
  return refusedField(misplaced, 'invalid_value', { sentence: 'not_for_type', type: quoted(type), generic });
}

/** The type of a job that is not saved yet. */
export const readDraftType = readVerb('savedJobs.readDraftType', typeFor);

/** The log tells what was changed, but no text and no number. */
function changedIn(before: CompanyJob, after: CompanyJob): readonly string[] {
  const names = (['name', 'type', 'owner'] as const).filter((name) => after[name] !== before[name]);
  const isOther = (part: keyof SavedJobContent) =>
    JSON.stringify(after.content[part]) !== JSON.stringify(before.content[part]);
  return [...names, ...parts.filter(isOther)];
}

export interface ListedCompanyJob extends Pick<Values<typeof fields>, 'name' | 'type'>, Owned {
  readonly id: number;
  readonly managed: boolean;
}

const byName = new NameOrder('name', 'id');

interface PageOfJobs {
  readonly companyId: number;
  /** Only the jobs of the system user with this name. */
  readonly owner: string | undefined;
  readonly from: NamePlace;
  readonly limit: number;
}

/** Lists the jobs by name. Their contents are left out, since each may be hundreds of kilobytes long. */
export const listCompanyJobs = snapshotVerb(
  'savedJobs.listOfCompany',
  async (reading, { companyId, owner, from, limit }: PageOfJobs): Promise<readonly ListedCompanyJob[]> => {
    const ownerId = owner === undefined ? undefined : await findSystemUserId(reading, companyId, owner);
    if (owner !== undefined && ownerId === undefined) return [];
    // Only one of the two, which has an index: the jobs of a system user belong to its company.
    const whose = ownerId === undefined ? sql`company_id = ${companyId}` : sql`system_user_id = ${ownerId}`;
    const found = await reading.all<{ id: number; name: string; type: string; ownerId: number }>(
      sql`SELECT id, name, type, system_user_id AS "ownerId" FROM saved_jobs
          WHERE ${whose} ${byName.behind(from)}
          ORDER BY ${byName.by(from)} LIMIT ${limit}`,
    );
    const owners = await systemUserNames(
      reading,
      found.map((job) => job.ownerId),
    );
    const keyed = found.map(({ id: key }) => ({ key }));
    const managed = await inLockedCompany.managed?.(reading, companyId, 'savedJobs', keyed);
    return found.map(({ id, name, type, ownerId: of }) => {
      return { id, name, type, owner: owners.get(of) ?? '', managed: managed?.has(id) === true };
    });
  },
);
