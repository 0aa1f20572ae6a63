/** The calls with which operators see the routes, and why a message to a number takes one of them. */
import Type from 'typebox';
import { findAccountByUsername } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { errorOfFields } from '../foundation/errors.ts';
import { fault, quoted } from '../foundation/result.ts';
import { text } from '../http/parameters/kinds.ts';
import {
  nextOf,
  pageOf,
  type TextCursor,
  textPageParameters,
  writeTextCursor,
} from '../http/parameters/page.ts';
import { listCarrierStates } from '../messages/nodes/carrier-states.ts';
import { explainRoutes, type Reason, reasons, type Step } from '../routing/explain.ts';
import { compareRoutes, isLimited, type Route } from '../routing/route.ts';
import { cleanNumber, countryCodeOf } from '../wire/phone-number.ts';
import { parseSender } from '../wire/sender-id.ts';
import { stateOf, stateSchema } from './carrier-endpoints.ts';
import { type Operating, ofOperators, operatorEndpoint } from './operating.ts';

const path = '/api/v1/operator/routes';
/** A route may name very many senders and users; all of them are in the provisioning file. */
const maxNames = 50;
const maxSteps = 100;

const names = (whose: string) =>
  Type.Optional(
    Type.Array(Type.String(), { description: `The only ${whose}; the first ${maxNames}. Absent: any.` }),
  );

const route = Type.Object(
  {
    name: Type.String(),
    prefix: Type.String({ description: 'First digits of the numbers; empty: all numbers.' }),
    carriers: Type.Array(Type.String(), { description: 'Carriers, which take turns.' }),
    senders: names('senders'),
    users: names('users'),
    priority: Type.Integer({ description: 'Of equal routes, the highest comes first.' }),
  },
  { title: 'OperatorsRoute' },
);

function shownRoute({ name, prefix, carriers, senders, users, priority = 0 }: Route) {
  return {
    name,
    prefix,
    carriers: [...carriers],
    senders: senders?.slice(0, maxNames),
    users: users?.slice(0, maxNames),
    priority,
  };
}

/** A route's place in the order of all, from which a page goes on even if the route is gone. */
function cursorOf(one: Route): string {
  return writeTextCursor([one.prefix, Number(isLimited(one)), one.priority ?? 0, one.name]);
}

function placeOf([prefix, limited, priority, name]: TextCursor): Route {
  const senders = limited === 1 ? [] : undefined;
  return { prefix: String(prefix), senders, priority: Number(priority), name: String(name), carriers: [] };
}

export function routeEndpoints(services: Operating) {
  return [
    operatorEndpoint({
      path,
      methods: ['GET'],
      ...ofOperators,
      operation: 'listOperatorsRoutes',
      title: 'List the routes',
      description: 'Lists the routes in the order in which they are tried, longest prefix first.',
      example: { url: {} },
      parameters: {
        ...textPageParameters,
        carrier: text({
          get: 'carrier',
          maxLength: 200,
          description: 'Only routes that lead to this carrier.',
        }),
      },
      answer: Type.Object({ routes: Type.Array(route), next: nextOf('routes') }),
      async handle(_, { after, limit, carrier }) {
        const place = after && placeOf(after);
        const found = services
          .routes()
          .inOrder.filter(
            (one) =>
              (place === undefined || (one.name !== place.name && compareRoutes(one, place) > 0)) &&
              (carrier === undefined || one.carriers.includes(carrier)),
          );
        const { items, next } = pageOf(found, limit, cursorOf);
        return { routes: items.map(shownRoute), next };
      },
    }),
    operatorEndpoint({
      path: '/api/v1/operator/explain-route',
      methods: ['GET'],
      ...ofOperators,
      operation: 'explainOperatorsRoute',
      title: 'Explain which carrier a message takes',
      description:
        'Returns which carrier a message to a number would take now, and for each route whose prefix fits, why it is taken or passed over.',
      example: { url: { number: '46701740620' } },
      parameters: {
        number: text({ get: 'number', required: true, maxLength: 100, description: 'Recipient.' }),
        user: text({ get: 'user', maxLength: 200, description: 'User who sends the message.' }),
        sender: text({
          get: 'sender',
          maxLength: 100,
          description: 'Sender id; default: the default sender of the user.',
        }),
      },
      answer: Type.Object({
        number: Type.String({ description: 'The number in digits, with its country code.' }),
        company: Type.Optional(Type.String({ description: 'Company of the user.' })),
        sender: Type.Optional(Type.String()),
        steps: Type.Array(
          Type.Object({
            route,
            taken: Type.Boolean(),
            reason: Type.Unsafe<Reason>({ type: 'string', enum: Object.keys(reasons) }),
            because: Type.String({ description: 'The reason in English words.' }),
          }),
          { description: `In the order in which routes are tried; ${maxSteps} at most.` },
        ),
        more: Type.Boolean({ description: 'Whether more routes fit than are returned.' }),
        carriers: Type.Array(Type.Object({ name: Type.String(), state: stateSchema }), {
          description: 'Carriers that take turns with such messages; empty if no route leads there.',
        }),
        waits: Type.Boolean({ description: 'Whether none of them is up, so that the message waits.' }),
      }),
      errors: ['not_found'],
      handle: (_, question) => explain(services, question),
    }),
  ] as const;
}

interface Question {
  readonly number: string;
  readonly user?: string | undefined;
  readonly sender?: string | undefined;
}

/** As in sending, a number that begins with 0 belongs to the user's country, and the default sender is the user's. */
async function explain({ store, clock, routes }: Operating, { user, ...given }: Question) {
  const account = user === undefined ? undefined : await store.read(findAccountByUsername, user);
  if (user !== undefined && account === undefined)
    throw errorOfFields(fault('not_found', { sentence: 'no_account', user: quoted(user) }), 'user');
  const caller = account && callerOf(account);
  const number = cleanNumber(given.number, caller && countryCodeOf(caller));
  if (!number.ok) throw errorOfFields(number, 'number');
  const wanted = given.sender === undefined ? undefined : parseSender(given.sender);
  if (wanted?.ok === false) throw errorOfFields(wanted, 'sender');
  const sender = wanted?.value.value ?? caller?.defaultSender ?? '';
  const table = routes();
  const { carriers, usable } = table.snapshot();
  const explained = explainRoutes({
    routes: table.inOrder,
    carriers,
    isUsable: (id) => usable.has(id),
    number: number.value,
    origin: { username: user ?? '', sender },
  });
  const states = await store.read(listCarrierStates, null);
  const now = clock.now();
  const stateOfName = (name: string) => {
    const id = carriers.find((one) => one.name === name)?.id;
    return { name, state: id === undefined ? ('unknown' as const) : stateOf(id, states, now) };
  };
  return {
    number: number.value,
    company: account?.company.name,
    sender: sender === '' ? undefined : sender,
    steps: firstSteps(explained.steps).map(({ route, isTaken, reason, because }) => ({
      route: shownRoute(route),
      taken: isTaken,
      reason,
      because,
    })),
    more: explained.steps.length > maxSteps,
    carriers: explained.carriers.map(stateOfName),
    waits: explained.waits,
  };
}

/** The first ones, with the first that is taken in place of the last if it comes later. */
function firstSteps(steps: readonly Step[]): readonly Step[] {
  if (steps.length <= maxSteps) return steps;
  const taken = steps.findIndex(({ isTaken }) => isTaken);
  if (taken < maxSteps) return steps.slice(0, maxSteps);
  return [...steps.slice(0, maxSteps - 1), ...steps.slice(taken, taken + 1)];
}
