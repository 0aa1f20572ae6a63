/** The endpoints that report a batch's progress and the outcome of its messages. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { jsonHeaders } from '../../http/answers/respond.ts';
import { listInSlices, SlicedAnswer } from '../../http/answers/sliced-answer.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, integer, text } from '../../http/parameters/kinds.ts';
import { numberList, textList } from '../../http/parameters/lists.ts';
import { ignoredWith } from '../../http/parameters/parameter.ts';
import type { StatusName } from '../../messages/message.ts';
import { maxIds, ofEmptyIds } from '../../messages/sending/parameters.ts';
import type { Store } from '../../storage/store.ts';
import { describeBatchCode } from '../batch.ts';
import { messageIdsInSlices, readOwnBatch } from './info.ts';
import { batchStatusNames, readBatchCounts, readBatchStatuses } from './statuses.ts';

const endpoint = endpointsFor<Caller>();
const messaging = '/restsms/svcrest';

const oneBatchParameters = {
  batchid: text({
    get: 'BI',
    required: true,
    description: 'Id of the batch, from the answer to sending it.',
  }),
};

/** The first batch of a store. */
const example = { url: { BI: '100001' }, json: { batchid: '100001' } };

export function batchInfoEndpoints(store: Store): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: `${messaging}/batchinfo`,
      methods: ['GET', 'POST'],
      group: 'Batches',
      operation: 'queryBatch',
      title: 'Read a batch’s progress',
      description:
        'Returns the state of a batch: 1 Received, 3 Validating, 2 Processing, 0 Ok once all its messages are queued, or a code that says why it failed.',
      example,
      credentials: anyMethod,
      parameters: oneBatchParameters,
      answer: Type.Object({
        batchid: Type.String(),
        batchconversation: Type.String(),
        batchstatuscode: Type.Integer(),
        batchstatusdescription: Type.String(),
      }),
      errors: ['role_missing', 'not_found'],
      async handle(caller, { batchid }) {
        canRead(caller);
        const { id, conversation, code } = await readOwnBatch(store, caller, batchid);
        return {
          batchid: String(id),
          batchconversation: conversation,
          batchstatuscode: code,
          batchstatusdescription: describeBatchCode(code),
        };
      },
    }),
    endpoint({
      path: `${messaging}/batchmessageid`,
      methods: ['GET', 'POST'],
      group: 'Batches',
      operation: 'queryBatchMessageIds',
      title: 'Read the message ids of a batch',
      description:
        'Returns the ids of the messages created so far, in the batch’s order. They are complete once /batchinfo returns 0.',
      example,
      credentials: anyMethod,
      parameters: oneBatchParameters,
      answer: Type.Object({ messageids: Type.Array(Type.String()) }),
      errors: ['role_missing', 'not_found'],
      async handle(caller, { batchid }) {
        canRead(caller);
        const batch = await readOwnBatch(store, caller, batchid);
        return new SlicedAnswer(jsonHeaders, () => messageIdsInSlices(batch));
      },
    }),
  ];
}

const batchParameters = {
  batchid: text({ get: 'BI', description: 'Id of a batch.' }),
  batchconversation: text({ get: 'BX', description: 'Conversation id of one or more batches.' }),
};

const statusParameters = {
  ...batchParameters,
  messageids: numberList({
    get: 'I',
    maxItems: maxIds,
    description: `Ids of SMS of batches; \`batchid\` and \`batchconversation\` are then ignored. ${ofEmptyIds}`,
  }),
  messageconversations: textList({
    get: 'X',
    maxItems: maxIds,
    description: 'Conversation ids of SMS of batches, with the same rules as `messageids`.',
  }),
  maxnum: ignoredWith(
    ['messageids', 'messageconversations'],
    integer({
      get: 'N',
      default: 1_000,
      min: 1,
      cap: 10_000,
      description:
        'Maximum number of statuses to return; more than 10000 counts as 10000. Ignored with `messageids` or `messageconversations`.',
    }),
  ),
  markasread: boolean({
    get: 'R',
    description: 'Marks the returned statuses as read. Default: true for batches, false for given SMS.',
  }),
};

const statusRecord = Type.Object(
  {
    to: Type.String(),
    from: Type.String(),
    id: Type.String(),
    status: Type.Unsafe<StatusName>({ type: 'string', enum: [...batchStatusNames] }),
    statuscode: Type.String({ description: 'The code of the status, 0 to 13.' }),
    conversation: Type.String(),
    time: Type.String({ description: 'When the status changed, in milliseconds since the epoch.' }),
    batchid: Type.String({ description: 'Id of the batch of the SMS.' }),
    batchconversation: Type.String({ description: 'Conversation id of that batch.' }),
  },
  { title: 'BatchMessageStatus' },
);

const statusCount = Type.Object(
  {
    batchid: Type.String(),
    batchconversation: Type.String(),
    counts: Type.Object(Object.fromEntries(batchStatusNames.map((name) => [name, Type.Integer()])), {
      description: 'Number of SMS in each status.',
    }),
  },
  { title: 'BatchStatusCount' },
);

export function batchReadingEndpoints(store: Store): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: `${messaging}/batchmessagestatus`,
      methods: ['GET', 'POST'],
      group: 'Batches',
      operation: 'queryBatchMessageStatuses',
      needsBody: true,
      title: 'Read statuses of the messages of batches',
      description:
        'Returns the statuses of a batch, or of all batches with a conversation id, that have changed since they were last read, in each batch oldest change first; repeat the call until it returns none. With ids or conversation ids of SMS, it returns the statuses of those SMS, read or unread.',
      example: { url: { BI: '100001', R: 'F' }, json: { batchid: '100001', markasread: false } },
      credentials: anyMethod,
      parameters: statusParameters,
      answer: Type.Object({ statuses: Type.Array(statusRecord) }),
      errors: ['role_missing', 'missing_parameter'],
      handle(caller, input, { closed }) {
        canRead(caller);
        return listInSlices('statuses', readBatchStatuses(store, caller, input, closed));
      },
    }),
    endpoint({
      path: `${messaging}/batchstatuscount`,
      methods: ['GET', 'POST'],
      group: 'Batches',
      operation: 'queryBatchStatusCounts',
      needsBody: true,
      title: 'Count the statuses of batches',
      description:
        'Returns how many SMS of a batch, or of all batches with a conversation id, have each status. Nothing is marked as read. Calling once a minute is enough.',
      example: { url: { BI: '100001' }, json: { batchid: '100001' } },
      credentials: anyMethod,
      parameters: batchParameters,
      answer: Type.Object({ statuses: Type.Array(statusCount) }),
      errors: ['role_missing', 'missing_parameter'],
      handle(caller, input, { closed }) {
        canRead(caller);
        return listInSlices('statuses', readBatchCounts(store, caller, input, closed));
      },
    }),
  ];
}

function canRead(caller: Caller): void {
  requireRole(caller, 'send', 'jobs', 'companyAdmin');
}
