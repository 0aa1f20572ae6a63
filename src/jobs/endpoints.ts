/** The endpoints of saved jobs (API: saved jobs). */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { listAddressBooks } from '../contacts/list-tags.ts';
import { jsonFilter, selectionParameters, writtenFilter } from '../contacts/selection-parameters.ts';
import { ServiceError } from '../foundation/errors.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { boolean, integer, text } from '../http/parameters/kinds.ts';
import { numberList } from '../http/parameters/lists.ts';
import type { Input } from '../http/parameters/parameter.ts';
import { boundsOfMessage } from '../messages/sending/parameters.ts';
import { parseScheduleTime } from '../wire/schedule-time.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import { isStartParameter } from './allowed-parameters.ts';
import { maxPeople } from './run/run.ts';
import type { StartRequest } from './saved-job.ts';
import { listSavedJobs } from './saved-job-store.ts';
import { type Starting, startJob } from './start-job.ts';

const endpoint = endpointsFor<Caller>();
const prefix = '/dispatch/svcdispatch';

/** Of names of jobs and types. */
const maxNameLength = 200;

const listedJob = Type.Object({
  id: Type.Integer({ description: 'Id of the saved job.' }),
  name: Type.String({ description: 'Its name.' }),
  type: Type.String({ description: 'Its type, such as `QuickAssign`.' }),
});

const onlyGmm = 'For jobs of a type derived from GMM only.';

const startParameters = {
  jobid: integer({ get: 'J', min: 1, required: true, description: 'Id of the saved job to start.' }),
  jobname: text({
    get: 'N',
    maxLength: maxNameLength,
    description: 'Name of this run in place of the saved one.',
  }),
  message: text({
    get: 'M8',
    ...boundsOfMessage,
    description: 'Text that people are asked with, in place of the saved one.',
  }),
  tonumbers: numberList({
    get: 'T',
    maxItems: maxPeople,
    description: `Phone numbers of people to ask. ${onlyGmm}`,
  }),
  ...selectionParameters,
  excludenumbers: numberList({
    get: 'XT',
    maxItems: maxPeople,
    description: `Phone numbers of people who are not asked, whoever selects them. ${onlyGmm}`,
  }),
  excludecustomtagfilter: writtenFilter('XA', `Tag filter of contacts who are not asked. ${onlyGmm}`),
  excludetagfilterjson: jsonFilter(`The same as JSON. ${onlyGmm}`),
  tokeep: boolean({
    get: 'K',
    description: `Adds the people that the call selects to those of the saved job, in place of replacing them. ${onlyGmm}`,
  }),
  responsegoal: integer({
    get: 'R',
    min: 1,
    max: maxPeople,
    description:
      'So many YES are needed. For jobs of a type derived from GMA only together with a new tag filter.',
  }),
  scheduledstart: text({
    get: 'AT',
    description:
      'Time to start at, ISO 8601 with zone, such as `2027-01-31T08:00:00+01:00`. Who is asked is found now.',
  }),
} as const;

export function jobEndpoints(starting: Starting): readonly Endpoint<Caller>[] {
  const { store, clock } = starting.sending;
  return [
    endpoint({
      path: `${prefix}/listsavedjobs`,
      methods: ['GET', 'POST'],
      group: 'Saved jobs',
      title: 'List saved jobs',
      description:
        'Gives the saved jobs that the account may start. An account that may read no address book is answered with 401, which has no body here.',
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
      path: `${prefix}/startsavedjob`,
      methods: ['GET', 'POST'],
      group: 'Saved jobs',
      title: 'Start a saved job',
      description:
        'Starts a saved job: the answer comes when the first people are asked, or says why nobody is. Problems of the saved job are answered with 200 and the result `ERROR`.',
      example: { url: { J: '71' }, json: { jobid: 71 } },
      credentials: anyMethod,
      parameters: startParameters,
      answer: Type.Object({
        result: Type.Unsafe<'OK' | 'ERROR'>({ type: 'string', enum: ['OK', 'ERROR'] }),
        runtimeid: Type.Integer({
          description: 'Id of the run, the `jobid` of its callbacks; 0 where there is none.',
        }),
        jobname: Type.String({ description: 'The name of the run.' }),
        errormessage: Type.String({ description: 'Why nothing was started; empty when OK.' }),
      }),
      errors: [
        ...(['unknown_job', 'not_for_job_type', 'missing_parameter', 'conflicting_parameters'] as const),
        ...(['invalid_tag_filter', 'unknown_tag_filter', 'unknown_group', 'invalid_time'] as const),
        ...(['text_too_long', 'role_missing'] as const),
      ],
      handle(caller, input) {
        return startJob(starting, caller, requestOf(input, clock.now()), givenIn(input));
      },
    }),
  ];
}

type StartInput = Input<typeof startParameters>;

/** What is empty or false is not given. */
function givenIn(input: StartInput) {
  return Object.entries(input)
    .filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name]) => name)
    .filter(isStartParameter);
}

function requestOf(input: StartInput, now: number): StartRequest {
  return {
    jobId: input.jobid,
    jobName: input.jobname,
    message: input.message,
    numbers: input.tonumbers,
    filter: oneFilter(input, 'toaddressbookcustomtagfilter', 'toaddressbooktagfilterjson'),
    savedFilters: input.toaddressbooksavedtagfilters,
    groups: input.toaddressbookgroups,
    excludeNumbers: input.excludenumbers,
    excludeFilter: oneFilter(input, 'excludecustomtagfilter', 'excludetagfilterjson'),
    keep: input.tokeep ?? false,
    goal: input.responsegoal,
    startAt: input.scheduledstart === undefined ? undefined : timeIn(input.scheduledstart, now),
  };
}

type FilterName = {
  [Name in keyof StartInput]: StartInput[Name] extends TagFilter | undefined ? Name : never;
}[keyof StartInput];

function oneFilter(input: StartInput, written: FilterName, json: FilterName): TagFilter | undefined {
  if (input[written] === undefined || input[json] === undefined)
    return (input[written] ?? input[json]) as TagFilter | undefined;
  const error = `\`${written}\` and \`${json}\` exclude each other: give one of them.`;
  const code = 'conflicting_parameters';
  throw new ServiceError(code, error, { errors: [{ field: json, code, error }] });
}

function timeIn(written: string, now: number): number {
  const time = parseScheduleTime(written, now);
  if (time.ok) return time.value;
  throw new ServiceError(time.code, time.error, {
    errors: [{ field: 'scheduledstart', code: time.code, error: time.error }],
  });
}
