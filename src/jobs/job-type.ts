/**
 * Types of jobs (API: saved job, type): each derives from one of the two generic ones and says how its runs go. The settings
 * as they are when a run starts are those that it keeps. A company has the standard types, and those that the operator has
 * set up for it.
 */
import { ofCompany } from '../accounts/company-records.ts';
import { RecordTable } from '../storage/record-table.ts';
import { oneOf, sql } from '../storage/sql.ts';
import { json, type Kept, StoredRecord, text } from '../storage/stored-record.ts';
import { type Reading, readVerb } from '../storage/verb.ts';
import { type Language, languages } from './answers/words.ts';

/** GMM asks everybody at once; GMA fills places, level after level. */
export const generics = ['GMM', 'GMA'] as const;
export type Generic = (typeof generics)[number];

/** The texts that people are sent, with `{job}`, `{yes}` and the like in them; absent: those of the language. */
export const textNames = [
  'assignedText',
  'declinedText',
  'filledText',
  'reserveText',
  'promotedText',
  'lateText',
  'unneededText',
  'helpText',
  'reminderText',
  'canceledText',
  'codeText',
  'whichText',
] as const;
export type TextName = (typeof textNames)[number];

export interface JobTypeSettings extends Readonly<Partial<Record<TextName, string>>> {
  readonly generic: Generic;
  readonly language: Language;
  /** From the start. */
  readonly expiryMinutes: number;
  /** From the start; absent: nobody is warned. */
  readonly warningMinutes?: number;
  /** From when somebody was asked; absent: nobody is reminded. */
  readonly reminderMinutes?: number;
  /** In string notation; whom a GMA run may ask at all. */
  readonly globalTagFilter?: string;
  /** In place of the words of all languages. */
  readonly yes?: readonly string[];
  readonly no?: readonly string[];
  /** 1 is a YES, 2 and 0 are a NO. */
  readonly digits: boolean;
  /** The next level opens before its time where those who may still answer are too few. */
  readonly openEarly: boolean;
  /** Asked at a time, as a multiple of the places still needed; absent: a level at once. */
  readonly wave?: number;
  readonly waveMinutes: number;
  /** So many are told that they are reserves once the goal is reached. */
  readonly reserve: number;
  /** Those who were asked and are silent hear that nobody more is needed. */
  readonly tellUnneeded: boolean;
  /** What happens where the pool has no number for some. */
  readonly poolExhausted: 'partial' | 'refuse';
}

const storedType = new StoredRecord({ name: text, settings: json<JobTypeSettings>() });
export type JobType = Kept<typeof storedType>;

export function standardSettings(generic: Generic): JobTypeSettings {
  return {
    generic,
    language: languages[0],
    expiryMinutes: 60,
    digits: false,
    openEarly: true,
    waveMinutes: 5,
    reserve: 0,
    tellUnneeded: generic === 'GMA',
    poolExhausted: 'partial',
  };
}

/** Types that every company has, unless it has provisioned ones of these names. */
const standardGenerics: Readonly<Record<string, Generic>> = {
  QuickAssign: 'GMA',
  MonitoredMessage: 'GMM',
  GroundHandling: 'GMA',
};

const standardTypes: readonly JobType[] = Object.entries(standardGenerics).map(([name, generic]) => ({
  name,
  settings: standardSettings(generic),
}));

export function standardType(name: string): JobType | undefined {
  return standardTypes.find((type) => type.name === name);
}

/** The one that is provisioned, else the standard one of that name. */
export async function findType(
  reading: Reading,
  companyId: number,
  name: string,
): Promise<JobType | undefined> {
  const own = await storedType.first(reading)`
    FROM job_types WHERE company_id = ${companyId} AND name = ${name}`;
  return own ?? standardType(name);
}

/** Those that the company has of its own, by name. */
export const listJobTypes = readVerb(
  'jobs.listTypes',
  async (
    reading,
    {
      companyId,
      after,
      limit,
    }: {
      readonly companyId: number;
      /** The name of the last of the page before; null: this is the first. */
      readonly after: string | null;
      readonly limit: number;
    },
  ): Promise<readonly JobType[]> =>
    storedType.all(reading)`
      FROM job_types WHERE company_id = ${companyId}
      ${after === null ? sql`` : sql`AND name > ${after}`} ORDER BY name LIMIT ${limit}`,
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

/** Settings that are not there are undefined, as in a file that leaves them out. */
export interface JobTypeRecord extends JobTypeSettings {
  /** The company's name. */
  readonly company: string;
  readonly name: string;
}

export const jobTypeRecords = new RecordTable<JobTypeRecord, keyof JobTypeSettings>({
  table: 'job_types',
  key: ['company', 'name'],
  fields: { company: ofCompany, name: text },
  others: 'settings',
});
