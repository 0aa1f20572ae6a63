/** How answers of the management API show saved jobs, their types, and rehearsals. */
import Type from 'typebox';
import { inEnglish, shownWhy } from '../../foundation/sentences.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { type Category, categories } from '../../wire/category.ts';
import type { LeftOut } from '../choose-people.ts';
import { type Generic, generics, type JobType, type JobTypeSettings } from '../job-type.ts';
import type { Rehearsal, RehearsedPerson } from '../rehearse.ts';
import type { SavedJob, SavedJobContent } from '../saved-job.ts';

const strings = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ description });
const maybe = (description: string) => Type.Optional(count(description));
const generic = Type.Unsafe<Generic>({
  type: 'string',
  enum: [...generics],
  description: 'GMM asks everyone at the same time; GMA fills places level by level.',
});

export const listedJobFields = {
  id: Type.String({ description: 'The `jobid` for /startsavedjob.' }),
  name: Type.String(),
  type: Type.String({ description: 'Such as `QuickAssign`.' }),
};

export const settingFields = {
  generic,
  language: Type.String({ description: 'Language of its texts and of the answers.' }),
  expiryMinutes: count('Minutes from the start of a run to its end.'),
  warningMinutes: maybe('Minutes from the start to the warning; absent: there is no warning.'),
  reminderMinutes: maybe('Minutes from the question to the reminder; absent: there is no reminder.'),
  globalTagFilter: Type.Optional(Type.String({ description: 'Who may be asked.' })),
  yes: Type.Optional(strings('Words for YES that replace those of the language.')),
  no: Type.Optional(strings('Words for NO that replace those of the language.')),
  digits: Type.Boolean({ description: 'Whether 1 counts as YES, and 2 and 0 as NO.' }),
  openEarly: Type.Boolean({
    description: 'Opens the next level early if too few people can still answer.',
  }),
  wave: Type.Optional(
    Type.Number({
      description:
        'How many people are asked at a time, as a multiple of the open places; absent: a whole level at a time.',
    }),
  ),
  waveMinutes: count('Minutes from one wave to the next.'),
  reserve: count('How many people are told that they are reserves.'),
  tellUnneeded: Type.Boolean({
    description: 'Tells people who have not answered that no one else is needed.',
  }),
  poolExhausted: Type.Unsafe<JobTypeSettings['poolExhausted']>({
    type: 'string',
    enum: ['partial', 'refuse'],
    description: 'What happens if the pool has no number for some people.',
  }),
  category: Type.Optional(
    Type.Unsafe<Category>({
      type: 'string',
      enum: [...categories],
      description: 'Category of the messages; absent: that of the starting account.',
    }),
  ),
};

export const typeFields = { name: Type.String(), ...settingFields };

export function shownType({ name, settings }: JobType) {
  return { name, ...shownSettings(settings) };
}

/** Without its texts. */
export function shownSettings(settings: JobTypeSettings) {
  const { generic, language, expiryMinutes, warningMinutes, reminderMinutes, globalTagFilter } = settings;
  const { yes, no, digits, openEarly, wave, waveMinutes, reserve, tellUnneeded } = settings;
  const { poolExhausted, category } = settings;
  return {
    generic,
    language,
    expiryMinutes,
    warningMinutes,
    reminderMinutes,
    globalTagFilter,
    yes,
    no,
    digits,
    openEarly,
    wave,
    waveMinutes,
    reserve,
    tellUnneeded,
    poolExhausted,
    category,
  };
}

const recipientFields = {
  numbers: strings('Phone numbers.'),
  tagFilter: Type.Optional(Type.String()),
};

export const contentFields = {
  message: Type.String({ description: 'The question.' }),
  recipients: Type.Optional(
    Type.Object(
      {
        ...recipientFields,
        savedTagFilters: strings('Names of saved filters.'),
        groups: strings('Names of groups.'),
      },
      { description: 'Who is asked (GMM).' },
    ),
  ),
  exclude: Type.Optional(Type.Object(recipientFields, { description: 'Who is left out.' })),
  responseGoal: maybe('Number of YES answers needed.'),
  tasks: Type.Array(
    Type.Object({
      tagType: Type.String(),
      tagValue: Type.String(),
      goal: count('How many places are to be filled.'),
      escalations: Type.Array(
        Type.Object({
          afterMinutes: count('Minutes from the start.'),
          tagFilter: Type.String({ description: 'Who else is asked then.' }),
          goal: maybe('The goal of the task from then on.'),
        }),
      ),
    }),
    { description: 'Tasks of a GMA job.' },
  ),
};

export const jobFields = {
  ...listedJobFields,
  ...contentFields,
  settings: Type.Optional(
    Type.Object(typeFields, {
      title: 'JobTypeSettings',
      description: 'The current settings of the job’s type; absent: the type was removed.',
    }),
  ),
};

