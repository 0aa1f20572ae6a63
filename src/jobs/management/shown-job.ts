/** Saved jobs, their types and rehearsals in the words of the management API. */
import Type from 'typebox';
import type { LeftOut } from '../choose-people.ts';
import { type Generic, generics, type JobType } from '../job-type.ts';
import type { Rehearsal, RehearsedPerson } from '../rehearse.ts';
import type { SavedEscalation, SavedJob, SavedTask } from '../saved-job.ts';

const strings = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ description });
const maybe = (description: string) => Type.Optional(count(description));
const generic = Type.Unsafe<Generic>({
  type: 'string',
  enum: [...generics],
  description: 'GMM asks everybody at once; GMA fills places, level after level.',
});

export const listedJobFields = {
  id: Type.String({ description: 'What `jobid` of /startsavedjob takes.' }),
  name: Type.String(),
  type: Type.String({ description: 'Such as `QuickAssign`.' }),
};

export const typeFields = {
  name: Type.String(),
  generic,
  language: Type.String({ description: 'Of its texts and of the words of answers.' }),
  expiryminutes: count('From the start to the end.'),
  warningminutes: maybe('From the start; absent: nobody is warned.'),
  reminderminutes: maybe('From when somebody was asked; absent: nobody is reminded.'),
  globaltagfilter: Type.Optional(Type.String({ description: 'Whom it may ask at all.' })),
  yes: Type.Optional(strings('Words for YES in place of those of the language.')),
  no: Type.Optional(strings('Words for NO in place of those of the language.')),
  openearly: Type.Boolean({
    description: 'A level opens before its time where too few of those who were asked may still answer.',
  }),
  wave: Type.Optional(
    Type.Number({
      description: 'Asked at a time, as a multiple of the places still needed; absent: a level at once.',
    }),
  ),
  waveminutes: count('From one wave to the next.'),
  reserve: count('So many are told that they are reserves.'),
  tellunneeded: Type.Boolean({ description: 'The silent hear that nobody more is needed.' }),
};

export function shownType({ name, settings }: JobType) {
  const { generic, language, expiryMinutes, warningMinutes, reminderMinutes, globalTagFilter } = settings;
  const { yes, no, openEarly, wave, waveMinutes, reserve, tellUnneeded } = settings;
  return {
    name,
    generic,
    language,
    expiryminutes: expiryMinutes,
    warningminutes: warningMinutes,
    reminderminutes: reminderMinutes,
    globaltagfilter: globalTagFilter,
    yes,
    no,
    openearly: openEarly,
    wave,
    waveminutes: waveMinutes,
    reserve,
    tellunneeded: tellUnneeded,
  };
}

const recipientFields = {
  numbers: strings('Phone numbers.'),
  tagfilter: Type.Optional(Type.String()),
};

export const jobFields = {
  ...listedJobFields,
  message: Type.String({ description: 'What people are asked.' }),
  settings: Type.Optional(
    Type.Object(typeFields, {
      title: 'JobType',
      description: 'Of its type, as a start now would have them; absent: there is no such type any more.',
    }),
  ),
  recipients: Type.Optional(
    Type.Object(
      {
        ...recipientFields,
        savedtagfilters: strings('Names of saved filters.'),
        groups: strings('Names of groups.'),
      },
      { description: 'Whom a GMM job asks.' },
    ),
  ),
  exclude: Type.Optional(Type.Object(recipientFields, { description: 'Whom it leaves out.' })),
  responsegoal: maybe('So many YES are needed.'),
  tasks: Type.Array(
    Type.Object({
      tagtype: Type.String(),
      tagvalue: Type.String(),
      goal: count('So many places are to be filled.'),
      escalations: Type.Array(
        Type.Object({
          afterminutes: count('From the start.'),
          tagfilter: Type.String({ description: 'Who is asked then, too.' }),
          goal: maybe('Of the task from then on.'),
        }),
      ),
    }),
    { description: 'Of a GMA job.' },
  ),
};

