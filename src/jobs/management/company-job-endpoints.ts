/**
 * The management API endpoints with which administrators list, make, change and remove the saved jobs of their company, and
 * rehearse one before it is saved.
 */

import Type from 'typebox';
import { type Caller, numberIn } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { maxUsernameLength } from '../../accounts/user-records.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { storedReason } from '../../foundation/sentences.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { integer, text } from '../../http/parameters/kinds.ts';
import { numberList, objectList, objectOf, textList } from '../../http/parameters/lists.ts';
import {
  inOrderOfLanguage,
  nameCursor,
  namePageParameters,
  nextOf,
  pageOf,
} from '../../http/parameters/page.ts';
import { clearable, type Input, ruled } from '../../http/parameters/parameter.ts';
import { boundsOfMessage } from '../../messages/sending/parameters.ts';
import { ofOwnCompany } from '../../resources/api-declaration.ts';
import { allowed } from '../../resources/declaration.ts';
import { ResourceApi } from '../../resources/resource-api.ts';
import { maxFilterLength, maxTagLength, normalTagFilter, reasonAgainstTag } from '../../wire/tag-filter.ts';
import {
  type CompanyJob,
  companyJobs,
  contentAfter,
  type GivenJob,
  listCompanyJobs,
  readDraftType,
} from '../company-job.ts';
import type { JobSending } from '../job-mail.ts';
import { maxMinutes } from '../job-type.ts';
import { rehearseFound } from '../rehearse.ts';
import { maxPeople } from '../run/run.ts';
import { maxEscalations, maxNames, maxTasks } from '../saved-job.ts';
import { startableOf } from '../start-job.ts';
import { contentFields, rehearsalFields, shownContent, shownRehearsal } from './shown-job.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/savedjobs';
const group = 'Saved jobs';

const numbers = numberList({ maxItems: maxPeople, maxLength: 40, description: 'Phone numbers.' });
const names = (what: string) =>
  textList({ maxItems: maxNames, maxLength: 100, description: `Names of ${what}.` });
const filter = <const Required extends boolean>(required: Required, description: string) =>
  ruled(text({ required, maxLength: maxFilterLength, description }), normalTagFilter);
const tag = (description: string) =>
  ruled(text({ required: true, maxLength: maxTagLength, description }), tagOf);
const goal = integer({ min: 1, max: maxPeople, description: 'Number of YES answers needed.' });

const recipients = objectOf(
  'JobRecipients',
  {
    numbers,
    tagFilter: filter(false, 'Such as `role:nurse;ward:7`.'),
    savedTagFilters: names('saved filters'),
    groups: names('groups'),
  },
  'Who is asked, for a type derived from GMM.',
);
const exclude = objectOf(
  'JobExclude',
  { numbers, tagFilter: filter(false, 'Such as `leave:yes`.') },
  'Who is left out, for a type derived from GMM.',
);
const tasks = objectList({
  maxItems: maxTasks,
  itemName: 'JobTask',
  description: 'What is to be filled, for a type derived from GMA.',
  fields: {
    tagType: tag('Tag type of the people asked first, such as `role`.'),
    tagValue: tag('Tag value of the people asked first, such as `nurse`.'),
    goal: integer({
      min: 1,
      max: maxPeople,
      required: true,
      description: 'How many places are to be filled.',
    }),
    escalations: objectList({
      maxItems: maxEscalations,
      itemName: 'JobEscalation',
      description: 'Whom to ask later, if places are still open.',
      fields: {
        afterMinutes: integer({
          min: 1,
          max: maxMinutes,
          required: true,
          description: 'Minutes from the start.',
        }),
        tagFilter: filter(true, 'Who else is asked then.'),
        goal: integer({ min: 1, max: maxPeople, description: 'The goal of the task from then on.' }),
      },
    }),
  },
});

const content = { recipients, exclude, responseGoal: goal, tasks } as const;
const cleared = {
  recipients: clearable(recipients),
  exclude: clearable(exclude),
  responseGoal: clearable(goal),
  tasks: clearable(tasks),
} as const;
const ownerOf = <const Required extends boolean>(required: Required) =>
  text({
    required,
    maxLength: maxUsernameLength,
    description: 'The system user that owns the job. Users who may start its jobs may start this one.',
  });