export function shownJob({ id, name, type, content }: SavedJob, found: JobType | null) {
  const settings = found === null ? undefined : shownType(found);
  return { id: String(id), name, type, settings, ...shownContent(content) };
}

export function shownContent({ message, recipients, exclude, responseGoal, tasks = [] }: SavedJobContent) {
  return {
    message,
    responseGoal,
    tasks: tasks.map(({ tagType, tagValue, goal, escalations }) => ({
      tagType,
      tagValue,
      goal,
      escalations: escalations.map(({ afterMinutes, tagFilter, goal: raised }) => ({
        afterMinutes,
        tagFilter,
        goal: raised,
      })),
    })),
    recipients: recipients && {
      numbers: recipients.numbers,
      tagFilter: recipients.tagFilter,
      groups: recipients.groups,
      savedTagFilters: recipients.savedTagFilters,
    },
    exclude: exclude && { numbers: exclude.numbers, tagFilter: exclude.tagFilter },
  };
}

/** Maximum number of people listed, of those asked and of those left out alike. */
const maxShown = 1_000;

const nameFields = {
  name: Type.String(),
  contactId: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only.' })),
};

export const rehearsalFields = {
  job: Type.String({ description: 'Name of the saved job.' }),
  type: Type.String(),
  message: Type.String(),
  problem: Type.Optional(Type.String({ description: 'Why the job can’t be started; absent if it can.' })),
  problemValues: errorContent.values,
  tasks: Type.Array(
    Type.Object({
      task: Type.String({ description: 'Name of the task; empty if everyone is asked the same.' }),
      goal: maybe('How many people are needed; absent: everyone who answers YES.'),
      canBeReached: count('How many people can be asked for this task.'),
      canBeMet: Type.Boolean(),
      levels: Type.Array(
        Type.Object({
          name: Type.String(),
          afterMinutes: count('Minutes from the start.'),
          people: Type.Integer(),
        }),
      ),
    }),
  ),
  people: Type.Array(
    Type.Object({
      ...nameFields,
      email: Type.Optional(Type.String({ description: 'For people without a phone.' })),
      task: Type.String(),
      level: count('Counted from 1.'),
      afterMinutes: count('Minutes from the start of the run to the level.'),
      askedAtOnce: Type.Boolean(),
      parts: count('SMS parts of the question.'),
      why: Type.Optional(Type.String({ description: 'Why this person can’t be asked.' })),
      whyValues: errorContent.values,
    }),
    { description: `In the order in which they would be asked; the first ${maxShown}.` },
  ),
  peopleCount: count('Number of all people to ask.'),
  leftOut: Type.Array(
    Type.Object({
      ...nameFields,
      why: Type.Unsafe<LeftOut['why']>({ type: 'string', enum: ['excluded', 'twice', 'no phone number'] }),
    }),
    { description: `The first ${maxShown} people who are left out.` },
  ),
  leftOutCount: count('Number of all people left out.'),
  notMatching: maybe(
    'Number of people the filter of the job’s type leaves out; absent if they are more than 10,000.',
  ),
  partsFirst: count('SMS parts for the people asked at the start.'),
  partsAll: count('SMS parts if everyone has to be asked.'),
  quotaLeft: maybe('SMS parts left; absent: there is no quota.'),
  mailsFirst: count('E-mails for the people asked at the start.'),
  mailsAll: count('E-mails if everyone has to be asked.'),
  mailsLeft: maybe('E-mails left today; absent: no limit.'),
};

export function shownRehearsal({ problem, people, leftOut, tasks, parts, mails, ...rehearsal }: Rehearsal) {
  return {
    ...rehearsal,
    problem: problem && inEnglish(problem),
    problemValues: problem,
    tasks: tasks.map(({ task, goal, canBeReached, canBeMet, levels }) => ({
      task,
      goal: goal ?? undefined,
      canBeReached,
      canBeMet,
      levels,
    })),
    people: people.slice(0, maxShown).map(shownPerson),
    peopleCount: people.length,
    leftOut: leftOut.slice(0, maxShown).map(({ name, contactId, phone, why }) => ({
      name,
      contactId,
      phone: phone ?? undefined,
      why,
    })),
    leftOutCount: leftOut.length,
    partsFirst: parts.first,
    partsAll: parts.all,
    quotaLeft: parts.left ?? undefined,
    mailsFirst: mails.first,
    mailsAll: mails.all,
    mailsLeft: mails.left ?? undefined,
  };
}

function shownPerson({ name, contactId, phone, email, ...person }: RehearsedPerson) {
  const { task, level, afterMinutes, askedAtOnce, parts, why } = person;
  return {
    name,
    contactId,
    phone: phone || undefined,
    email: email || undefined,
    task,
    level,
    afterMinutes,
    askedAtOnce,
    parts,
    ...(why !== undefined && shownWhy(why)),
  };
}
