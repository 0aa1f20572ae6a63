/** The endpoint by which a receiver closes a gap: it reads the events of a webhook itself. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { integer, text } from '../http/parameters/kinds.ts';
import type { Store } from '../storage/store.ts';
import { pullEvents } from './reading/pull-events.ts';

const endpoint = endpointsFor<Caller>();

const event = Type.Object({
  type: Type.String({ description: 'As `message.status`.' }),
  timestamp: Type.String({ description: 'When it happened (ISO 8601, UTC).' }),
  seq: Type.Integer({ description: 'Its number among the events of the webhook: these have no holes.' }),
  data: Type.Object({}, { description: 'What is told, as it is posted.' }),
});

export function webhookEndpoints(store: Store): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: '/api/v1/events',
      methods: ['GET', 'POST'],
      group: 'Webhooks',
      title: 'Read the events of a webhook',
      description:
        'Gives the events of a webhook again, in their order: after a receiver was away, or to look for gaps in `seq`. Events are kept for 7 days, or until a webhook has a million newer ones. A webhook of the company is read by its administrators, that of a user by this user as well.',
      example: { url: { webhook: 'desk', after: '0' }, json: { webhook: 'desk', after: 0 } },
      credentials: anyMethod,
      parameters: {
        webhook: text({
          get: 'webhook',
          required: true,
          maxLength: 100,
          description: 'The id of the webhook.',
        }),
        after: integer({
          get: 'after',
          default: 0,
          description: 'The number of the last event that is known already.',
        }),
        maxnum: integer({
          get: 'maxnum',
          default: 100,
          min: 1,
          cap: 500,
          description: 'How many events, at most 500.',
        }),
      },
      answer: Type.Object({
        events: Type.Array(event),
        firstseq: Type.Integer({ description: 'The first number that is kept. Events before it are gone.' }),
        lastseq: Type.Integer({ description: 'The number of the newest event.' }),
      }),
      errors: ['not_found', 'role_missing'],
      handle: (caller, input) => pullEvents(store, caller, input),
    }),
  ];
}