const messageOf = <const Required extends boolean>(required: Required) =>
  text({ required, minLength: 1, ...boundsOfMessage, description: 'The question.' });

export function companyJobEndpoints(sending: JobSending) {
  const api = new ResourceApi(companyJobs, sending, {
    path,
    group,
    type: 'CompanyJob',
    access: ofOwnCompany({ readers: ['companyAdmin'], writers: ['companyAdmin'] }),
    plural: 'jobs',
    key: {
      name: 'id',
      description: 'Id of the saved job.',
      shown: 'The `jobid` for /startsavedjob.',
    },
    listed: shape,
    shown: shape,
    more: {
      create: { owner: ownerOf(true), message: messageOf(true), ...content },
      change: { owner: ownerOf(false), message: messageOf(false), ...cleared },
      read: async (caller, given) => wishOf(caller, given as GivenInCall),
    },
    get: {
      description: 'Returns a saved job as it is edited. Requires the role companyAdmin.',
      example: { url: { id: '71' } },
    },
    create: {
      description:
        'Saves a job: `recipients`, `exclude` and `responseGoal` are for types derived from GMM, `tasks` for those derived from GMA. Requires the role companyAdmin.',
      example: {
        json: {
          name: 'Extra nurse',
          type: 'QuickAssign',
          owner: 'demo-jobs',
          message: 'Can you come? YES or NO',
          tasks: [{ tagType: 'role', tagValue: 'nurse', goal: 1 }],
        },
      },
      errors: ['too_many_jobs', 'text_too_long', 'invalid_tag_filter', 'invalid_number'],
    },
    change: {
      description:
        'Changes the given fields and keeps the rest; runs under way are not touched. What a provisioning file has set can be changed only by a provisioning file. Requires the role companyAdmin.',
      example: { url: { id: '1001' }, json: { message: 'Can you come at nine? YES or NO' } },
      errors: ['text_too_long', 'invalid_tag_filter', 'invalid_number'],
    },
    remove: {
      description:
        'Removes a saved job. Runs of it, also scheduled ones, go on. Requires the role companyAdmin.',
      example: { url: { id: '1001' } },
    },
  });
  return [
    listEndpoint(sending),
    rehearsalEndpoint(sending),
    api.create(),
    api.get(),
    api.change(),
    api.remove(),
  ] as const;
}

const shape = {
  properties: {
    name: Type.String(),
    type: Type.String({ description: 'Name of the job type, such as `QuickAssign`.' }),
    owner: Type.String({ description: 'User name of the system user that owns the job.' }),
    ...contentFields,
    managedKeys: Type.Array(Type.String(), {
      description: 'Keys set by a provisioning file; only that file can change them.',
    }),
  },
  show: ({ name, type, owner, content, managedFields }: CompanyJob) => ({
    name,
    type,
    owner,
    ...shownContent(content),
    managedKeys: managedFields.filter((key) => key !== 'id'),
  }),
};

function listEndpoint({ store }: JobSending) {
  const item = {
    id: Type.String({ description: 'The `jobid` for /startsavedjob.' }),
    name: Type.String(),
    type: Type.String({ description: 'Name of the job type.' }),
    owner: Type.String({ description: 'User name of the system user that owns the job.' }),
    managed: Type.Boolean({ description: 'Whether a provisioning file names the job.' }),
  };
  return endpoint({
    path,
    methods: ['GET'],
    group,
    credentials: anyMethod,
    operation: 'listCompanyJobs',
    title: 'List the saved jobs of the company',
    description: `Lists the saved jobs of all system users of the company, by name; /jobs lists those that you may start. ${inOrderOfLanguage} Requires the role companyAdmin.`,
    example: { url: {} },
    parameters: {
      owner: text({
        get: 'owner',
        maxLength: maxUsernameLength,
        description: 'Only the jobs of this system user.',
      }),
      ...namePageParameters,
    },
    answer: Type.Object({
      jobs: Type.Array(Type.Object(item, { title: 'ListedCompanyJob' })),
      next: nextOf('saved jobs'),
    }),
    errors: ['role_missing'],
    async handle(caller, { owner, after, limit }, { language }) {
      requireRole(caller, 'companyAdmin');
      const { companyId } = caller;
      const from = after ?? { language };
      const rows = await store.read(listCompanyJobs, { companyId, owner, from, limit: limit + 1 });
      const { items, next } = pageOf(rows, limit, nameCursor(from));
      return { jobs: items.map(({ id, ...job }) => ({ id: String(id), ...job })), next };
    },
  });
}

