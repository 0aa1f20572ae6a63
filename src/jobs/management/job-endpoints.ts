/** The management API endpoints that show saved jobs, rehearse a start, and start jobs. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer } from '../../http/parameters/kinds.ts';
import {
  inOrderOfLanguage,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
} from '../../http/parameters/page.ts';
import { rehearse } from '../rehearse.ts';
import { findSavedJob, listStartableJobs } from '../saved-job.ts';
import { type Starting, startJob } from '../start-job.ts';
import { givenIn, requestOf, startErrors, startParameters } from '../start-parameters.ts';
import { runEndpoints } from './run-endpoints.ts';
import { jobFields, listedJobFields, rehearsalFields, shownJob, shownRehearsal } from './shown-job.ts';

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
      description: `Lists the saved jobs of the system user whose jobs the account may start, by name. ${inOrderOfLanguage}`,
      example: { url: {} },
      parameters: namePageParameters,
      answer: Type.Object({
        jobs: Type.Array(Type.Object(listedJobFields, { title: 'StartableJob' })),
        next: nextOf('jobs'),
      }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }, { language }) {
        requireRole(caller, 'jobs');
        const from = after ?? { language };
        const rows = await store.read(listStartableJobs, { userId: caller.userId, from, limit: limit + 1 });
        const { items, next } = pageOf(rows, limit, nameCursor(from));
        return { jobs: items.map(({ id, name, type }) => ({ id: String(id), name, type })), next };
      },
    }),
    endpoint({
      ...declared,
      path: `${path}/{id}` as const,
      methods: ['GET'],
      operation: 'getSavedJob',
      title: 'Read a saved job you may start',
      description: 'Returns who is asked what, level by level, and how runs of this type of job work.',
      example: { url: { id: '71' } },
      parameters: { id },
      answer: Type.Object(jobFields, { title: 'SavedJob' }),
      errors,
      async handle(caller, input) {
        requireRole(caller, 'jobs');
        const found = await store.read(findSavedJob, { userId: caller.userId, id: input.id });
        if (found !== null) return shownJob(found.job, found.type);
        throw new ServiceError('unknown_job', { sentence: 'no_startable_job', job: String(input.id) });
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
