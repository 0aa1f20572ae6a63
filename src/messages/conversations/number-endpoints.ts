/** Endpoints with which administrators list numbers and assign SMS that belong to nobody to a user. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { byUser } from '../../audit/audit-log.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { digits, text } from '../../http/parameters/kinds.ts';
import { nextOf, pageParameters } from '../../http/parameters/page.ts';
import { allowed } from '../../resources/declaration.ts';
import { announceHint } from '../../storage/hints.ts';
import type { Conversing } from './endpoints.ts';
import { giveUnrouted } from './give-unrouted.ts';
import {
  giveNumber,
  type ListedNumber,
  lately,
  listNumbersOfCompany,
  listUnroutedOfCompany,
  maxCounted,
  type NumberUse,
  numberUses,
  useOf,
  versionOf,
} from './numbers.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Numbers';

export function numberEndpoints(conversing: Conversing) {
  return [
    numbersEndpoint(conversing),
    giveEndpoint(conversing),
    unroutedEndpoint(conversing),
    assignEndpoint(conversing),
  ] as const;
}

function numbersEndpoint({ store, clock }: Conversing) {
  return endpoint({
    path: '/api/v1/numbers',
    methods: ['GET'],
    group,
    operation: 'listNumbers',
    title: 'List numbers',
    description:
      'Lists the numbers that phones can write to, in order: those rented by the company’s users, its own reply pool, and the pool shared by all companies. A page may be short or empty: as long as there is a `next`, there may be more. The operator sets the numbers in the provisioning file.',
    example: { url: { limit: '10' } },
    credentials: anyMethod,
    parameters: {
      after: text({
        get: 'after',
        maxLength: 20,
        description: 'The `next` of the previous page. Omit it for the first page.',
      }),
      limit: pageParameters.limit,
    },
    answer: Type.Object({
      numbers: Type.Array(
        Type.Object({
          number: Type.String(),
          use: Type.Unsafe<NumberUse>({
            type: 'string',
            enum: [...numberUses],
            description:
              'Who gets incoming SMS: the user who rents the number, or the sender of the SMS being answered.',
          }),
          username: Type.Optional(Type.String({ description: 'Who rents it.' })),
          shared: Type.Boolean({ description: 'Whether other companies also send from it.' }),
          conversations: Type.Integer({
            description: `For a number of the pool: of the latest ${maxCounted} phones that got an SMS from it, how many would now reach the company with an answer.`,
          }),
          lastUsed: Type.Optional(
            Type.String({
              description: `Latest SMS of the company (ISO 8601, UTC), among the last ${lately} uses of a pool number or conversations of its user.`,
            }),
          ),
          managed: Type.Boolean({ description: 'Whether a provisioning file says who rents it.' }),
          version: Type.String({ description: 'Changes with the user who rents it.' }),
        }),
      ),
      next: nextOf('numbers'),
    }),
    errors: ['role_missing'],
    async handle(caller, { after = '', limit }) {
      requireRole(caller, 'companyAdmin');
      const query = { companyId: caller.companyId, after, limit, now: clock.now() };
      const { numbers, next } = await store.read(listNumbersOfCompany, query);
      return { numbers: numbers.map(shownNumber), next: next ?? undefined };
    },
  });
}

function shownNumber(listed: ListedNumber) {
  const { number, username, pool, companyId, conversations, lastUsed, managed } = listed;
  return {
    number,
    use: useOf(listed),
    username: username ?? undefined,
    shared: pool === 1 && companyId === null,
    conversations,
    lastUsed: lastUsed === null ? undefined : new Date(lastUsed).toISOString(),
    managed,
    version: versionOf(listed),
  };
}

function giveEndpoint({ store, clock }: Conversing) {
  return endpoint({
    path: '/api/v1/numbers/{number}',
    methods: ['PATCH'],
    group,
    operation: 'updateNumber',
    title: 'Give a number to another user',
    description:
      'Lets another user of the company rent a number, and get its incoming SMS from now on. Conversations that exist stay with their user. Not for numbers of the pool, or for those whose user a provisioning file has set. Requires the role companyAdmin.',
    example: { url: { number: '46701740605' }, json: { user: 'demo' } },
    credentials: anyMethod,
    parameters: {
      number: digits({ get: 'number', required: true, maxLength: 15, description: 'A rented number.' }),
      user: text({
        get: 'user',
        required: true,
        maxLength: 200,
        description: 'User name of the new renter, a user of the company.',
      }),
    },
    answer: Type.Object({ number: Type.String(), username: Type.String(), version: Type.String() }),
    answersVersion: true,
    takesVersion: true,
    errors: ['not_found', 'role_missing', 'managed', 'too_late'],
    async handle(caller, { number, user }, { ifMatch }) {
      requireRole(caller, 'companyAdmin');
      const { companyId } = caller;
      const order = { companyId, number, username: user, ifMatch, by: byUser(caller), now: clock.now() };
      const { username } = allowed(await store.write(giveNumber, order));
      announceHint(store, companyId, 'numbers');
      return { number, username, version: versionOf({ username }) };
    },
  });
}

function unroutedEndpoint({ store }: Conversing) {
  return endpoint({
    path: '/api/v1/unrouted',
    methods: ['GET'],
    group,
    operation: 'listUnroutedSms',
    title: 'List incoming SMS that belong to nobody',
    description:
      'Lists SMS that came to a number of the company when nobody rented it or waited for an answer there, latest first. If the service has only one company, SMS to any number are listed. A page may be short, or even empty: as long as there is a `next`, there may be more. SMS that belong to no company are left to the operator (`carillon unrouted`).',
    example: { url: { limit: '10' } },
    credentials: anyMethod,
    parameters: pageParameters,
    answer: Type.Object({
      unrouted: Type.Array(
        Type.Object({
          id: Type.String(),
          from: Type.String(),
          to: Type.String(),
          message: Type.String({ description: 'Text of the SMS.' }),
          time: Type.String({ description: 'When it was received (ISO 8601, UTC)' }),
        }),
      ),
      next: nextOf('SMS'),
    }),
    errors: ['role_missing'],
    async handle(caller, { after, limit }) {
      requireRole(caller, 'companyAdmin');
      const { companyId } = caller;
      const { found, next } = await store.read(listUnroutedOfCompany, { companyId, after, limit });
      return {
        unrouted: found.map(({ id, sender, recipient, text: message, receivedAt }) => ({
          id: String(id),
          from: sender,
          to: recipient,
          message,
          time: new Date(receivedAt).toISOString(),
        })),
        next: next === null ? undefined : `${next.time}.${next.id}`,
      };
    },
  });
}

function assignEndpoint(conversing: Conversing) {
  return endpoint({
    path: '/api/v1/unrouted/{id}/assign',
    methods: ['POST'],
    group,
    operation: 'assignUnroutedSms',
    title: 'Give an unrouted SMS to a user',
    description:
      'Gives the SMS to a user of the company as if it had been received for that user: it appears in a conversation, unread in `/incoming`, and webhooks are notified.',
    example: { url: { id: '1' }, json: { user: 'demo' } },
    credentials: anyMethod,
    parameters: {
      id: text({ get: 'id', required: true, maxLength: 20, description: 'Id of the incoming SMS.' }),
      // Called `user` because `username` means the caller's login.
      user: text({
        get: 'user',
        required: true,
        maxLength: 200,
        description: 'User name of the new owner, a user of the company.',
      }),
    },
    answer: Type.Object({ id: Type.String(), username: Type.String() }),
    errors: ['not_found', 'role_missing'],
    async handle(caller, { id, user: username }) {
      requireRole(caller, 'companyAdmin');
      return giveUnrouted(conversing, { companyId: caller.companyId, id, username, by: byUser(caller) });
    },
  });
}
