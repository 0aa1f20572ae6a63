/** The endpoints of the management API that show saved jobs and their types, try a start out, and start, with the words in which they do. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer } from '../../http/parameters/kinds.ts';
import {
  nextOf,
  pageOf,
  pageParameters,
  textPageParameters,
  writeTextCursor,
} from '../../http/parameters/page.ts';
import type { LeftOut } from '../choose-people.ts';
import { type Generic, generics, type JobType, listJobTypes, listStandardTypes } from '../job-type.ts';
import { type Rehearsal, type RehearsedPerson, rehearse } from '../rehearse.ts';
import { findSavedJob, listStartableJobs, type SavedJob } from '../saved-job.ts';
import { type Starting, startJob } from '../start-job.ts';
import { givenIn, requestOf, startErrors, startParameters } from '../start-parameters.ts';
import { runEndpoints } from './run-endpoints.ts';

const endpoint = endpointsFor<Caller>();
const declared = { group: 'Saved jobs', credentials: anyMethod } as const;
const path = '/api/v1/jobs';
const id = integer({ get: 'id', min: 1, required: true, description: 'Id of the saved job.' });
const errors = ['role_missing', 'unknown_job'] as const;

export function jobManagementEndpoints(starting: Starting) {
  return [
    ...readingEndpoints(starting),
    ...startingEndpoints(starting),
    ...runEndpoints(starting.sending),
  ] as const;
}

function readingEndpoints({ sending: { store } }: Starting) {
  return [
    endpoint({
      ...declared,
      path,
      methods: ['GET'],
      operation: 'listSavedJobs',
      title: 'List the saved jobs that one may start',
      description:
        'Lists the saved jobs of the owner whose jobs the account starts, in the order of their ids.',
      example: { url: {} },
      parameters: pageParameters,
      answer: Type.Object({
        jobs: Type.Array(Type.Object(listedJobFields, { title: 'StartableJob' })),
        next: nextOf('jobs'),
      }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        requireRole(caller, 'jobs');
        const page = { userId: caller.userId, after: after?.id ?? 0, limit: limit + 1 };
        const rows = await store.read(listStartableJobs, page);
        const { items, next } = pageOf(rows, limit, (job) => String(job.id));
        return { jobs: items.map(({ id, name, type }) => ({ id: String(id), name, type })), next };
      },
    }),
    endpoint({
      ...declared,
      path: `${path}/{id}` as const,
      methods: ['GET'],
      operation: 'getSavedJob',
      title: 'Read a saved job',
      description: 'Tells what is asked of whom, level by level, and how runs of its type go.',
      example: { url: { id: '71' } },
      parameters: { id },
      answer: Type.Object(jobFields, { title: 'SavedJob' }),
      errors,
      async handle(caller, input) {
        requireRole(caller, 'jobs');
        const found = await store.read(findSavedJob, { userId: caller.userId, id: input.id });
        if (found !== null) return shownJob(found.job, found.type);
        throw new ServiceError(
          'unknown_job',
          `There is no saved job ${input.id} that the account may start.`,
        );
      },
    }),
    endpoint({
      ...declared,
      path: '/api/v1/jobtypes',
      methods: ['GET'],
      operation: 'listJobTypes',
      title: 'List types of saved jobs',
      description:
        'Lists the types that every company has, and then those of the company by name, with how their runs go.',
      example: { url: {} },
      parameters: textPageParameters,
      answer: Type.Object({
        types: Type.Array(Type.Object(typeFields, { title: 'JobType' })),
        next: nextOf('types'),
      }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        requireRole(caller, 'jobs', 'companyAdmin');
        const { companyId } = caller;
        const [name] = after ?? [];
        const behind = typeof name === 'string' ? name : null;
        const standard = behind === null ? await store.read(listStandardTypes, companyId) : [];
        const rows = await store.read(listJobTypes, { companyId, after: behind, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, (type) => writeTextCursor([type.name]));
        return { types: [...standard, ...items].map(shownType), next };
      },
    }),
  ] as const;
}

function startingEndpoints(starting: Starting) {
  const { sending } = starting;
  const { clock } = sending;
  const parameters = { id, ...startParameters };
  const acting = { ...declared, methods: ['POST'] as const, parameters };
  return [
    endpoint({
      ...acting,
      path: `${path}/{id}/rehearse` as const,
      operation: 'rehearseSavedJob',
      title: 'Rehearse a saved job',
      description:
        'Takes what a start takes and stores nothing: tells who would be asked and in which order, who would not and why, the cost, and whether goals can be met.',
      example: { url: { id: '71' }, json: {} },
      answer: Type.Object(rehearsalFields, { title: 'Rehearsal' }),
      errors: [...errors, ...startErrors],
      async handle(caller, input) {
        const request = requestOf(input.id, input, clock.now());
        return shownRehearsal(await rehearse(sending, caller, request, givenIn(input)));
      },
    }),
    endpoint({
      ...acting,
      path: `${path}/{id}/start` as const,
      creates: 'id',
      createsBelow: '/api/v1/runs',
      operation: 'startRun',
      title: 'Start a saved job as a run',
      description:
        'Starts a saved job by the rules of /startsavedjob: the answer comes when the first people are asked, and has the id of the run. What can not be started is refused, with why.',
      example: { url: { id: '71' }, json: { jobname: 'Ward 8 tonight' } },
      answer: Type.Object({
        id: Type.String({ description: 'Of the run.' }),
        name: Type.String({ description: 'Of the run.' }),
      }),
      errors: [...errors, ...startErrors, 'not_started', 'idempotency_mismatch'],
      isIdempotent: true,
      async handle(caller, input, { idempotencyKey }) {
        const request = requestOf(input.id, input, clock.now());
        const started = await startJob(starting, caller, request, givenIn(input), idempotencyKey);
        if (started.result === 'ERROR') throw new ServiceError('not_started', started.errormessage);
        return { id: String(started.runtimeid), name: started.jobname };
      },
    }),
  ] as const;
}

const strings = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ description });
const maybe = (description: string) => Type.Optional(count(description));
const generic = Type.Unsafe<Generic>({
  type: 'string',
  enum: [...generics],
  description: 'GMM asks everybody at once; GMA fills places, level after level.',
});

const listedJobFields = {
  id: Type.String({ description: 'What `jobid` of /startsavedjob takes.' }),
  name: Type.String(),
  type: Type.String({ description: 'Such as `QuickAssign`.' }),
};

const typeFields = {
  name: Type.String(),
  generic,
  language: Type.String({ description: 'Of its texts and of the words of answers.' }),
  expiryMinutes: count('From the start to the end.'),
  warningMinutes: maybe('From the start; absent: nobody is warned.'),
  reminderMinutes: maybe('From when somebody was asked; absent: nobody is reminded.'),
  globalTagFilter: Type.Optional(Type.String({ description: 'Whom it may ask at all.' })),
  yes: Type.Optional(strings('Words for YES in place of those of the language.')),
  no: Type.Optional(strings('Words for NO in place of those of the language.')),
  openEarly: Type.Boolean({
    description: 'A level opens before its time where too few may still answer.',
  }),
  wave: Type.Optional(
    Type.Number({
      description: 'Asked at a time, as a multiple of the places still needed; absent: a level at once.',
    }),
  ),
  waveMinutes: count('From one wave to the next.'),
  reserve: count('So many are told that they are reserves.'),
  tellUnneeded: Type.Boolean({ description: 'The silent hear that nobody more is needed.' }),
};

function shownType({ name, settings }: JobType) {
  const { generic, language, expiryMinutes, warningMinutes, reminderMinutes, globalTagFilter } = settings;
  const { yes, no, openEarly, wave, waveMinutes, reserve, tellUnneeded } = settings;
  return {
    name,
    generic,
    language,
    expiryMinutes,
    warningMinutes,
    reminderMinutes,
    globalTagFilter,
    yes,
    no,
    openEarly,
    wave,
    waveMinutes,
    reserve,
    tellUnneeded,
  };
}

const recipientFields = {
  numbers: strings('Phone numbers.'),
  tagFilter: Type.Optional(Type.String()),
};

const jobFields = {
  ...listedJobFields,
  message: Type.String({ description: 'What people are asked.' }),
  settings: Type.Optional(
    Type.Object(typeFields, {
      title: 'JobType',
      description: 'The settings of its type as they are now; absent: the type is gone.',
    }),
  ),
  recipients: Type.Optional(
    Type.Object(
      {
        ...recipientFields,
        savedTagFilters: strings('Names of saved filters.'),
        groups: strings('Names of groups.'),
      },
      { description: 'Whom a GMM job asks.' },
    ),
  ),
  exclude: Type.Optional(Type.Object(recipientFields, { description: 'Whom it leaves out.' })),
  responseGoal: maybe('So many YES are needed.'),
  tasks: Type.Array(
    Type.Object({
      tagType: Type.String(),
      tagValue: Type.String(),
      goal: count('So many places are to be filled.'),
      escalations: Type.Array(
        Type.Object({
          afterMinutes: count('From the start.'),
          tagFilter: Type.String({ description: 'Who is asked then, too.' }),
          goal: maybe('Of the task from then on.'),
        }),
      ),
    }),
    { description: 'Of a GMA job.' },
  ),
};

function shownJob({ id, name, type, content }: SavedJob, found: JobType | null) {
  const { message, recipients, exclude, responseGoal, tasks = [] } = content;
  return {
    id: String(id),
    name,
    type,
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
    settings: found === null ? undefined : shownType(found),
    recipients: recipients && {
      numbers: recipients.numbers,
      tagFilter: recipients.tagFilter,
      groups: recipients.groups,
      savedTagFilters: recipients.savedTagFilters,
    },
    exclude: exclude && { numbers: exclude.numbers, tagFilter: exclude.tagFilter },
  };
}

/** The most people who are shown, and as many of those who are left out. */
const mostShown = 1_000;

