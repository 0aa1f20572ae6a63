/**
 * Job types (API: saved job, type): each derives from one of the two generic types and determines how its runs proceed. A run
 * keeps the settings that apply when it starts. A company has the standard types and those that the operator has configured
 * for it.
 */
import { ofCompany } from '../accounts/company-records.ts';
import { RecordTable } from '../storage/record-table.ts';
import { json, type Kept, StoredRecord, text } from '../storage/stored-record.ts';
import type { Reading } from '../storage/verb.ts';
import { type Language, languages } from '../wire/answers/words.ts';
import type { Category } from '../wire/category.ts';

/** GMM asks everybody at once; GMA fills places, level by level. */
export const generics = ['GMM', 'GMA'] as const;
export type Generic = (typeof generics)[number];

/** The longest time in the settings of a type or a job: a week. */
export const maxMinutes = 10_080;

/** The texts sent to people, with placeholders such as `{job}` and `{yes}`; by default, the texts of the language. */
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
  /** Minutes from the start. */
  readonly expiryMinutes: number;
  /** Minutes from the start; absent for no warning. */
  readonly warningMinutes?: number;
  /** Minutes since the person was asked; absent for no reminder. */
  readonly reminderMinutes?: number;
  /** In string notation; limits the people that any GMA run may ask. */
  readonly globalTagFilter?: string;
  /** Replaces the words of all languages. */
  readonly yes?: readonly string[];
  readonly no?: readonly string[];
  /** Whether digits count as answers: 1 is a YES, 2 and 0 are a NO. */
  readonly digits: boolean;
  /** Whether the next level opens early if too few people can still answer. */
  readonly openEarly: boolean;
  /**
   * How many people are asked at a time, as a multiple of the places still needed; by default, a whole level at once.
   */
  readonly wave?: number;
  readonly waveMinutes: number;
  /** How many people are told that they are reserves once the goal is reached. */
  readonly reserve: number;
  /** Whether people who were asked but have not answered are told that no one else is needed. */
  readonly tellUnneeded: boolean;
  /** What happens if the pool has no number for some people. */
  readonly poolExhausted: 'partial' | 'refuse';
  /** The category of its messages; by default that of the account that starts the run. */
  readonly category?: Category;
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

/** The types that every company has, unless it has provisioned types with these names. */
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

/** Returns the provisioned type with that name, otherwise the standard one. */
export async function findType(
  reading: Reading,
  companyId: number,
  name: string,
): Promise<JobType | undefined> {
  const own = await storedType.first(reading)`
    FROM job_types WHERE company_id = ${companyId} AND name = ${name}`;
  return own ?? standardType(name);
}

/** The standard types in their order, those after a name. */
export function standardTypesBehind(last?: string): readonly JobType[] {
  return standardTypes.slice(standardTypes.findIndex(({ name }) => name === last) + 1);
}

/** Missing settings are undefined, like those left out of a file. */
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
