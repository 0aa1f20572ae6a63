/** A job type as the administrators of its company make, change and remove it. A run keeps the settings that it started with. */
import { quoted } from '../foundation/result.ts';
import {
  inLockedCompany,
  managedInCompany,
  type Refused,
  type Row,
  refusal,
} from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import { literal, sql } from '../storage/sql.ts';
import { json } from '../storage/stored-record.ts';
import type { Reading } from '../storage/verb.ts';
import { type Generic, type JobTypeSettings, standardSettings, standardType } from './job-type.ts';
import { jobsOfType, namedJobs } from './saved-job.ts';

/** Calls can make no more; a provisioning file can. */
export const maxTypesOfCompany = 100;

/** An undefined setting stays as it is; null restores the value of a new type. */
export type GivenSettings = {
  readonly [Key in keyof JobTypeSettings]?: JobTypeSettings[Key] | null | undefined;
};

const fields = { settings: json<JobTypeSettings>() } as const;

export type CompanyType = Row<typeof fields, string>;

export const companyTypes = new Resource<typeof fields, string, GivenSettings>({
  noun: 'job type',
  plural: 'jobTypes',
  table: 'job_types',
  scope: { ...inLockedCompany, managed: managedInCompany((name, company) => `${company}\n${name}`) },
  isListedByName: true,
  fields,
  acts: { make: 'jobtype.make', change: 'jobtype.change', remove: 'jobtype.remove' },
  hint: 'jobtypes',
  isManagedByField: true,
  // A new type counts the existing ones.
  weight: () => 5,
  details: (after, before) => (before === undefined ? '' : changedIn(before, after).join(', ')),
  async become(transaction, { by: { companyId }, key, before, more = {} }) {
    if (before === undefined && (await isFull(transaction, companyId)))
      return refusal('too_many_job_types', { sentence: 'too_many_job_types', most: maxTypesOfCompany });
    const settings = settingsAfter(before?.settings, more);
    const { generic } = settings;
    if (before !== undefined && before.key !== key) {
      const refused = await withoutOwn(transaction, companyId, before);
      if (refused !== undefined) return refused;
    }
    const former = before?.key === key ? before.settings.generic : standardType(key)?.settings.generic;
    return (await refusesGeneric(transaction, companyId, { name: key, former, generic })) ?? { settings };
  },
  refusesRemoval: (reading, { companyId }, type) => withoutOwn(reading, companyId, type),
});

async function isFull(reading: Reading, companyId: number): Promise<boolean> {
  const last = literal(maxTypesOfCompany - 1);
  const found = await reading.first(
    sql`SELECT name FROM job_types WHERE company_id = ${companyId} ORDER BY name LIMIT 1 OFFSET ${last}`,
  );
  return found !== undefined;
}

function settingsAfter(before: JobTypeSettings | undefined, given: GivenSettings): JobTypeSettings {
  const standard = standardSettings(given.generic ?? before?.generic ?? 'GMM');
  const wanted = Object.entries(given).filter(([, value]) => value !== undefined);
  const after = Object.entries({ ...standard, ...before, ...Object.fromEntries(wanted) });
  return { ...standard, ...Object.fromEntries(after.filter(([, value]) => value !== null)) };
}

/** Why the company can't do without its own type: without it, jobs have the standard type of that name, or none. */
function withoutOwn(
  reading: Reading,
  companyId: number,
  { key: name, settings: { generic: former } }: Pick<CompanyType, 'key' | 'settings'>,
): Promise<Refused | undefined> {
  return refusesGeneric(reading, companyId, {
    name,
    former,
    generic: standardType(name)?.settings.generic,
  });
}

interface NewGeneric {
  readonly name: string;
  /** Undefined if no type has the name. */
  readonly former: Generic | undefined;
  readonly generic: Generic | undefined;
}

/** The content of saved jobs fits what their type derives from. */
async function refusesGeneric(
  reading: Reading,
  companyId: number,
  { name, former, generic }: NewGeneric,
): Promise<Refused | undefined> {
  if (former === generic) return undefined;
  const jobs = namedJobs(await jobsOfType(reading, companyId, name));
  if (jobs === undefined) return undefined;
  return refusal('in_use', { sentence: 'type_in_use', type: quoted(name), jobs });
}

/** The log tells what was changed, but no text. */
function changedIn({ settings: before }: CompanyType, { settings: after }: CompanyType): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof JobTypeSettings>;
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}
