/** The endpoint by which administrators see how the carriers of their messages are, without their settings. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { withoutAddress } from '../../carriers/carrier.ts';
import { shownCarriers } from '../../carriers/provisioned/carrier-rows.ts';
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
      Type.String({ description: 'Why it is down, or what slows it; absent when nothing is wrong.' }),
    ),
    told: Type.String({
      description: 'When the node told this last (ISO 8601, UTC): each does so every few seconds.',
    }),
    binds: Type.Optional(Type.Integer({ description: 'Connections that are to be up.' })),
    bindsUp: Type.Optional(Type.Integer({ description: 'Connections that are.' })),
    window: Type.Optional(Type.Integer({ description: 'Parts that may be without an answer.' })),
    windowUsed: Type.Optional(Type.Integer({ description: 'Parts that are.' })),
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
      title: 'Read how the carriers are',
      description:
        'Tells administrators which carriers the routes of their company lead to, and how each node reaches them: whether they are up, and why not.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: {},
      answer: Type.Object({
        carriers: Type.Array(
          Type.Object({
            name: Type.String(),
            type: Type.String(),
            throughput: Type.Optional(
              Type.Integer({ description: 'The most SMS parts a second; absent where there is no limit.' }),
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
    reason: reason === null ? undefined : withoutAddress(reason),
    told: new Date(updatedAt).toISOString(),
    binds: figures.binds,
    bindsUp: figures.bindsUp,
    window: figures.windowParts,
    windowUsed: figures.windowUsed,
  };
}
