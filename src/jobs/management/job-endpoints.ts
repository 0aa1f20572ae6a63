/**
 * The management API endpoints that show saved jobs and their types, rehearse a start, and start jobs, with the wording for
 * it.
 */

import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { inEnglish, shownWhy } from '../../foundation/sentences.ts';
import { errorContent } from '../../http/answers/error-response.ts';
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
      title: 'List the saved jobs you may start',
      description: 'Lists the saved jobs of the system user whose jobs the account may start, by id.',
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
      description: 'Returns who is asked what, level by level, and how runs of this type of job work.',
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
        'Lists the built-in types, then the company’s own types by name, each with the settings for its runs.',
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
        'Accepts what a start accepts, but stores nothing: it returns who would be asked in which order, who would not be asked and why, the cost, and whether the goals can be met.',
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
        'Starts a saved job by the rules of /startsavedjob. The answer comes when the first people have been asked, and has the run’s id; a refusal says why nobody was asked.',
      example: { url: { id: '71' }, json: { jobname: 'Ward 8 tonight' } },
      answer: Type.Object({
        id: Type.String({ description: 'Id of the run.' }),
        name: Type.String({ description: 'Name of the run.' }),
      }),
      errors: [...errors, ...startErrors, 'not_started', 'idempotency_mismatch'],
      isIdempotent: true,
      async handle(caller, input, { idempotencyKey }) {
        const request = requestOf(input.id, input, clock.now());
        const started = await startJob(starting, caller, request, givenIn(input), idempotencyKey);
        if (started.problem !== undefined) throw new ServiceError('not_started', started.problem);
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
  description: 'GMM asks everyone at the same time; GMA fills places level by level.',
});

const listedJobFields = {
  id: Type.String({ description: 'The `jobid` for /startsavedjob.' }),
  name: Type.String(),
  type: Type.String({ description: 'Such as `QuickAssign`.' }),
};

const typeFields = {
  name: Type.String(),
  generic,
  language: Type.String({ description: 'Language of its texts and of the answers.' }),
  expiryMinutes: count('Minutes from the start of a run to its end.'),
  warningMinutes: maybe('Minutes from the start to the warning; absent: there is no warning.'),
  reminderMinutes: maybe('Minutes from the question to the reminder; absent: there is no reminder.'),
  globalTagFilter: Type.Optional(Type.String({ description: 'Who may be asked.' })),
  yes: Type.Optional(strings('Words for YES that replace those of the language.')),
  no: Type.Optional(strings('Words for NO that replace those of the language.')),
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
  message: Type.String({ description: 'The question.' }),
  settings: Type.Optional(
    Type.Object(typeFields, {
      title: 'JobType',
      description: 'The current settings of the job’s type; absent: the type was removed.',
    }),
  ),
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

/** Maximum number of people listed, of those asked and of those left out alike. */
const maxShown = 1_000;

const nameFields = {
  name: Type.String(),
  contactId: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only.' })),
};

const rehearsalFields = {
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
    'Number of people whom the filter of the job’s type leaves out; absent if they are more than 10,000.',
  ),
  partsFirst: count('SMS parts for the people asked at the start.'),
  partsAll: count('SMS parts if everyone has to be asked.'),
  quotaLeft: maybe('SMS parts left; absent: there is no quota.'),
  mailsFirst: count('E-mails for the people asked at the start.'),
  mailsAll: count('E-mails if everyone has to be asked.'),
  mailsLeft: maybe('E-mails left today; absent: no limit.'),
};

function shownRehearsal({ problem, people, leftOut, tasks, parts, mails, ...rehearsal }: Rehearsal) {
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
