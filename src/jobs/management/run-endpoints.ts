/** The management API endpoints that show and control runs of saved jobs (JOB-8), with the wording for them. */
import Type from 'typebox';
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { type Visibility, visibilityOf } from '../../accounts/visibility.ts';
import { byUser } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text, word } from '../../http/parameters/kinds.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { boundsOfMessage } from '../../messages/sending/parameters.ts';
import { theCaller } from '../../storage/verb.ts';
import type { JobSending } from '../job-mail.ts';
import { type Entry, system } from '../run/entry.ts';
import {
  type Act,
  audiences,
  type Outcome,
  type Person,
  type PersonState,
  type Phase,
  type Run,
} from '../run/run.ts';
import { lastComment, steer } from '../steer.ts';
import {
  countPeople,
  findVisibleRun,
  listEntries,
  listPeopleOfRun,
  listVisibleRuns,
  maxNamed,
  type StateCount,
} from './runs.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Saved jobs';
const errors = ['role_missing', 'not_found'] as const;
const id = integer({ get: 'id', min: 1, required: true, description: 'Id of the run.' });

export function runEndpoints(sending: JobSending) {
  return [
    ...runsEndpoints(sending),
    ...partEndpoints(sending),
    ...answerEndpoints(sending),
    ...actEndpoints(sending),
  ] as const;
}

function runsEndpoints(sending: JobSending) {
  const { store } = sending;
  return [
    endpoint({
      path: '/api/v1/runs',
      methods: ['GET'],
      group,
      operation: 'listRuns',
      title: 'List runs of saved jobs',
      description:
        'Lists runs, latest first: for administrators all runs of the company, for others the runs of jobs that they may start.',
      example: { url: { limit: '2' } },
      credentials: anyMethod,
      parameters: pageParameters,
      answer: Type.Object({
        runs: Type.Array(Type.Object(runFields, { title: 'ListedRun' })),
        next: nextOf('runs'),
      }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        const before = after?.id ?? Number.MAX_SAFE_INTEGER;
        const visible = runsVisibleTo(caller);
        const rows = await store.read(listVisibleRuns, { visible, before, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, (run) => String(run.id));
        return { runs: items.map(shownRun), next };
      },
    }),
    endpoint({
      path: '/api/v1/runs/{id}',
      methods: ['GET'],
      group,
      operation: 'getRun',
      title: 'Read a run',
      description: 'Returns the question, how many places are filled, and how many people are in each state.',
      example: { url: { id: '1001' } },
      credentials: anyMethod,
      parameters: { id },
      answer: Type.Object({ ...runFields, ...progressFields }, { title: 'Run' }),
      errors,
      async handle(caller, input) {
        const run = await visibleRun(sending, caller, input.id);
        const { companyId } = caller;
        const counts = await store.read(countPeople, { runId: run.id, companyId });
        return { ...shownRun(run), ...progressOf(run, counts) };
      },
    }),
  ] as const;
}

function partEndpoints(sending: JobSending) {
  const { store } = sending;
  const part = { id, ...pageParameters };
  return [
    endpoint({
      path: '/api/v1/runs/{id}/people',
      methods: ['GET'],
      group,
      operation: 'listRunPeople',
      title: 'List the people of a run',
      description: 'Lists the people whom a run may ask, in the order of asking, with their states.',
      example: { url: { id: '1001' } },
      credentials: anyMethod,
      parameters: part,
      answer: Type.Object({
        people: Type.Array(Type.Object(personFields, { title: 'RunPerson' })),
        next: nextOf('people'),
      }),
      errors,
      async handle(caller, { id: runId, after, limit }) {
        const run = await visibleRun(sending, caller, runId);
        const page = { runId, after: after?.id ?? -1, limit: limit + 1 };
        const rows = await store.read(listPeopleOfRun, page);
        const { items, next } = pageOf(rows, limit, ({ place }) => String(place));
        return { people: items.map((person) => shownPerson(run, person)), next };
      },
    }),
    endpoint({
      path: '/api/v1/runs/{id}/timeline',
      methods: ['GET'],
      group,
      operation: 'getRunTimeline',
      title: 'Read what happened in a run',
      description: 'Lists every decision of a run with its reason, latest first.',
      example: { url: { id: '1001' } },
      credentials: anyMethod,
      parameters: part,
      answer: Type.Object({
        entries: Type.Array(Type.Object(entryFields, { title: 'RunTimelineEntry' })),
        next: nextOf('entries'),
      }),
      errors,
      async handle(caller, { id: runId, after, limit }) {
        await visibleRun(sending, caller, runId);
        const page = { runId, before: after?.id ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
        const { entries, people } = await store.read(listEntries, page);
        const { items, next } = pageOf(entries, limit, ({ place }) => String(place));
        return { entries: items.map(({ entry }) => shownEntry(entry, people)), next };
      },
    }),
  ] as const;
}

const acted = Type.Object(
  {
    id: Type.String({ description: 'Id of the run, which carries out the action within a second.' }),
  },
  { title: 'RunAct' },
);
const actErrors = [...errors, 'invalid_value'] as const;

const phone = text({
  get: 'phone',
  required: true,
  maxLength: 100,
  description: 'Phone number of one of the people of the run.',
});
const comment = (answer: string) =>
  word(['last'], {
    get: 'comment',
    description: `\`last\`: the last comment of the person counts as ${answer}, and is shown in the record.`,
  });

const declared = { methods: ['POST'] as const, group, credentials: anyMethod, answer: acted };
const example = (json: Readonly<Record<string, unknown>>) => ({ url: { id: '1001' }, json });

function actEndpoints(sending: JobSending) {
  const act = async (caller: Caller, runId: number, done: Act) => {
    await actOnRun(sending, caller, runId, done);
    return { id: String(runId) };
  };
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/escalate' as const,
      errors: actErrors,
      operation: 'escalateRun',
      title: 'Open the next level of a run',
      description: 'Opens the next level, or asks the next group, now.',
      example: example({}),
      parameters: { id },
      handle: (caller, input) => act(caller, input.id, { kind: 'escalate' }),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/extend' as const,
      errors: actErrors,
      operation: 'extendRun',
      title: 'Extend a run',
      description: 'Postpones the end of a run.',
      example: example({ minutes: 30 }),
      parameters: {
        id,
        minutes: integer({
          get: 'minutes',
          min: 1,
          max: 10_080,
          required: true,
          description: 'How many minutes to add.',
        }),
      },
      handle: (caller, input) => act(caller, input.id, { kind: 'extend', minutes: input.minutes }),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/tell' as const,
      errors: [...actErrors, 'no_text', 'text_too_long'],
      operation: 'messageRunPeople',
      title: 'Write to the people of a run',
      description: 'Sends a text to people in a run.',
      example: example({ message: 'Bring boots', to: 'silent' }),
      parameters: {
        id,
        message: text({ ...boundsOfMessage, get: 'message', required: true, description: 'The text.' }),
        to: word(audiences, {
          get: 'to',
          default: 'all',
          description: 'To everyone asked, to those who have not answered, or to those who have a place.',
        }),
      },
      handle: (caller, input) => act(caller, input.id, { kind: 'tell', to: input.to, text: input.message }),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/cancel' as const,
      errors: actErrors,
      operation: 'cancelRun',
      title: 'End a run',
      description: 'Ends a run and informs those asked. A run waiting for its start time is not started.',
      example: example({}),
      parameters: { id },
      handle: (caller, input) => act(caller, input.id, { kind: 'cancel' }),
    }),
  ] as const;
}

