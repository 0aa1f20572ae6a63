/** The management API's endpoints for administrators to see and change the API keys of the users of their company. */
import Type from 'typebox';
import { apiKeyStates } from '../accounts/api-keys.ts';
import type { Caller } from '../accounts/caller.ts';
import { unusedDays } from '../accounts/company-keys.ts';
import { anyMethod, passwordOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import { boolean, digits, word } from '../http/parameters/kinds.ts';
import {
  nextOf,
  pageOf,
  pageParameters,
  textPageParameters,
  writeTextCursor,
} from '../http/parameters/page.ts';
import {
  changeUsersKey,
  pageOfCompanyKeys,
  pageOfUsersKeys,
  type UserAdministration,
} from './administer-company-users.ts';
import { clearableLimits, eventOf, showKey, shownKey } from './user-key-endpoints.ts';

const endpoint = endpointsFor<Caller>();
const path = '/api/v1/users/{id}/apikeys';
const reading = { group: 'Users', credentials: anyMethod } as const;
/** A stolen key must not revoke other keys, nor make itself last longer. */
const writing = { group: 'Users', credentials: passwordOnly } as const;
const errors = ['role_missing', 'not_found'] as const;
const writingErrors = [...errors, 'password_needed'] as const;

const id = digits({ get: 'id', required: true, maxLength: 15, description: 'Id of the user.' });
const key = digits({ get: 'key', required: true, maxLength: 15, description: 'Id of the API key.' });

export function companyKeyEndpoints(services: UserAdministration) {
  return [listOfCompany(services), ...keysOfOne(services)] as const;
}

const shownWithUser = Type.Object(
  { ...shownKey.properties, userId: Type.String(), username: Type.String() },
  { title: 'CompanyApiKey' },
);

function listOfCompany(services: UserAdministration) {
  return endpoint({
    path: '/api/v1/company/apikeys',
    methods: ['GET'],
    group: 'Company',
    credentials: anyMethod,
    operation: 'listCompanyApiKeys',
    title: 'List the API keys of the company',
    description:
      'Lists the API keys of all users of the company, by user name. A page may be empty though `next` leads on. Requires the role companyAdmin.',
    example: { url: { state: 'enabled' } },
    parameters: {
      state: word(apiKeyStates, { get: 'state', description: 'Only keys in this state.' }),
      unused: boolean({
        get: 'unused',
        description: `Only keys that were never used, or not for ${unusedDays} days.`,
      }),
      withoutEnd: boolean({ get: 'withoutEnd', description: 'Only keys that never expire.' }),
      ...textPageParameters,
    },
    answer: Type.Object({ apiKeys: Type.Array(shownWithUser), next: nextOf('API keys') }),
    errors: ['role_missing'],
    async handle(caller, { after, ...given }) {
      const [username = '', key = 0] = after ?? [];
      const place = after && { username: String(username), key: Number(key) };
      const { keys, readTo } = await pageOfCompanyKeys(services, caller, { ...given, after: place });
      const now = services.clock.now();
      return {
        apiKeys: keys.map((one) => ({
          ...showKey(one, now),
          userId: String(one.userId),
          username: one.username,
        })),
        next: readTo && writeTextCursor([readTo.username, readTo.key]),
      };
    },
  });
}

function keysOfOne(services: UserAdministration) {
  const { clock } = services;
  return [
    endpoint({
      path,
      methods: ['GET'],
      ...reading,
      operation: 'listUserApiKeys',
      title: 'List the API keys of a user',
      description: 'Lists the API keys of a user, oldest first, with their state and last use.',
      example: { url: { id: '10001' } },
      parameters: { id, ...pageParameters },
      answer: Type.Object({ apiKeys: Type.Array(shownKey), next: nextOf('API keys') }),
      errors,
      async handle(caller, { id, after, limit }) {
        const page = { id, after: after?.id, limit: limit + 1 };
        const rows = await pageOfUsersKeys(services, caller, page);
        const { items, next } = pageOf(rows, limit, ({ key }) => String(key));
        return { apiKeys: items.map((key) => showKey(key, clock.now())), next };
      },
    }),
    endpoint({
      path: `${path}/{key}/revoke`,
      methods: ['POST'],
      ...writing,
      operation: 'revokeUserApiKey',
      title: 'Revoke an API key of a user',
      description: 'The key stops working within a second on every node.',
      example: { url: { id: '10001', key: '1' }, json: {} },
      parameters: { id, key },
      answer: shownKey,
      answersVersion: true,
      errors: writingErrors,
      concernsSecurity: (_, key) => ({ event: 'key_revoked', object: key.name }),
      handle: async (caller, input) =>
        showKey(await changeUsersKey(services, caller, { ...input, change: { revoked: true } }), clock.now()),
    }),
    endpoint({
      path: `${path}/{key}`,
      methods: ['PATCH'],
      ...writing,
      operation: 'updateUserApiKey',
      title: 'Change an API key of a user',
      description:
        'Sets when a key of a user expires, what it may do, and from where. An empty text takes the limit away.',
      example: { url: { id: '10001', key: '1' }, json: { expires: '2035-12-31T23:59Z' } },
      parameters: { id, key, ...clearableLimits },
      answer: shownKey,
      answersVersion: true,
      takesVersion: true,
      errors: [...writingErrors, 'invalid_time'],
      concernsSecurity: (given, key) => ({ event: eventOf(given), object: key.name }),
      async handle(caller, { id, key, ...change }, { ifMatch }) {
        const changed = await changeUsersKey(services, caller, { id, key, ifMatch, change });
        return showKey(changed, clock.now());
      },
    }),
  ] as const;
}
