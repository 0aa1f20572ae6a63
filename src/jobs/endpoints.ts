/** The endpoints of saved jobs (API: saved jobs). */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { listAddressBooks } from '../contacts/address-book.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { integer, text } from '../http/parameters/kinds.ts';
import { listSavedJobs } from './saved-job.ts';
import { type Starting, startJob } from './start-job.ts';
import { givenIn, maxNameLength, requestOf, startErrors, startParameters } from './start-parameters.ts';

const endpoint = endpointsFor<Caller>();
const prefix = '/dispatch/svcdispatch';

const listedJob = Type.Object(
  {
    id: Type.Integer({ description: 'Id of the saved job.' }),
    name: Type.String({ description: 'Name of the saved job.' }),
    type: Type.String({ description: 'Type of the saved job, such as `QuickAssign`.' }),
  },
  { title: 'ListedSavedJob' },
);

export function jobEndpoints(starting: Starting) {
  const { store, clock } = starting.sending;
  return [
    endpoint({
      path: `${prefix}/listsavedjobs` as const,
      methods: ['GET', 'POST'],
      group: 'Saved jobs',
      operation: 'querySavedJobs',
      title: 'List saved jobs',
      description:
        'Returns the saved jobs that the account may start. An account that may read no address book gets 401 without a body.',
      example: { url: { T: 'QuickAssign' }, json: {} },
      credentials: anyMethod,
      parameters: {
        jobtype: text({ get: 'T', maxLength: maxNameLength, description: 'Only jobs of this type.' }),
      },
      answer: Type.Object({ savedJobs: Type.Array(listedJob) }),
      errors: ['role_missing'],
      silent401: true,
      async handle(caller, { jobtype }) {
        requireRole(caller, 'jobs');
        await listAddressBooks(store, caller.userId);
        const jobs = await store.read(listSavedJobs, { userId: caller.userId, type: jobtype });
        return { savedJobs: [...jobs] };
      },
    }),
    endpoint({
      path: `${prefix}/startsavedjob` as const,
      methods: ['GET', 'POST'],
      group: 'Saved jobs',
      operation: 'startSavedJob',
      title: 'Start a saved job',
      description:
        'Starts a saved job. The answer comes when the first people have been asked, or says why nobody was asked. Problems with the saved job return 200 and the result `ERROR`. Every refusal also has `runtimeid`, `jobname` (if it could be read) and `errormessage`.',
      example: { url: { J: '71' }, json: { jobid: 71 } },
      credentials: anyMethod,
      parameters: {
        jobid: integer({ get: 'J', min: 1, required: true, description: 'Id of the saved job to start.' }),
        ...startParameters,
      },
      answer: Type.Object({
        result: Type.Unsafe<'OK' | 'ERROR'>({ type: 'string', enum: ['OK', 'ERROR'] }),
        runtimeid: Type.Integer({
          description: 'Id of the run, which callbacks give as `jobid`; 0 if there is no run.',
        }),
        jobname: Type.String({ description: 'The name of the run.' }),
        errormessage: Type.String({ description: 'Why nothing was started; empty if the result is `OK`.' }),
      }),
      errors: [...(['unknown_job', 'role_missing'] as const), ...startErrors],
      errorFields: (errormessage, asked) => ({ runtimeid: 0, jobname: asked('jobname'), errormessage }),
      errorFieldSchemas: {
        runtimeid: Type.Integer({ description: 'Always 0.' }),
        jobname: Type.String({ description: 'The given name; empty if none was given.' }),
        errormessage: Type.String({ description: 'The same as `error`.' }),
      },
      async handle(caller, input) {
        const request = requestOf(input.jobid, input, clock.now());
        const { problem, ...answer } = await startJob(starting, caller, request, givenIn(input));
        return answer;
      },
    }),
  ] as const;
}
