/**
 * Types of jobs (API: saved job, type): each derives from one of the two generic ones and says how its runs go. The
 * settings as they are when a run starts are those that it keeps.
 */
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

export interface JobType {
  readonly name: string;
  readonly settings: JobTypeSettings;
}

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

export const standardTypes: readonly JobType[] = Object.entries(standardGenerics).map(([name, generic]) => ({
  name,
  settings: standardSettings(generic),
}));

export function standardType(name: string): JobType | undefined {
  return standardTypes.find((type) => type.name === name);
}
