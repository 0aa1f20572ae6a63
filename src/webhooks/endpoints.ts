/** The endpoints of webhooks: those of the management API, and the one by which a receiver closes a gap itself. */
import Type from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { anyMethod } from '../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../http/endpoints/endpoint.ts';
import { integer, text } from '../http/parameters/kinds.ts';
import type { Administering } from './management/administer-webhooks.ts';
import { webhookManagementEndpoints } from './management/endpoints.ts';
import { pullEvents, toldEvent } from './reading/pull-events.ts';

const endpoint = endpointsFor<Caller>();

export function webhookEndpoints(administering: Administering): readonly Endpoint<Caller>[] {
  const { store } = administering;
  return [
    ...webhookManagementEndpoints(administering),
    endpoint({
      path: '/api/v1/events',
      methods: ['GET', 'POST'],
      group: 'Webhooks',
      operation: 'pullEvents',
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
        events: Type.Array(toldEvent),
        firstseq: Type.Integer({ description: 'The first number that is kept. Events before it are gone.' }),
        lastseq: Type.Integer({ description: 'The number of the newest event.' }),
      }),
      errors: ['not_found', 'role_missing'],
      handle: (caller, input) => pullEvents(store, caller, input),
    }),
  ];
}