function rehearsalEndpoint(sending: JobSending) {
  const { store } = sending;
  return endpoint({
    path: `${path}/rehearse`,
    methods: ['POST'],
    group,
    credentials: anyMethod,
    operation: 'rehearseCompanyJob',
    title: 'Rehearse a job before it is saved',
    description:
      'Takes a job as for its creation, but without an owner, and stores nothing: it returns who would be asked in which order if you started the job now, who would not be asked and why, the cost, and whether the goals can be met. Requires the role companyAdmin.',
    example: {
      json: {
        type: 'QuickAssign',
        message: 'Can you come? YES or NO',
        tasks: [{ tagType: 'role', tagValue: 'nurse', goal: 1 }],
      },
    },
    parameters: {
      name: text({ maxLength: 100, description: 'Name of the job.' }),
      type: text({ required: true, maxLength: 100, description: 'Name of the job type.' }),
      message: messageOf(true),
      ...content,
    },
    answer: Type.Object(rehearsalFields, { title: 'Rehearsal' }),
    errors: ['role_missing', 'text_too_long', 'invalid_tag_filter', 'invalid_number'],
    async handle(caller, { name = '', type: typeName, ...given }) {
      requireRole(caller, 'companyAdmin');
      const { companyId } = caller;
      const draft = contentAfter(undefined, wishOf(caller, given));
      const judged = { companyId, type: typeName, content: draft };
      const type = allowed(await store.read(readDraftType, judged));
      const job = { id: 0, companyId, ownerId: 0, name, type: typeName, content: draft };
      const request = { jobId: 0, keep: false };
      const found = await startableOf(store, caller, { job, type }, request);
      return shownRehearsal(await rehearseFound(sending, caller, request, found));
    },
  });
}

type GivenInCall = Partial<Input<typeof cleared>> & {
  readonly owner?: string | undefined;
  readonly message?: string | undefined;
};

/** In the form that the store has; a list that a call leaves out is empty. */
function wishOf(
  caller: Caller,
  { owner, message, recipients, exclude, responseGoal, tasks }: GivenInCall,
): GivenJob {
  return {
    owner,
    message,
    recipients: recipients && {
      ...selection(caller, 'recipients', recipients),
      savedTagFilters: recipients.savedTagFilters ?? [],
      groups: recipients.groups ?? [],
    },
    exclude: exclude && selection(caller, 'exclude', exclude),
    responseGoal,
    tasks: tasks === null ? null : tasks?.map(taskOf),
  };
}

function taskOf({ tagType, tagValue, goal, escalations = [] }: NonNullable<GivenInCall['tasks']>[number]) {
  return {
    tagType,
    tagValue,
    goal,
    escalations: escalations.map(({ afterMinutes, tagFilter, goal: raised }) => ({
      afterMinutes,
      tagFilter,
      ...(raised === undefined ? {} : { goal: raised }),
    })),
  };
}

function selection(
  caller: Caller,
  field: string,
  {
    numbers = [],
    tagFilter,
  }: { readonly numbers?: readonly string[] | undefined; readonly tagFilter?: string | undefined },
) {
  const clean = new Set(numbers.map((written) => numberIn(caller, `${field}.numbers`, written)));
  return { numbers: [...clean], ...(tagFilter === undefined ? {} : { tagFilter }) };
}

function tagOf(written: string): Result<string> {
  const wrong = reasonAgainstTag(written);
  return wrong === undefined
    ? success(written)
    : fault('invalid_tag_filter', { sentence: 'tag_alone', why: storedReason(wrong) });
}
