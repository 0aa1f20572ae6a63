/** The endpoints that tell how far a batch has come. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { jsonHeaders } from '../../http/answers/respond.ts';
import { SlicedAnswer } from '../../http/answers/sliced-answer.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import type { Store } from '../../storage/store.ts';
import { describeBatchCode } from '../batch.ts';
import { messageIdsInSlices, readOwnBatch } from './info.ts';

const endpoint = endpointsFor<Caller>();
const messaging = '/restsms/svcrest';

const batchParameters = {
  batchid: text({ get: 'BI', required: true, description: 'Id of the batch, as sending answered with.' }),
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
      title: 'Read how far a batch is',
      description:
        'Gives the state of a batch: 1 Received, 3 Validating, 2 Processing, 0 Ok when all its messages wait to be sent, or why it ended without that.',
      example,
      credentials: anyMethod,
      parameters: batchParameters,
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
      title: 'Read the ids of the messages of a batch',
      description:
        'Gives the ids of the messages made so far, in the order of the batch. All are there when /batchinfo tells 0.',
      example,
      credentials: anyMethod,
      parameters: batchParameters,
      answer: Type.Object({ messageids: Type.Array(Type.String()) }),
      errors: ['role_missing', 'not_found'],
      async handle(caller, { batchid }) {
        canRead(caller);
        return new SlicedAnswer(jsonHeaders, messageIdsInSlices(await readOwnBatch(store, caller, batchid)));
      },
    }),
  ];
}

function canRead(caller: Caller): void {
  requireRole(caller, 'send', 'jobs', 'companyAdmin');
}