function answerEndpoints(sending: JobSending) {
  const answerFor = async (
    caller: Caller,
    kind: 'accept' | 'decline',
    input: { readonly id: number; readonly phone: string; readonly comment?: string | undefined },
  ) => {
    const number = numberIn(caller, 'phone', input.phone);
    await visibleRun(sending, caller, input.id);
    const said =
      input.comment === undefined
        ? {}
        : {
            comment: await lastComment(sending.store, { runId: input.id, owner: theCaller(caller) }, number),
          };
    await actOnRun(sending, caller, input.id, { kind, phone: number, ...said });
    return { id: String(input.id) };
  };
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/accept' as const,
      errors: [...actErrors, 'invalid_number'],
      operation: 'acceptForPerson',
      title: 'Record a YES',
      description: 'Records the answer of someone who said YES by phone, or whose comment means YES.',
      example: example({ phone: '+46 70 174 06 20' }),
      parameters: { id, phone, comment: comment('YES') },
      handle: (caller, input) => answerFor(caller, 'accept', input),
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/decline' as const,
      errors: [...actErrors, 'invalid_number'],
      operation: 'declineForPerson',
      title: 'Record a NO',
      description: 'Records the answer of someone who said NO by phone, or whose comment means NO.',
      example: example({ phone: '+46 70 174 06 20' }),
      parameters: { id, phone, comment: comment('NO') },
      handle: (caller, input) => answerFor(caller, 'decline', input),
    }),
  ] as const;
}

function runsVisibleTo(caller: Caller): Visibility {
  requireRole(caller, 'jobs', 'companyAdmin');
  return visibilityOf(caller);
}

async function visibleRun({ store }: JobSending, caller: Caller, id: number): Promise<Run> {
  const run = await store.read(findVisibleRun, { visible: runsVisibleTo(caller), id });
  if (run !== null) return run;
  throw new ServiceError('not_found', `There is no run ${id} that you may see.`);
}

async function actOnRun(sending: JobSending, caller: Caller, id: number, act: Act): Promise<void> {
  await visibleRun(sending, caller, id);
  await steer(sending.store, sending.clock, { runId: id, owner: theCaller(caller) }, act, byUser(caller));
}

