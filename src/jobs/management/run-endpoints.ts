/** The management API endpoints that show runs of saved jobs (JOB-8). */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { fault, quoted, type Result, success } from '../../foundation/result.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, integer } from '../../http/parameters/kinds.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import type { JobSending } from '../job-mail.ts';
import { personStates, phases } from '../run/run.ts';
import { recordEndpoints } from './record-endpoints.ts';
import { runActEndpoints } from './run-act-endpoints.ts';
import { listEntries, listPeopleOfRun, listVisibleRuns } from './runs.ts';
import {
  entryFields,
  personFields,
  progressFields,
  progressOf,
  runFields,
  shownEntry,
  shownPerson,
  shownRun,
} from './shown-run.ts';
import { errorsOfRun as errors, runId as id, runsVisibleTo, visibleRun } from './visible-run.ts';

const endpoint = endpointsFor<Caller>();
const declared = { methods: ['GET'] as const, group: 'Saved jobs', credentials: anyMethod };

export function runEndpoints(sending: JobSending) {
  return [
    ...runsEndpoints(sending),
    ...partEndpoints(sending),
    ...recordEndpoints(sending),
    ...runActEndpoints(sending),
  ] as const;
}

/** Several of some words, separated by commas in a URL. */
function wordsOf<Word extends string>(words: readonly Word[], get: string, description: string) {
  return ruled(
    numberList({ get, maxItems: words.length, maxLength: 30, description }),
    (given): Result<readonly Word[]> => {
      const wrong = given.find((one) => !words.some((word) => word === one));
      if (wrong === undefined) return success(words.filter((word) => given.includes(word)));
      return fault('invalid_value', {
        sentence: 'not_one_of',
        given: quoted(wrong),
        words: words.join(', '),
      });
    },
  );
}

function runsEndpoints({ store }: JobSending) {
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs',
      operation: 'listRuns',
      title: 'List runs of saved jobs',
      description:
        'Lists runs, latest first: for administrators all runs of the company, for others the runs of jobs that they may start.',
      example: { url: { limit: '2' } },
      parameters: {
        phase: wordsOf(phases, 'phase', 'Only runs in these phases: `open,finished`.'),
        savedJob: integer({ get: 'savedJob', min: 1, description: 'Only runs of this saved job.' }),
        ...pageParameters,
      },
      answer: Type.Object({
        runs: Type.Array(Type.Object(runFields, { title: 'ListedRun' })),
        next: nextOf('runs'),
      }),
      errors: ['role_missing'],
      async handle(caller, { phase, savedJob, after, limit }) {
        const rows = await store.read(listVisibleRuns, {
          visible: runsVisibleTo(caller),
          among: phase === undefined || phase.length === 0 ? null : phase,
          savedJob: savedJob ?? null,
          before: after?.id ?? Number.MAX_SAFE_INTEGER,
          limit: limit + 1,
        });
        const { items, next } = pageOf(rows, limit, ({ run }) => String(run.id));
        return { runs: items.map(shownRun), next };
      },
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}',
      operation: 'getRun',
      title: 'Read a run',
      description: 'Returns the question, how many places are filled, and how many people are in each state.',
      example: { url: { id: '1001' } },
      parameters: { id },
      answer: Type.Object({ ...runFields, ...progressFields }, { title: 'Run' }),
      errors,
      async handle(caller, input) {
        const run = await visibleRun(store, caller, input.id);
        return { ...shownRun(run), ...progressOf(run) };
      },
    }),
  ] as const;
}

function partEndpoints({ store }: JobSending) {
  const part = { id, ...pageParameters };
  return [
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/people',
      operation: 'listRunPeople',
      title: 'List the people of a run',
      description:
        'Lists the people a run may ask, in the order of asking, with their states and last answers.',
      example: { url: { id: '1001' } },
      parameters: {
        state: wordsOf(personStates, 'state', 'Only people in these states: `asked,unreachable`.'),
        comment: boolean({
          get: 'comment',
          default: false,
          description: 'Only people whose last answer is neither a clear YES nor a clear NO.',
        }),
        ...part,
      },
      answer: Type.Object({
        people: Type.Array(Type.Object(personFields, { title: 'RunPerson' })),
        next: nextOf('people'),
      }),
      errors,
      async handle(caller, { id: runId, state, comment, after, limit }) {
        const { run } = await visibleRun(store, caller, runId);
        const rows = await store.read(listPeopleOfRun, {
          runId,
          companyId: run.companyId,
          among: state === undefined || state.length === 0 ? null : state,
          isUnclear: comment,
          after: after?.id ?? -1,
          limit: limit + 1,
        });
        const { items, next } = pageOf(rows, limit, ({ person }) => String(person.place));
        return { people: items.map((person) => shownPerson(run, person)), next };
      },
    }),
    endpoint({
      ...declared,
      path: '/api/v1/runs/{id}/timeline',
      operation: 'getRunTimeline',
      title: 'Read what happened in a run',
      description: 'Lists every decision of a run with its reason, latest first.',
      example: { url: { id: '1001' } },
      parameters: part,
      answer: Type.Object({
        entries: Type.Array(Type.Object(entryFields, { title: 'RunTimelineEntry' })),
        next: nextOf('entries'),
      }),
      errors,
      async handle(caller, { id: runId, after, limit }) {
        await visibleRun(store, caller, runId);
        const page = { runId, before: after?.id ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
        const { entries, people } = await store.read(listEntries, page);
        const { items, next } = pageOf(entries, limit, ({ place }) => String(place));
        return { entries: items.map(({ entry }) => shownEntry(entry, people)), next };
      },
    }),
  ] as const;
}
