/**
 * The endpoint that shows administrators the state of the carriers of their messages, without the carriers' settings.
 */

import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { stateReason } from '../../carriers/carrier.ts';
import { shownCarriers } from '../../carriers/provisioned/carrier-rows.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { listCarriersOfCompany } from '../../routing/route-records.ts';
import type { Store } from '../../storage/store.ts';
import { type KnownState, listCarrierStates } from '../nodes/carrier-states.ts';

const endpoint = endpointsFor<Caller>();

const atNode = Type.Object(
  {
    node: Type.String(),
    state: Type.Unsafe<KnownState['state']>({ type: 'string', enum: ['up', 'starting', 'down'] }),
    since: Type.String({ description: 'ISO 8601, UTC.' }),
    reason: Type.Optional(
      Type.String({ description: 'Why it is down or slow; absent when nothing is wrong.' }),
    ),
    reasonValues: errorContent.values,
    told: Type.String({
      description: 'When the node last reported (ISO 8601, UTC); each node reports every few seconds.',
    }),
    binds: Type.Optional(Type.Integer({ description: 'Number of connections configured.' })),
    bindsUp: Type.Optional(Type.Integer({ description: 'Number of connections that are up.' })),
    window: Type.Optional(Type.Integer({ description: 'Number of SMS parts that may await a response.' })),
    windowUsed: Type.Optional(Type.Integer({ description: 'Number of SMS parts awaiting a response.' })),
  },
  { title: 'CarrierAtNode' },
);

export function carrierEndpoints(store: Store) {
  return [
    endpoint({
      path: '/api/v1/carriers',
      methods: ['GET'],
      group: 'Carriers',
      operation: 'listCarriers',
      title: 'Read the carriers’ state',
      description:
        'Returns the carriers that the company’s routes lead to, and whether each is up at each node, with the reason if it is not. Requires the role companyAdmin.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: {},
      answer: Type.Object({
        carriers: Type.Array(
          Type.Object({
            name: Type.String(),
            type: Type.String(),
            throughput: Type.Optional(
              Type.Integer({ description: 'Maximum number of SMS parts per second; absent: no limit.' }),
            ),
            nodes: Type.Array(atNode),
          }),
        ),
      }),
      errors: ['role_missing'],
      async handle(caller) {
        requireRole(caller, 'companyAdmin');
        const [all, theirs, states] = await Promise.all([
          shownCarriers(store),
          store.read(listCarriersOfCompany, caller.companyId),
          store.read(listCarrierStates, null),
        ]);
        const carriers = all.filter(({ name }) => theirs.has(name));
        return {
          carriers: carriers.map(({ id, name, type, throughput }) => ({
            name,
            type,
            throughput,
            nodes: states.filter(({ carrierId }) => carrierId === id).map(shownState),
          })),
        };
      },
    }),
  ] as const;
}

function shownState({ nodeId, state, since, reason, updatedAt, figures }: KnownState) {
  return {
    node: String(nodeId),
    state,
    since: new Date(since).toISOString(),
    ...stateReason(reason),
    told: new Date(updatedAt).toISOString(),
    binds: figures.binds,
    bindsUp: figures.bindsUp,
    window: figures.windowParts,
    windowUsed: figures.windowUsed,
  };
}