const iso = (time: number) => new Date(time).toISOString();
const time = (description: string) => Type.String({ description: `${description} (ISO 8601, UTC).` });
const states = ['waiting', 'asked', 'unreachable', 'yes', 'no'] as const satisfies readonly PersonState[];
const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

const runFields = {
  id: Type.String(),
  name: Type.String({ description: 'Name of the job, or the name given to this run.' }),
  savedJob: Type.Integer({ description: 'Id of the saved job.' }),
  type: Type.String(),
  phase: oneOf<Phase>(['scheduled', 'open', 'finished', 'ended'], 'How far the run is.'),
  outcome: Type.Optional(
    oneOf<Outcome>(['GOAL_REACHED', 'ALL_ANSWERED', 'EXPIRED', 'CANCELED'], 'Absent while the run is open.'),
  ),
  username: Type.String({ description: 'User who started the run.' }),
  start: time('When the run starts or started'),
  end: Type.Optional(time('When the run ends; absent until it has started')),
};

function shownRun(run: Run) {
  const { id, jobName, savedJobId, typeName, phase, outcome, starter, startAt, expiryAt } = run;
  return {
    id: String(id),
    name: jobName,
    savedJob: savedJobId,
    type: typeName,
    phase,
    username: starter,
    outcome: outcome ?? undefined,
    start: iso(startAt),
    end: expiryAt === null ? undefined : iso(expiryAt),
  };
}

const progressFields = {
  message: Type.String({ description: 'The question.' }),
  tasks: Type.Array(
    Type.Object({
      task: Type.String({ description: 'Name of the task; empty if everyone is asked the same thing.' }),
      found: Type.Integer({ description: 'People who have a place.' }),
      goal: Type.Optional(
        Type.Integer({ description: 'How many people are needed; absent: everyone who answers YES.' }),
      ),
      levels: Type.Array(Type.String()),
      levelsOpen: Type.Integer(),
    }),
  ),
  people: Type.Object(
    Object.fromEntries(states.map((state) => [state, Type.Integer()])) as Record<
      PersonState,
      ReturnType<typeof Type.Integer>
    >,
    { description: 'Number of people in each state.' },
  ),
};

function progressOf(run: Run, counts: readonly StateCount[]) {
  const sum = (fits: (one: StateCount) => boolean) =>
    counts.filter(fits).reduce((all, { count }) => all + count, 0);
  return {
    message: run.message,
    tasks: run.tasks.map(({ name, goal, levels, opened }, place) => ({
      task: name,
      found: sum(({ task }) => task === place),
      goal: goal ?? undefined,
      levels: levels.map((level) => level.name),
      levelsOpen: opened,
    })),
    people: Object.fromEntries(states.map((state) => [state, sum((one) => one.state === state)])) as Record<
      PersonState,
      number
    >,
  };
}

const personFields = {
  name: Type.String(),
  contactId: Type.String(),
  phone: Type.Optional(Type.String({ description: 'Digits only; absent for people without a phone.' })),
  email: Type.Optional(Type.String({ description: 'For people without a phone, asked by mail.' })),
  state: oneOf(states, 'How far the run is with the person.'),
  task: Type.Optional(Type.String({ description: 'The task that the person has a place in.' })),
  reserve: Type.Optional(Type.Integer({ description: 'Position on the waiting list.' })),
  asked: Type.Optional(time('When the person was asked')),
};

function shownPerson({ tasks }: Run, person: Person) {
  const { name, contactId, phone, email, state, task, reserve, askedAt } = person;
  return {
    name,
    contactId,
    phone: phone ?? undefined,
    email,
    state,
    task: task === null ? undefined : tasks[task]?.name,
    reserve: reserve ?? undefined,
    asked: askedAt === null ? undefined : iso(askedAt),
  };
}

const entryFields = {
  time: time('When it happened'),
  what: Type.String({ description: 'Such as `start`, `ask`, `reply`, `assign`, `escalate` or `finish`.' }),
  by: Type.Optional(Type.String({ description: 'Who did it; absent if the service did.' })),
  people: Type.Array(Type.String(), { description: `Who is affected: at most ${maxNamed} names.` }),
  others: Type.Integer({ description: 'How many more people are affected.' }),
  why: Type.Optional(Type.String()),
  text: Type.Optional(Type.String({ description: 'Text of the answer, or of the message to the people.' })),
  meaning: Type.Optional(Type.String({ description: 'How an answer was understood.' })),
};

function shownEntry(entry: Entry, people: readonly Person[]) {
  const { at, kind, by, people: places = [], why, outcome, text, meaning } = entry;
  const named = places.slice(0, maxNamed);
  const nameOf = (place: number) => {
    const person = people.find((one) => one.place === place);
    return person?.name || person?.phone || person?.email || '';
  };
  return {
    time: iso(at),
    what: kind,
    by: by === system ? undefined : by,
    people: named.map(nameOf),
    others: places.length - named.length,
    why: why ?? outcome,
    text,
    meaning,
  };
}