export function shownJob({ id, name, type, content }: SavedJob, found: JobType | null) {
  const { message, recipients, exclude, responseGoal, tasks = [] } = content;
  return {
    id: String(id),
    name,
    type,
    message,
    responsegoal: responseGoal,
    tasks: tasks.map(shownTask),
    settings: found === null ? undefined : shownType(found),
    recipients: recipients && {
      numbers: recipients.numbers,
      tagfilter: recipients.tagFilter,
      groups: recipients.groups,
      savedtagfilters: recipients.savedTagFilters,
    },
    exclude: exclude && { numbers: exclude.numbers, tagfilter: exclude.tagFilter },
  };
}

function shownTask({ tagType, tagValue, goal, escalations }: SavedTask) {
  return { tagtype: tagType, tagvalue: tagValue, goal, escalations: escalations.map(shownEscalation) };
}

function shownEscalation({ afterMinutes, tagFilter, goal }: SavedEscalation) {
  return { afterminutes: afterMinutes, tagfilter: tagFilter, goal };
}

/** Of people, and of those who are left out. */
const mostShown = 1_000;

const nameFields = {
  name: Type.String(),
  contactid: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only.' })),
};

export const rehearsalFields = {
  job: Type.String({ description: 'Its name.' }),
  type: Type.String(),
  message: Type.String(),
  problem: Type.Optional(Type.String({ description: 'Why it would not be started; absent: it would.' })),
  tasks: Type.Array(
    Type.Object({
      task: Type.String({ description: 'Empty where there is one for all.' }),
      goal: maybe('Absent: as many as answer YES.'),
      canbereached: count('Who can be asked for it.'),
      canbemet: Type.Boolean(),
      levels: Type.Array(
        Type.Object({ name: Type.String(), afterminutes: count('From the start.'), people: Type.Integer() }),
      ),
    }),
  ),
  people: Type.Array(
    Type.Object({
      ...nameFields,
      email: Type.Optional(Type.String({ description: 'Of who has no phone.' })),
      task: Type.String(),
      level: count('From 1 on.'),
      afterminutes: count('Of the level.'),
      askedatonce: Type.Boolean(),
      parts: count('SMS parts of the question.'),
      why: Type.Optional(Type.String({ description: 'Why the person can’t be asked.' })),
    }),
    { description: `In the order in which they would be asked; the first ${mostShown}.` },
  ),
  peoplecount: count('All of them.'),
  leftout: Type.Array(
    Type.Object({
      ...nameFields,
      why: Type.Unsafe<LeftOut['why']>({ type: 'string', enum: ['excluded', 'twice', 'no phone number'] }),
    }),
    { description: `The first ${mostShown}.` },
  ),
  leftoutcount: count('All of them.'),
  partsfirst: count('SMS parts for those who are asked at once.'),
  partsall: count('SMS parts where all have to be asked.'),
  quotaleft: maybe('SMS parts that are left; absent: there is no quota.'),
};

export function shownRehearsal({ people, leftOut, tasks, parts, ...rehearsal }: Rehearsal) {
  return {
    ...rehearsal,
    tasks: tasks.map(({ task, goal, canBeReached, canBeMet, levels }) => ({
      task,
      goal: goal ?? undefined,
      canbereached: canBeReached,
      canbemet: canBeMet,
      levels: levels.map(({ afterMinutes, ...level }) => ({ ...level, afterminutes: afterMinutes })),
    })),
    people: people.slice(0, mostShown).map(shownPerson),
    peoplecount: people.length,
    leftout: leftOut.slice(0, mostShown).map(shownLeftOut),
    leftoutcount: leftOut.length,
    partsfirst: parts.first,
    partsall: parts.all,
    quotaleft: parts.left ?? undefined,
  };
}

function shownPerson({ name, contactId, phone, email, ...person }: RehearsedPerson) {
  const { task, level, afterMinutes, askedAtOnce, parts, why } = person;
  return {
    name,
    contactid: contactId,
    phone: phone || undefined,
    email: email || undefined,
    task,
    level,
    afterminutes: afterMinutes,
    askedatonce: askedAtOnce,
    parts,
    why,
  };
}

function shownLeftOut({ name, contactId, phone, why }: LeftOut) {
  return { name, contactid: contactId, phone: phone ?? undefined, why };
}
