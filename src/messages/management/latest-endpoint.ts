/** The endpoint that tells how the messages of a day stand: what arrived, what failed and why, what still waits. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import type { Clock } from '../../foundation/clock.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { ruled } from '../../http/parameters/parameter.ts';
import type { Store } from '../../storage/store.ts';
import { parseTime } from '../../wire/schedule-time.ts';
import { type StatusName, statusNames } from '../message.ts';
import { statusNameSchema } from '../status-name-schema.ts';
import { countLatest } from './usage-store.ts';

const endpoint = endpointsFor<Caller>();

const dayMs = 24 * 60 * 60 * 1_000;
const mostCounted = 800;

export function latestEndpoint({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  return endpoint({
    path: '/api/v1/usage/latest',
    methods: ['GET'],
    group: 'Usage',
    operation: 'countLatestMessages',
    title: 'Count the latest messages by status',
    description: `Tells how the messages stand that were accepted since a time, of which the latest ${mostCounted} are counted. Users see their own, administrators those of all users of their company.`,
    example: { url: {} },
    credentials: anyMethod,
    parameters: {
      since: ruled(
        text({
          get: 'since',
          maxLength: 50,
          description: 'Accepted then or later (ISO 8601 with zone); 24 hours ago unless told.',
        }),
        parseTime,
      ),
    },
    answer: Type.Object({
      since: Type.String({
        description: 'When the first that is counted was accepted, or what was asked for (ISO 8601, UTC)',
      }),
      more: Type.Boolean({ description: 'There are earlier ones, which are not counted.' }),
      messages: Type.Integer({ description: 'How many are counted.' }),
      statuses: Type.Array(
        Type.Object({
          status: statusNameSchema,
          statuscode: Type.String(),
          messages: Type.Integer(),
        }),
      ),
    }),
    errors: ['role_missing', 'invalid_time'],
    async handle(caller, { since = clock.now() - dayMs }) {
      const query = { ...visibilityOf(caller), callerId: caller.userId, since, limit: mostCounted };
      const counts = await store.read(countLatest, query);
      const messages = counts.reduce((sum, count) => sum + count.messages, 0);
      const more = messages === mostCounted;
      const first = more ? Math.min(...counts.map((count) => count.first)) : since;
      return {
        since: new Date(first).toISOString(),
        more,
        messages,
        statuses: counts.map(({ status, messages }) => ({
          status: statusNames[status] as StatusName,
          statuscode: String(status),
          messages,
        })),
      };
    },
  });
}