const nameFields = {
  name: Type.String(),
  contactId: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only.' })),
};

const rehearsalFields = {
  job: Type.String({ description: 'Its name.' }),
  type: Type.String(),
  message: Type.String(),
  problem: Type.Optional(Type.String({ description: 'Why it would not be started; absent: it would.' })),
  tasks: Type.Array(
    Type.Object({
      task: Type.String({ description: 'Empty where there is one for all.' }),
      goal: maybe('Absent: as many as answer YES.'),
      canBeReached: count('Who can be asked for it.'),
      canBeMet: Type.Boolean(),
      levels: Type.Array(
        Type.Object({ name: Type.String(), afterMinutes: count('From the start.'), people: Type.Integer() }),
      ),
    }),
  ),
  people: Type.Array(
    Type.Object({
      ...nameFields,
      email: Type.Optional(Type.String({ description: 'Of who has no phone.' })),
      task: Type.String(),
      level: count('From 1 on.'),
      afterMinutes: count('Of the level.'),
      askedAtOnce: Type.Boolean(),
      parts: count('SMS parts of the question.'),
      why: Type.Optional(Type.String({ description: 'Why the person can’t be asked.' })),
    }),
    { description: `In the order in which they would be asked; the first ${mostShown}.` },
  ),
  peopleCount: count('All of them.'),
  leftOut: Type.Array(
    Type.Object({
      ...nameFields,
      why: Type.Unsafe<LeftOut['why']>({ type: 'string', enum: ['excluded', 'twice', 'no phone number'] }),
    }),
    { description: `The first ${mostShown}.` },
  ),
  leftOutCount: count('All of them.'),
  partsFirst: count('SMS parts for those who are asked at once.'),
  partsAll: count('SMS parts where all have to be asked.'),
  quotaLeft: maybe('SMS parts that are left; absent: there is no quota.'),
  mailsFirst: count('Mails for those who are asked at once.'),
  mailsAll: count('Mails where all have to be asked.'),
  mailsLeft: maybe('Mails of this day that are left; absent: no limit.'),
};

function shownRehearsal({ people, leftOut, tasks, parts, mails, ...rehearsal }: Rehearsal) {
  return {
    ...rehearsal,
    tasks: tasks.map(({ task, goal, canBeReached, canBeMet, levels }) => ({
      task,
      goal: goal ?? undefined,
      canBeReached,
      canBeMet,
      levels,
    })),
    people: people.slice(0, mostShown).map(shownPerson),
    peopleCount: people.length,
    leftOut: leftOut.slice(0, mostShown).map(({ name, contactId, phone, why }) => ({
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
    why,
  };
}
