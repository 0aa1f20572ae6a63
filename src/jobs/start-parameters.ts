/** The parameters for starting a saved job, used by several calls: what each type accepts, and how they are read. */

import { jsonFilter, selectionParameters, writtenFilter } from '../contacts/selection-parameters.ts';
import { errorOfFields } from '../foundation/errors.ts';
import { fault } from '../foundation/result.ts';
import { boolean, integer, text } from '../http/parameters/kinds.ts';
import { numberList } from '../http/parameters/lists.ts';
import type { Input } from '../http/parameters/parameter.ts';
import { boundsOfMessage } from '../messages/sending/parameters.ts';
import { parseScheduleTime } from '../wire/schedule-time.ts';
import type { TagFilter } from '../wire/tag-filter.ts';
import type { Generic } from './job-type.ts';
import { maxPeople } from './run/run.ts';

/** Maximum length of the name of a job or a type. */
export const maxNameLength = 200;

const onlyGmm = 'Only for jobs of a type derived from GMM.';

/** All parameters except the job. */
export const startParameters = {
  jobname: text({
    get: 'N',
    maxLength: maxNameLength,
    description: 'Name of this run instead of the saved name.',
  }),
  message: text({
    get: 'M8',
    ...boundsOfMessage,
    description: 'The question, instead of the saved question.',
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
    description: `Phone numbers of people who are not asked, even if selected. ${onlyGmm}`,
  }),
  excludecustomtagfilter: writtenFilter('XA', `Tag filter of contacts who are not asked. ${onlyGmm}`),
  excludetagfilterjson: jsonFilter(`The same filter as JSON. ${onlyGmm}`),
  tokeep: boolean({
    get: 'K',
    description: `Adds the people selected by the call to those of the saved job instead of replacing them. ${onlyGmm}`,
  }),
  responsegoal: integer({
    get: 'R',
    min: 1,
    max: maxPeople,
    description:
      'Number of YES answers needed. For jobs of a type derived from GMA, only together with a new tag filter.',
  }),
  scheduledstart: text({
    get: 'AT',
    description:
      'Start time, ISO 8601 with zone, such as `2027-01-31T08:00:00+01:00`. The people are selected when the call is made.',
  }),
} as const;

export const startErrors = [
  ...(['not_for_job_type', 'missing_parameter', 'conflicting_parameters', 'text_too_long'] as const),
  ...(['invalid_tag_filter', 'unknown_tag_filter', 'unknown_group', 'invalid_time'] as const),
];

const ofEvery = [
  ...(['jobid', 'jobname', 'message', 'scheduledstart', 'responsegoal'] as const),
  ...(['toaddressbookcustomtagfilter', 'toaddressbooktagfilterjson'] as const),
];
const ofMessages = [
  ...(['tonumbers', 'toaddressbooksavedtagfilters', 'toaddressbookgroups', 'tokeep'] as const),
  ...(['excludenumbers', 'excludecustomtagfilter', 'excludetagfilterjson'] as const),
];

export type StartParameter = (typeof ofEvery)[number] | (typeof ofMessages)[number];

/** The parameters that jobs of each generic type accept (API: rules 3 to 5). */
export const allowedParameters: Readonly<Record<Generic, ReadonlySet<StartParameter>>> = {
  GMM: new Set([...ofEvery, ...ofMessages]),
  GMA: new Set(ofEvery),
};

type StartInput = Input<typeof startParameters>;

/** Empty or false values count as not given. */
export function givenIn(input: StartInput) {
  return Object.entries(input)
    .filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name]) => name)
    .filter((name): name is StartParameter => (allowedParameters.GMM as ReadonlySet<string>).has(name));
}

/** What a call changes in a saved job for a single run. */
export interface StartRequest {
  readonly jobId: number;
  readonly jobName?: string | undefined;
  readonly message?: string | undefined;
  readonly numbers?: readonly string[] | undefined;
  readonly filter?: TagFilter | undefined;
  readonly savedFilters?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly excludeNumbers?: readonly string[] | undefined;
  readonly excludeFilter?: TagFilter | undefined;
  readonly keep: boolean;
  readonly goal?: number | undefined;
  /** Milliseconds since the epoch; absent for now. */
  readonly startAt?: number | undefined;
}

export function requestOf(jobId: number, input: StartInput, now: number): StartRequest {
  return {
    jobId,
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
  throw errorOfFields(
    fault('conflicting_parameters', { sentence: 'one_of_two', one: written, other: json }),
    json,
  );
}

function timeIn(written: string, now: number): number {
  const time = parseScheduleTime(written, now);
  if (time.ok) return time.value;
  throw errorOfFields(time, 'scheduledstart');
}
