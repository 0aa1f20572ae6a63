/** The calls with which operators see how the carriers are doing at each node, what waits for them, and why. */
import Type from 'typebox';
import { type CarrierRecord, shownSettings } from '../carriers/provisioned/carrier-record.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { ServiceError } from '../foundation/errors.ts';
import { quoted } from '../foundation/result.ts';
import { text } from '../http/parameters/kinds.ts';
import {
  bestOf,
  countBacklogs,
  isSilent,
  type KnownState,
  listCarrierStates,
  listRetryReasons,
  maxReasonsRead,
} from '../messages/nodes/carrier-states.ts';
import type { Route } from '../routing/route.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';

const path = '/api/v1/operator/carriers';
/** Messages that wait are counted up to this many. */
const maxWaiting = 10_000;
const upTo = `at most ${maxWaiting}, above which there may be more.`;

const linkStates = ['up', 'starting', 'down'] as const;
const figure = (description: string) => Type.Optional(Type.Integer({ description }));

const atNode = Type.Object(
  {
    node: Type.String(),
    state: Type.Unsafe<KnownState['state']>({ type: 'string', enum: [...linkStates] }),
    silent: Type.Boolean({ description: 'Whether the node has not reported for a while, and may be gone.' }),
    since: Type.String({ description: 'ISO 8601, UTC.' }),
    reason: Type.Optional(Type.String({ description: 'Why it is down or slow, in English.' })),
    reported: Type.String({ description: 'When the node last reported (ISO 8601, UTC).' }),
    binds: figure('Number of connections configured.'),
    bindsUp: figure('Number of connections that are up.'),
    window: figure('Number of SMS parts that may await a response.'),
    windowUsed: figure('Number of SMS parts awaiting a response.'),
    accepted: figure('SMS parts that the carrier accepted since it was opened.'),
    throttled: figure('SMS parts that it refused because of its load.'),
    timeouts: figure('Requests that it did not answer in time.'),
    disconnects: figure('Connections that were lost.'),
  },
  { title: 'OperatorsCarrierAtNode' },
);

/** How a carrier is doing at all nodes together; `unknown` if no node has it open. */
export const carrierStates = ['up', 'starting', 'down', 'unknown'] as const;
export type CarrierState = (typeof carrierStates)[number];

export const stateSchema = Type.Unsafe<CarrierState>({
  type: 'string',
  enum: [...carrierStates],
  description: 'Its best state at any node; `unknown` if no node reports on it.',
});

const carrierFields = {
  name: Type.String(),
  type: Type.String(),
  state: stateSchema,
  throughput: Type.Optional(
    Type.Integer({ description: 'Maximum number of SMS parts per second; absent: no limit.' }),
  ),
  waiting: Type.Integer({ description: `Messages that wait for it, ${upTo}` }),
  inFlight: Type.Integer({ description: `Messages that are being handed over to it, ${upTo}` }),
  routes: Type.Integer({ description: 'Number of routes that lead to it.' }),
  nodes: Type.Array(atNode),
};

export function carrierEndpoints({ store, clock, routes }: Operating) {
  const shownAll = async () => {
    const [carriers, states, backlogs] = await Promise.all([
      store.read(listCarriers, null),
      store.read(listCarrierStates, null),
      store.read(countBacklogs, { upTo: maxWaiting }),
    ]);
    const known = { states, backlogs, routes: routes().inOrder, now: clock.now() };
    return carriers.map((carrier) => ({ carrier, shown: shownCarrier(carrier, known) }));
  };
  return [
    operatorEndpoint({
      path,
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsCarriers',
      title: 'List all carriers',
      description:
        'Lists the carriers of the service, how each is doing at each node, and what waits for it.',
      example: { url: {} },
      parameters: {},
      answer: Type.Object({
        carriers: Type.Array(Type.Object(carrierFields, { title: 'OperatorsCarrier' })),
      }),
      handle: async () => ({ carriers: (await shownAll()).map(({ shown }) => shown) }),
    }),
    operatorEndpoint({
      path: `${path}/{name}`,
      methods: ['GET'],
      ...ofOperators,
      operation: 'getOperatorsCarrier',
      title: 'Read a carrier',
      description:
        'Returns how a carrier is doing, its settings except those that are secret, and why it did not take messages that it will be offered again.',
      example: { url: { name: 'simulator' } },
      parameters: {
        name: text({ get: 'name', required: true, maxLength: 200, description: 'Name of the carrier.' }),
      },
      answer: Type.Object({
        ...carrierFields,
        settings: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
          description: 'Without passwords; the value is JSON.',
        }),
        retries: Type.Array(
          Type.Object({
            reason: Type.String({ description: 'In English, as the carrier or the link says it.' }),
            messages: Type.Integer(),
          }),
          { description: `The most frequent reasons, among ${maxReasonsRead} messages at most.` },
        ),
      }),
      errors: ['not_found'],
      async handle(_, { name }) {
        const found = (await shownAll()).find(({ carrier }) => carrier.name === name);
        if (found === undefined)
          throw new ServiceError('not_found', { sentence: 'no_carrier', name: quoted(name) });
        const { carrier, shown } = found;
        const settings = Object.entries(shownSettings(carrier));
        return {
          ...shown,
          settings: settings.map(([name, value]) => ({ name, value: JSON.stringify(value) })),
          retries: await store.read(listRetryReasons, carrier.id),
        };
      },
    }),
  ] as const;
}

interface Known {
  readonly states: readonly KnownState[];
  readonly backlogs: readonly {
    readonly carrierId: number;
    readonly waiting: number;
    readonly inFlight: number;
  }[];
  readonly routes: readonly Route[];
  readonly now: number;
}

function shownCarrier(
  { id, name, type, settings: { throughput } }: CarrierRecord,
  { states, backlogs, routes, now }: Known,
) {
  const { waiting = 0, inFlight = 0 } = backlogs.find(({ carrierId }) => carrierId === id) ?? {};
  return {
    name,
    type,
    state: stateOf(id, states, now),
    throughput: typeof throughput === 'number' && throughput > 0 ? throughput : undefined,
    waiting,
    inFlight,
    routes: routes.filter(({ carriers }) => carriers.includes(name)).length,
    nodes: states.filter(({ carrierId }) => carrierId === id).map((state) => shownState(state, now)),
  };
}

/** Nodes that are silent count only if no other node reports on the carrier. */
export function stateOf(id: number, states: readonly KnownState[], now: number): CarrierState {
  const reports = states.filter(({ carrierId }) => carrierId === id);
  const live = reports.filter((report) => !isSilent(report, now));
  return bestOf(live.length > 0 ? live : reports, now) ?? 'unknown';
}

function shownState(report: KnownState, now: number) {
  const { nodeId, state, since, reason, updatedAt, figures } = report;
  const { binds, bindsUp, windowParts, windowUsed, accepted, throttled, timeouts, disconnects } = figures;
  return {
    node: String(nodeId),
    state,
    silent: isSilent(report, now),
    since: new Date(since).toISOString(),
    reason: reason ?? undefined,
    reported: new Date(updatedAt).toISOString(),
    binds,
    bindsUp,
    window: windowParts,
    windowUsed,
    accepted,
    throttled,
    timeouts,
    disconnects,
  };
}
